import { findChanges } from '../audit/changes.ts'
import { type AuditSource, recordAuditEvent } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { PROFILE_COLUMNS } from './profile-fields.ts'
import type { User, UserChange } from './store.ts'

/** Audit events of operator actions on accounts. Names go into `personal`, which is erased with the account. */

const RIGHTS = {
  superAdmin: 'is_super_admin',
  passwordSignIn: 'password_sign_in',
  emailVerified: 'email_verified',
} as const satisfies Record<string, keyof User>

const pick = (columns: Record<string, keyof User>, user: Partial<User>) =>
  Object.fromEntries(Object.entries(columns).map(([field, column]) => [field, user[column]]))

export async function recordUserCreated(
  ctx: Ctx,
  tx: Tx,
  user: Partial<User> & Pick<User, 'id' | 'email'>,
  source: AuditSource,
): Promise<void> {
  const after = { ...pick(RIGHTS, user), hasPassword: user.password_hash !== null }
  await recordAuditEvent(ctx, tx, {
    action: 'user.created',
    ...source,
    userId: user.id,
    details: { after },
    personal: { email: user.email, ...pick(PROFILE_COLUMNS, user) },
  })
}

/** Records nothing when neither rights nor names change. */
export async function recordUserChanged(
  ctx: Ctx,
  tx: Tx,
  { user, change, source }: { user: User; change: UserChange; source: AuditSource },
): Promise<void> {
  const changed = { ...user, ...change }
  const unchanged = { before: {}, after: {} }
  const rights = findChanges(pick(RIGHTS, user), pick(RIGHTS, changed)) ?? unchanged
  const names = findChanges(pick(PROFILE_COLUMNS, user), pick(PROFILE_COLUMNS, changed)) ?? unchanged
  const fields = Object.keys({ ...rights.after, ...names.after })
  if (fields.length === 0) return
  await recordAuditEvent(ctx, tx, {
    action: 'user.changed',
    ...source,
    userId: user.id,
    details: { fields, ...rights },
    personal: { email: user.email, ...names },
  })
}
