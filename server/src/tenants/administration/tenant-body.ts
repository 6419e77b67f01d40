import { type Static, Type } from 'typebox'
import type { TenantWithCount } from '../store.ts'

const Moment = Type.String({ format: 'date-time' })

/** A tenant as those who run the instance see it. */
export const AdministeredTenant = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    slug: Type.String({ description: 'Names the tenant in addresses; no two have the same' }),
    settings: Type.Object({}, { additionalProperties: true }),
    mfaPolicy: Type.Enum(['OPTIONAL', 'REQUIRED']),
    memberCount: Type.Integer({ description: 'ACTIVE members' }),
    brandingApproved: Type.Boolean({ description: 'Its branding may be shown before the sign-in' }),
    suspended: Type.Boolean({ description: 'Nobody can act for it' }),
    suspendedAt: Type.Union([Moment, Type.Null()], { description: 'Since when it is; null: it is not' }),
    createdAt: Moment,
    updatedAt: Moment,
  },
  { title: 'AdministeredTenant' },
)
export type AdministeredTenant = Static<typeof AdministeredTenant>

export const toAdministered = (tenant: TenantWithCount): AdministeredTenant => ({
  id: tenant.id,
  name: tenant.name,
  slug: tenant.slug,
  settings: tenant.settings,
  mfaPolicy: tenant.mfa_policy,
  memberCount: tenant.member_count,
  brandingApproved: tenant.branding_approved,
  suspended: tenant.suspended_at !== null,
  suspendedAt: tenant.suspended_at?.toISOString() ?? null,
  createdAt: tenant.created_at.toISOString(),
  updatedAt: tenant.updated_at.toISOString(),
})
