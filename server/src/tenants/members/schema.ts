import { type Static, Type } from 'typebox'
import { Pagination, pageQuery } from '../../http/routing/pagination.ts'
import { Timestamp } from '../../http/routing/schema.ts'
import { RoleName } from '../schema.ts'

const Status = Type.Enum(['ACTIVE', 'INVITED', 'SUSPENDED'])

export const ByMembership = Type.Object({ id: Type.String(), membershipId: Type.String() })

export const MemberQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(Status),
  role: Type.Optional(RoleName),
  sort: Type.Enum(['joinedAt', '-joinedAt'], {
    default: 'joinedAt',
    description: 'By the time of joining; with a minus: the latest first, after those who are invited',
  }),
  search: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description:
        'Words; each must be a prefix of the address, of its domain after @, or of a name. For invited members only the address is searched. 1 to 100 characters, at most 8 words',
    }),
  ),
})
export type MemberQuery = Static<typeof MemberQuery>

const UserId = Type.String({
  description: 'The id of the account. For an INVITED member: an id of this invitation only, which acceptance replaces',
})

/** Fields of the account must be null or neutral for INVITED members (see `toBody`). */
export const MemberBody = Type.Object(
  {
    id: Type.String({ description: 'The id of the membership' }),
    userId: UserId,
    status: Status,
    role: RoleName,
    joinedAt: Type.Union([Timestamp, Type.Null()], {
      description: 'null for an INVITED member',
    }),
    user: Type.Object({
      email: Type.String(),
      displayName: Type.String(),
      pictureUrl: Type.Union([Type.String(), Type.Null()]),
    }),
  },
  { title: 'Member' },
)
export type MemberBody = Static<typeof MemberBody>

export const MemberPage = Type.Object(
  {
    members: Type.Array(MemberBody, { description: 'In the order of joining, or the reverse of it' }),
    pagination: Pagination,
  },
  { title: 'MemberPage' },
)
export type MemberPage = Static<typeof MemberPage>

export const UpdateMemberRequest = Type.Object(
  {
    role: Type.Optional(RoleName),
    status: Type.Optional(Type.Enum(['ACTIVE', 'SUSPENDED'])),
  },
  { title: 'UpdateMemberRequest' },
)
export type UpdateMemberRequest = Static<typeof UpdateMemberRequest>

export const UpdatedMember = Type.Object(
  {
    id: Type.String({ description: 'The id of the membership' }),
    userId: UserId,
    status: Status,
    role: RoleName,
    updatedAt: Timestamp,
  },
  { title: 'UpdatedMember' },
)
export type UpdatedMember = Static<typeof UpdatedMember>
