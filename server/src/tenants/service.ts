import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { MfaPolicy, Role } from '../db/tables.ts'
import { AppError, OperatorError } from '../errors.ts'
import { newId } from '../lib/ids.ts'
import { isSlug, NAME_RULE, parseName, SLUG_RULE } from '../lib/names.ts'
import { demand, refuseProblems } from '../lib/problems.ts'
import {
  findActiveOwner,
  findTenantBySlug,
  insertTenant,
  listUserIdsByEmail,
  lockTenant,
  putMembership,
  type Tenant,
  updateTenant,
} from './store.ts'

/** Tenants: the organisations whose people sign in. A person may belong to several, with a role in each. */

/** They could be read as a part of the service in an address such as `https://<slug>.example.com`. */
const RESERVED_SLUGS = [
  'admin',
  'api',
  'app',
  'auth',
  'console',
  'dev',
  'docs',
  'health',
  'help',
  'id',
  'login',
  'logout',
  'mail',
  'metrics',
  'oauth',
  'oidc',
  'public',
  'root',
  'signup',
  'sso',
  'static',
  'status',
  'support',
  'system',
  'well-known',
  'www',
]

export interface TenantSettings {
  slug: string
  name: string
  mfaPolicy: MfaPolicy
}

export interface NewMember {
  /** In canonical form. */
  email: string
  role: Role
}

export function checkTenant({ slug, name }: Pick<TenantSettings, 'slug' | 'name'>): void {
  refuseProblems([
    demand(parseName(name) !== undefined, 'name', NAME_RULE),
    demand(isSlug(slug), 'slug', SLUG_RULE),
    demand(!RESERVED_SLUGS.includes(slug), 'slug', 'is a reserved word'),
  ])
}

export async function createTenant(
  ctx: Ctx,
  tx: Tx,
  { slug, name, mfaPolicy }: Pick<TenantSettings, 'slug' | 'name'> & Partial<TenantSettings>,
): Promise<Tenant> {
  checkTenant({ slug, name })
  const now = ctx.now()
  const tenant = await insertTenant(tx, {
    id: newId(),
    slug,
    name: name.trim(),
    mfa_policy: mfaPolicy ?? 'OPTIONAL',
    created_at: now,
    updated_at: now,
  })
  if (!tenant) throw new AppError('SLUG_TAKEN')
  return tenant
}

export async function changeTenant(
  ctx: Ctx,
  tx: Tx,
  id: string,
  { name, mfaPolicy }: Partial<Pick<TenantSettings, 'name' | 'mfaPolicy'>>,
): Promise<void> {
  refuseProblems([demand(name === undefined || parseName(name) !== undefined, 'name', NAME_RULE)])
  await updateTenant(tx, id, { name: name?.trim(), mfa_policy: mfaPolicy, updated_at: ctx.now() })
}

/** The operator makes these people ACTIVE members, without an invitation. A tenant that has an owner keeps one. */
export async function enrol(ctx: Ctx, tx: Tx, tenantId: string, members: NewMember[]): Promise<void> {
  await lockTenant(tx, tenantId)
  const owned = await findActiveOwner(tx, tenantId)
  const users = await listUserIdsByEmail(
    tx,
    members.map(({ email }) => email),
  )
  const idOf = new Map(users.map(({ id, email }) => [email, id]))
  const now = ctx.now()
  const common = {
    tenant_id: tenantId,
    status: 'ACTIVE',
    joined_at: now,
    created_at: now,
    updated_at: now,
  } as const
  for (const { email, role } of members) {
    const userId = idOf.get(email)
    if (!userId) throw new OperatorError(`There is no user ${email}, or the account is about to be deleted.`)
    await putMembership(tx, { ...common, id: newId(), user_id: userId, role })
  }
  if (owned && !(await findActiveOwner(tx, tenantId))) {
    throw new OperatorError('A tenant that has an owner must keep one: name another owner first.')
  }
}

export const findTenant = (ctx: Ctx, slug: string): Promise<Tenant | undefined> =>
  findTenantBySlug(ctx.db, slug)
