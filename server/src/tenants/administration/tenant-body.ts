import { type Static, Type } from 'typebox'
import { Timestamp } from '../../http/routing/schema.ts'
import type { TenantWithCount } from '../store.ts'

/** A tenant as operators see it. */
export const AdminTenant = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    slug: Type.String({ description: 'The unique name of the tenant in URLs' }),
    settings: Type.Object({}, { additionalProperties: true }),
    mfaPolicy: Type.Enum(['OPTIONAL', 'REQUIRED']),
    memberCount: Type.Integer({ description: 'ACTIVE members' }),
    brandingApproved: Type.Boolean({ description: 'Its branding may be shown before the sign-in' }),
    emailCodes: Type.Boolean({ description: 'Its members may sign in with a code that is mailed to them' }),
    supportAccess: Type.Boolean({ description: 'It allows operators to act as its members' }),
    language: Type.Union([Type.String(), Type.Null()], {
      description: 'The default language of its hosted pages and mails; null: none',
    }),
    suspended: Type.Boolean({ description: 'Nobody can act for it' }),
    suspendedAt: Type.Union([Timestamp, Type.Null()], {
      description: 'When it was suspended; null: it is not suspended',
    }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { title: 'AdminTenant' },
)
export type AdminTenant = Static<typeof AdminTenant>

export const toAdministeredTenant = (tenant: TenantWithCount): AdminTenant => ({
  id: tenant.id,
  name: tenant.name,
  slug: tenant.slug,
  settings: tenant.settings,
  mfaPolicy: tenant.mfa_policy,
  memberCount: tenant.member_count,
  brandingApproved: tenant.branding_approved,
  emailCodes: tenant.email_codes,
  supportAccess: tenant.support_access,
  language: tenant.language,
  suspended: tenant.suspended_at !== null,
  suspendedAt: tenant.suspended_at?.toISOString() ?? null,
  createdAt: tenant.created_at.toISOString(),
  updatedAt: tenant.updated_at.toISOString(),
})
