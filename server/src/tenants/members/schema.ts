import { type Static, Type } from 'typebox'
import { Pagination, pageQuery } from '../../http/pagination.ts'
import { RoleName } from '../schema.ts'

const Status = Type.Enum(['ACTIVE', 'INVITED', 'SUSPENDED'])

export const ByMembership = Type.Object({ id: Type.String(), membershipId: Type.String() })

export const MemberQuery = Type.Object({
  ...pageQuery,
  status: Type.Optional(Status),
  role: Type.Optional(RoleName),
  search: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description:
        'Words, each of them the beginning of the address, of its domain after @, or of a name; of who is invited, of the address. 1 to 100 characters, at most 8 words',
    }),
  ),
})
export type MemberQuery = Static<typeof MemberQuery>

const UserId = Type.String({
  description:
    'The id of the account. Of who is INVITED: an id of this invitation alone, which tells nothing; accepting replaces it',
})

export const MemberBody = Type.Object(
  {
    id: Type.String({ description: 'The id of the membership' }),
    userId: UserId,
    status: Status,
    role: RoleName,
    joinedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'null for who is invited and has not joined',
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
    members: Type.Array(MemberBody, { description: 'Who joined first comes first' }),
    pagination: Pagination,
  },
  { title: 'MemberPage' },
)
export type MemberPage = Static<typeof MemberPage>

export const MemberChangeRequest = Type.Object(
  {
    role: Type.Optional(RoleName),
    status: Type.Optional(Type.Enum(['ACTIVE', 'SUSPENDED'])),
  },
  { title: 'MemberChangeRequest' },
)
export type MemberChangeRequest = Static<typeof MemberChangeRequest>

export const ChangedMember = Type.Object(
  {
    id: Type.String({ description: 'The id of the membership' }),
    userId: UserId,
    status: Status,
    role: RoleName,
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { title: 'ChangedMember' },
)
export type ChangedMember = Static<typeof ChangedMember>
