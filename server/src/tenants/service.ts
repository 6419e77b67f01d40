import { findChanges } from '../audit/changes.ts'
import { type AuditSource, recordAuditEvent } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { isUniqueViolation } from '../db/errors.ts'
import type { Tx } from '../db/open.ts'
import type { MfaPolicy } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import type { Person } from '../http/routing/callers.ts'
import { t } from '../languages/translate.ts'
import { checkField, throwIfInvalid } from '../lib/field-validation.ts'
import { newId } from '../lib/ids.ts'
import { isSlug, nameRule, parseName, slugRule, slugWithSuffix, toSlug } from '../lib/names.ts'
import { containsWebAddress, isPlainLine, NO_WEB_ADDRESS } from '../lib/text.ts'
import { toMfaGrace } from './mfa-policy.ts'
import { isReserved } from './reserved-slugs.ts'
import { mergeSettings, type Settings } from './settings.ts'
import {
  deleteTenant,
  findTenantById,
  findTenantBySlug,
  insertTenant,
  listMembershipsOf,
  type Tenant,
  updateTenant,
} from './store.ts'
import { mailSupportAllowed } from './support-access-mail.ts'

/** Tenants: the organizations that users belong to. A user may be a member of several, with a role in each. */

/** Re-exported for other slices, which must not import the store. */
export { listMembershipsOf }

export interface NewTenant {
  name: string
  /** Derived from the name when left out. */
  slug?: string | undefined
  mfaPolicy?: MfaPolicy | undefined
  settings?: Settings | undefined
}

export interface TenantChange {
  name?: string
  slug?: string
  mfaPolicy?: MfaPolicy
  /** Merged into the current settings. */
  settings?: Settings
  /** Only operators may set this. */
  brandingApproved?: boolean
  /** Members may sign in with a mailed code. Only operators may set this. */
  emailCodes?: boolean
  /** Operators may act as members. */
  supportAccess?: boolean
  /** Null: none. */
  language?: string | null
}

/** Omitted fields are not checked. */
export function validateTenant({ slug, name }: Partial<Pick<NewTenant, 'slug' | 'name'>>): void {
  throwIfInvalid([
    ...(name === undefined ? [] : findNameProblems(name)),
    ...(slug === undefined ? [] : findSlugProblems(slug)),
  ])
}

const findNameProblems = (name: string) => [
  checkField(parseName(name) !== undefined, 'name', nameRule()),
  checkField(isPlainLine(name.trim()), 'name', t('must be one line without control characters')),
  checkField(!containsWebAddress(name), 'name', t(NO_WEB_ADDRESS)),
]

const findSlugProblems = (slug: string) => [
  checkField(isSlug(slug), 'slug', slugRule()),
  checkField(!isReserved(slug), 'slug', t('is a reserved word')),
]

/** How many suffixes are tried when a derived slug is taken. */
const MAX_SUFFIX_ATTEMPTS = 5

export async function createTenant(ctx: Ctx, tx: Tx, draft: NewTenant, source: AuditSource): Promise<Tenant> {
  validateTenant(draft)
  const tenant = await insertWithFreeSlug(ctx, tx, draft)
  const { id: tenantId, name, slug, mfa_policy: mfaPolicy } = tenant
  const settings = draft.settings && { settings: tenant.settings }
  const details = { after: { name, slug, mfaPolicy, ...settings } }
  await recordAuditEvent(ctx, tx, { action: 'tenant.created', ...source, tenantId, details })
  return tenant
}

async function insertWithFreeSlug(ctx: Ctx, tx: Tx, draft: NewTenant): Promise<Tenant> {
  const now = ctx.now()
  const settings = JSON.stringify(mergeSettings({}, draft.settings ?? {}))
  const common = { mfa_policy: draft.mfaPolicy ?? 'OPTIONAL', settings, created_at: now, updated_at: now }
  const preferredSlug = draft.slug ?? toSlug(draft.name, 'tenant')
  for (let attempt = 0; attempt <= (draft.slug === undefined ? MAX_SUFFIX_ATTEMPTS : 0); attempt++) {
    const id = newId()
    const slug = attempt > 0 || isReserved(preferredSlug) ? slugWithSuffix(preferredSlug, id.slice(-6)) : preferredSlug
    const tenant = await insertTenant(tx, { id, slug, name: draft.name.trim(), ...common })
    if (tenant) return tenant
  }
  throw new AppError('SLUG_TAKEN')
}

export async function getTenant(tx: Tx, id: string): Promise<Tenant> {
  const tenant = await findTenantById(tx, id)
  if (!tenant) throw new AppError('TENANT_NOT_FOUND')
  return tenant
}

/**
 * Changes a tenant, which the caller must have locked. A change without effect is not recorded. `setter` is the member
 * who makes the change and gets a grace period when it starts to require a second factor.
 */
export async function changeTenant(
  ctx: Ctx,
  tx: Tx,
  { id, change, source, setter }: { id: string; change: TenantChange; source: AuditSource; setter?: Person },
): Promise<Tenant> {
  const { name, slug, mfaPolicy, settings, brandingApproved, emailCodes, supportAccess, language } = change
  validateTenant(change)
  const tenant = await getTenant(tx, id)
  const before = toAuditState(tenant)
  const after = {
    name: name?.trim() ?? before.name,
    slug: slug ?? before.slug,
    mfaPolicy: mfaPolicy ?? before.mfaPolicy,
    settings: settings === undefined ? before.settings : mergeSettings(before.settings, settings),
    brandingApproved: brandingApproved ?? before.brandingApproved,
    emailCodes: emailCodes ?? before.emailCodes,
    supportAccess: supportAccess ?? before.supportAccess,
    language: language === undefined ? before.language : language,
  }
  const details = findChanges(before, after)
  if (!details) return tenant
  await recordAuditEvent(ctx, tx, { action: 'tenant.changed', ...source, tenantId: id, details })
  if (after.supportAccess && !before.supportAccess)
    await mailSupportAllowed(ctx, tx, { tenant: { id, name: after.name }, source })
  return rejectTakenSlug(
    updateTenant(tx, id, {
      name: after.name,
      slug: after.slug,
      mfa_policy: after.mfaPolicy,
      ...(after.mfaPolicy !== before.mfaPolicy && toMfaGrace(ctx, { policy: after.mfaPolicy, setter, before: tenant })),
      settings: JSON.stringify(after.settings),
      branding_approved: after.brandingApproved,
      email_codes: after.emailCodes,
      support_access: after.supportAccess,
      language: after.language,
      updated_at: ctx.now(),
    }),
  )
}

const toAuditState = ({ name, slug, mfa_policy, settings, ...tenant }: Tenant) => ({
  name,
  slug,
  mfaPolicy: mfa_policy,
  settings,
  brandingApproved: tenant.branding_approved,
  emailCodes: tenant.email_codes,
  supportAccess: tenant.support_access,
  language: tenant.language,
})

async function rejectTakenSlug<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (isUniqueViolation(error, 'tenants_slug_key')) throw new AppError('SLUG_TAKEN', { cause: error })
    throw error
  }
}

/** Deletes a tenant with its memberships, invitations, MACHINE clients and tokens. Its slug becomes available again. */
export async function removeTenant(
  ctx: Ctx,
  tx: Tx,
  { id, source }: { id: string; source: AuditSource },
): Promise<void> {
  const { name, slug } = await getTenant(tx, id)
  const details = { before: { name, slug } }
  await recordAuditEvent(ctx, tx, { action: 'tenant.deleted', ...source, tenantId: id, details })
  await deleteTenant(tx, id)
}

export const findTenant = (ctx: Ctx, slug: string): Promise<Tenant | undefined> => findTenantBySlug(ctx.db, slug)
