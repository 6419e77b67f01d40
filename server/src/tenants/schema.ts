import { type Static, Type } from 'typebox'

export const RoleName = Type.Enum(['owner', 'admin', 'member'])
const MfaPolicyName = Type.Enum(['OPTIONAL', 'REQUIRED'])

/** An address such as /api/tenants/:id. Anything that is no id answers like an unknown one. */
export const ByTenant = Type.Object({ id: Type.String() })

const tenant = {
  id: Type.String(),
  name: Type.String(),
  slug: Type.String({ description: 'Names the tenant in addresses; no two have the same' }),
}
const settings = Type.Object(
  {},
  { additionalProperties: true, description: 'Whatever the tenant wants to keep; at most 16 KiB as JSON' },
)
const memberCount = Type.Integer({ description: 'ACTIVE members' })

export const OwnTenants = Type.Object(
  {
    tenants: Type.Array(
      Type.Object({
        ...tenant,
        role: RoleName,
        memberCount,
        suspended: Type.Optional(
          Type.Boolean({ description: 'true: nobody can act for it for now; left out where they can' }),
        ),
        createdAt: Type.String({ format: 'date-time' }),
      }),
      { description: 'By name' },
    ),
  },
  { title: 'OwnTenants' },
)

const name = Type.String({
  description: '1 to 120 characters, without the space around them; no web address',
  maxLength: 1_000,
})

export const NewTenantRequest = Type.Object(
  {
    name,
    slug: Type.Optional(
      Type.String({
        maxLength: 1_000,
        description: 'Small letters, digits and hyphens; made from the name when it is left out',
      }),
    ),
  },
  { title: 'NewTenantRequest' },
)

export const CreatedTenant = Type.Object(
  { ...tenant, createdAt: Type.String({ format: 'date-time' }) },
  { title: 'CreatedTenant' },
)

export const TenantBody = Type.Object(
  {
    ...tenant,
    settings,
    mfaPolicy: MfaPolicyName,
    memberCount,
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { title: 'Tenant' },
)
export type TenantBody = Static<typeof TenantBody>

export const TenantChangeRequest = Type.Object(
  {
    name: Type.Optional(name),
    // Without properties, so that the validator takes none away.
    settings: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        description: 'Merged into those there are (RFC 7396): null takes a key out',
      }),
    ),
    mfaPolicy: Type.Optional(MfaPolicyName),
  },
  { title: 'TenantChangeRequest' },
)

export const ChangedTenant = Type.Object(
  {
    ...tenant,
    settings,
    mfaPolicy: MfaPolicyName,
    updatedAt: Type.String({ format: 'date-time' }),
  },
  { title: 'ChangedTenant' },
)
