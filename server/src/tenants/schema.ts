import { type Static, Type } from 'typebox'
import { Timestamp } from '../http/routing/schema.ts'
import { LANGUAGES } from '../languages/languages.ts'

export const RoleName = Type.Enum(['owner', 'admin', 'member'])
const MfaPolicyName = Type.Enum(['OPTIONAL', 'REQUIRED'])

/** Any string is accepted: an invalid id gets the same response as an unknown one. */
export const ByTenant = Type.Object({ id: Type.String() })

const tenant = {
  id: Type.String(),
  name: Type.String(),
  slug: Type.String({ description: 'The unique name of the tenant in URLs' }),
}
const settings = Type.Object(
  {},
  { additionalProperties: true, description: 'Any data of the tenant; at most 16 KiB as JSON' },
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
          Type.Boolean({ description: 'true: suspended, nobody can act for it; otherwise left out' }),
        ),
        createdAt: Timestamp,
      }),
      { description: 'By name' },
    ),
  },
  { title: 'OwnTenants' },
)

const name = Type.String({
  description: '1 to 120 characters after trimming; no web address',
  maxLength: 1_000,
})

export const CreateTenantRequest = Type.Object(
  {
    name,
    slug: Type.Optional(
      Type.String({
        maxLength: 1_000,
        description: 'Lowercase letters, digits and hyphens; derived from the name when left out',
      }),
    ),
  },
  { title: 'CreateTenantRequest' },
)

export const CreatedTenant = Type.Object({ ...tenant, createdAt: Timestamp }, { title: 'CreatedTenant' })

const supportAccess = Type.Optional(
  Type.Boolean({
    description: 'Operators may act as members, for support; only on instances with SUPPORT_ACCESS, by default false',
  }),
)

/** Stored tags are strings here, as an earlier release may have fewer languages. */
const language = Type.Optional(
  Type.String({ description: 'The default language of its hosted pages and mails; left out when there is none' }),
)

export const LanguageChoice = Type.Union([Type.Enum([...LANGUAGES]), Type.Null()], {
  description: 'The default language of its hosted pages and mails; null: none',
})

export const TenantBody = Type.Object(
  {
    ...tenant,
    settings,
    mfaPolicy: MfaPolicyName,
    supportAccess,
    language,
    memberCount,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'Tenant' },
)
export type TenantBody = Static<typeof TenantBody>

export const UpdateTenantRequest = Type.Object(
  {
    name: Type.Optional(name),
    // Declares no properties, so that the validator does not remove unknown ones.
    settings: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        description: 'A merge patch for the current settings (RFC 7396): null removes a key',
      }),
    ),
    mfaPolicy: Type.Optional(MfaPolicyName),
    supportAccess,
    language: Type.Optional(LanguageChoice),
  },
  { title: 'UpdateTenantRequest' },
)

export const UpdatedTenant = Type.Object(
  {
    ...tenant,
    settings,
    mfaPolicy: MfaPolicyName,
    supportAccess,
    language,
    updatedAt: Timestamp,
  },
  { title: 'UpdatedTenant' },
)
