import { type Static, Type } from 'typebox'
import { CursorPagination, pageQuery } from '../../http/routing/pagination.ts'
import { CreatedInvitation } from '../invitation-body.ts'
import { RoleName, UpdateTenantRequest } from '../schema.ts'
import { AdminTenant } from './tenant-body.ts'

export const ByMember = Type.Object({ id: Type.String(), userId: Type.String() })

export const SORTS = ['-createdAt', 'name', 'slug'] as const

export const TenantQuery = Type.Object({
  ...pageQuery,
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'A prefix of the name or the slug, case-insensitive' }),
  ),
  sort: Type.Unsafe<(typeof SORTS)[number]>({
    ...Type.Enum([...SORTS]),
    default: '-createdAt',
    description: 'Newest first, or by name or slug',
  }),
  suspended: Type.Optional(Type.Boolean({ description: 'true: only suspended tenants; false: only others' })),
  userId: Type.Optional(Type.String({ maxLength: 200, description: 'Only tenants that this user is a member of' })),
  after: Type.Optional(
    Type.String({
      maxLength: 2_000,
      description: 'The `next` value of the previous page, instead of `page`',
    }),
  ),
})
export type TenantQuery = Static<typeof TenantQuery>

export const TenantPage = Type.Object(
  {
    tenants: Type.Array(AdminTenant),
    pagination: CursorPagination,
  },
  { title: 'AdminTenantPage' },
)
export type TenantPage = Static<typeof TenantPage>

export const UpdateAdminTenantRequest = Type.Object(
  {
    // Only the tenant itself can allow support access.
    ...Type.Omit(UpdateTenantRequest, ['supportAccess']).properties,
    slug: Type.Optional(Type.String({ maxLength: 1_000 })),
    brandingApproved: Type.Optional(
      Type.Boolean({ description: 'true: its branding may be shown before the sign-in' }),
    ),
    emailCodes: Type.Optional(
      Type.Boolean({ description: 'true: its members may sign in with a code that is mailed to them' }),
    ),
    suspended: Type.Optional(
      Type.Boolean({ description: 'true: nobody can act for the tenant until it is false again' }),
    ),
  },
  { title: 'UpdateAdminTenantRequest' },
)
export type UpdateAdminTenantRequest = Static<typeof UpdateAdminTenantRequest>

export const AddMemberRequest = Type.Object(
  { userId: Type.String({ maxLength: 200 }), role: RoleName },
  { title: 'AddMemberRequest' },
)

export const CreateAdminTenantRequest = Type.Object(
  {
    name: Type.String({
      maxLength: 1_000,
      description: '1 to 120 characters, without the space around them; no web address',
    }),
    slug: Type.Optional(
      Type.String({
        maxLength: 1_000,
        description: 'Small letters, digits and hyphens; made from the name when it is left out',
      }),
    ),
    mfaPolicy: Type.Optional(Type.Enum(['OPTIONAL', 'REQUIRED'])),
    // Without `properties`: the validator would remove unknown ones.
    settings: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'At most 16 KiB as JSON' }),
    ),
    ownerId: Type.Optional(
      Type.String({ maxLength: 200, description: 'Who becomes the owner; instead of ownerEmail' }),
    ),
    ownerEmail: Type.Optional(
      Type.String({
        maxLength: 1_000,
        description: 'A user with this address becomes the owner; otherwise the address is invited as owner',
      }),
    ),
  },
  { title: 'CreateAdminTenantRequest' },
)
export type CreateAdminTenantRequest = Static<typeof CreateAdminTenantRequest>

export const CreatedAdminTenant = Type.Object(
  {
    ...AdminTenant.properties,
    invitation: Type.Union([CreatedInvitation, Type.Null()], {
      description: 'The invitation of the future owner; null when nobody was invited',
    }),
  },
  { title: 'CreatedAdminTenant' },
)
export type CreatedAdminTenant = Static<typeof CreatedAdminTenant>
