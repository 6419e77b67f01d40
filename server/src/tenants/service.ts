import { findChanges } from '../audit/changes.ts'
import { record, type Source } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { MfaPolicy } from '../db/tables.ts'
import { isTaken } from '../db/violations.ts'
import { AppError } from '../errors.ts'
import type { Person } from '../http/callers.ts'
import { newId } from '../lib/ids.ts'
import { isSlug, NAME_RULE, parseName, SLUG_RULE, slugFrom, slugWithSuffix } from '../lib/names.ts'
import { demand, refuseProblems } from '../lib/problems.ts'
import { holdsWebAddress, isPlainLine, NO_WEB_ADDRESS } from '../lib/text.ts'
import { graceFor } from './mfa-policy.ts'
import { isReserved } from './reserved-slugs.ts'
import { mergeSettings, type Settings } from './settings.ts'
import {
  deleteTenant,
  findTenantById,
  findTenantBySlug,
  insertTenant,
  type Tenant,
  updateTenant,
} from './store.ts'

/** Tenants: the organisations whose people sign in. A person may belong to several, with a role in each. */

export interface NewTenant {
  name: string
  /** Made from the name when it is not given. */
  slug?: string | undefined
  mfaPolicy?: MfaPolicy | undefined
  settings?: Settings | undefined
}

export interface TenantChange {
  name?: string
  slug?: string
  mfaPolicy?: MfaPolicy
  /** Merged into those there are. */
  settings?: Settings
  /** For operators alone. */
  brandingApproved?: boolean
}

/** What is not given is not looked at. */
export function checkTenant({ slug, name }: Partial<Pick<NewTenant, 'slug' | 'name'>>): void {
  refuseProblems([
    ...(name === undefined ? [] : nameProblems(name)),
    ...(slug === undefined ? [] : slugProblems(slug)),
  ])
}

const nameProblems = (name: string) => [
  demand(parseName(name) !== undefined, 'name', NAME_RULE),
  demand(isPlainLine(name.trim()), 'name', 'must be one line without control characters'),
  demand(!holdsWebAddress(name), 'name', NO_WEB_ADDRESS),
]

const slugProblems = (slug: string) => [
  demand(isSlug(slug), 'slug', SLUG_RULE),
  demand(!isReserved(slug), 'slug', 'is a reserved word'),
]

/** How often a slug of our own making may turn out to be taken. */
const TRIES = 5

export async function createTenant(ctx: Ctx, tx: Tx, draft: NewTenant, source: Source): Promise<Tenant> {
  checkTenant(draft)
  const tenant = await insertUnderFreeSlug(ctx, tx, draft)
  const { id: tenantId, name, slug, mfa_policy: mfaPolicy } = tenant
  const settings = draft.settings && { settings: tenant.settings }
  const details = { after: { name, slug, mfaPolicy, ...settings } }
  await record(ctx, tx, { action: 'tenant.created', ...source, tenantId, details })
  return tenant
}

async function insertUnderFreeSlug(ctx: Ctx, tx: Tx, draft: NewTenant): Promise<Tenant> {
  const now = ctx.now()
  const settings = JSON.stringify(mergeSettings({}, draft.settings ?? {}))
  const common = { mfa_policy: draft.mfaPolicy ?? 'OPTIONAL', settings, created_at: now, updated_at: now }
  const wish = draft.slug ?? slugFrom(draft.name, 'tenant')
  for (let attempt = 0; attempt <= (draft.slug === undefined ? TRIES : 0); attempt++) {
    const id = newId()
    const slug = attempt > 0 || isReserved(wish) ? slugWithSuffix(wish, id.slice(-6)) : wish
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
 * Changes a tenant that nobody else changes meanwhile. What is as it should be is left alone. `setter`: the member who
 * does it, and who has time to set up a second factor that is required from now on.
 */
export async function changeTenant(
  ctx: Ctx,
  tx: Tx,
  { id, change, source, setter }: { id: string; change: TenantChange; source: Source; setter?: Person },
): Promise<Tenant> {
  const { name, slug, mfaPolicy, settings, brandingApproved } = change
  checkTenant(change)
  const tenant = await getTenant(tx, id)
  const before = stateOf(tenant)
  const after = {
    name: name?.trim() ?? before.name,
    slug: slug ?? before.slug,
    mfaPolicy: mfaPolicy ?? before.mfaPolicy,
    settings: settings === undefined ? before.settings : mergeSettings(before.settings, settings),
    brandingApproved: brandingApproved ?? before.brandingApproved,
  }
  const details = findChanges(before, after)
  if (!details) return tenant
  await record(ctx, tx, { action: 'tenant.changed', ...source, tenantId: id, details })
  return orSlugTaken(
    updateTenant(tx, id, {
      name: after.name,
      slug: after.slug,
      mfa_policy: after.mfaPolicy,
      ...(after.mfaPolicy !== before.mfaPolicy &&
        graceFor(ctx, { policy: after.mfaPolicy, setter, before: tenant })),
      settings: JSON.stringify(after.settings),
      branding_approved: after.brandingApproved,
      updated_at: ctx.now(),
    }),
  )
}

const stateOf = ({ name, slug, mfa_policy, settings, branding_approved }: Tenant) => ({
  name,
  slug,
  mfaPolicy: mfa_policy,
  settings,
  brandingApproved: branding_approved,
})

async function orSlugTaken<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (isTaken(error, 'tenants_slug_key')) throw new AppError('SLUG_TAKEN', { cause: error })
    throw error
  }
}

/** Ends a tenant with all that is its own: members, invitations, machines, tokens. Its slug is free again. */
export async function removeTenant(
  ctx: Ctx,
  tx: Tx,
  { id, source }: { id: string; source: Source },
): Promise<void> {
  const { name, slug } = await getTenant(tx, id)
  const details = { before: { name, slug } }
  await record(ctx, tx, { action: 'tenant.deleted', ...source, tenantId: id, details })
  await deleteTenant(tx, id)
}

export const findTenant = (ctx: Ctx, slug: string): Promise<Tenant | undefined> =>
  findTenantBySlug(ctx.db, slug)
