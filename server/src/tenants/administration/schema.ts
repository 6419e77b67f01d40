import { type Static, Type } from 'typebox'
import { CursorPagination, pageQuery } from '../../http/pagination.ts'
import { RoleName, TenantChangeRequest } from '../schema.ts'
import { AdministeredTenant } from './tenant-body.ts'

export const ByMember = Type.Object({ id: Type.String(), userId: Type.String() })

export const SORTS = ['-createdAt', 'name', 'slug'] as const

export const TenantQuery = Type.Object({
  ...pageQuery,
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'How the name or the slug begins, in capitals or not' }),
  ),
  sort: Type.Unsafe<(typeof SORTS)[number]>({
    ...Type.Enum([...SORTS]),
    default: '-createdAt',
    description: 'The newest first, or by name or slug',
  }),
  suspended: Type.Optional(Type.Boolean({ description: 'Only those that are, or are not' })),
  userId: Type.Optional(
    Type.String({ maxLength: 200, description: 'Only those of which this person is a member' }),
  ),
  after: Type.Optional(
    Type.String({ maxLength: 2_000, description: 'The next of the answer before, instead of a page' }),
  ),
})
export type TenantQuery = Static<typeof TenantQuery>

export const TenantPage = Type.Object(
  {
    tenants: Type.Array(AdministeredTenant),
    pagination: CursorPagination,
  },
  { title: 'AdministeredTenantPage' },
)
export type TenantPage = Static<typeof TenantPage>

export const AdministeredTenantChange = Type.Object(
  {
    ...TenantChangeRequest.properties,
    slug: Type.Optional(Type.String({ maxLength: 1_000 })),
    brandingApproved: Type.Optional(
      Type.Boolean({ description: 'true: its branding may be shown before the sign-in' }),
    ),
    suspended: Type.Optional(
      Type.Boolean({ description: 'true: nobody can act for the tenant until it is false again' }),
    ),
  },
  { title: 'AdministeredTenantChange' },
)
export type AdministeredTenantChange = Static<typeof AdministeredTenantChange>

export const NewMemberRequest = Type.Object(
  { userId: Type.String({ maxLength: 200 }), role: RoleName },
  { title: 'NewMemberRequest' },
)
