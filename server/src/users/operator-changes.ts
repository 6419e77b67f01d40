import { type AuditSource, recordAuditEvent } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { recordUserChanged } from './audit-events.ts'
import { queueNotice } from './notices.ts'
import { changeUser } from './service.ts'
import { lockUser, type User, type UserChange } from './store.ts'

/**
 * Changes an account for a declaration or an import, with the audit events and the notice of disabling. Administrators use
 * `people/changes.ts`.
 */
export async function changeDeclaredUser(
  ctx: Ctx,
  tx: Tx,
  { user, change, source }: { user: User; change: UserChange; source: AuditSource },
): Promise<void> {
  // The row may have changed since the plan was made.
  const current = (await lockUser(tx, user.id)) ?? user
  await recordUserChanged(ctx, tx, { user: current, change, source })
  await changeUser(ctx, tx, current, change)
  const { disabled = current.disabled } = change
  if (disabled !== current.disabled) await recordDisabledChange(ctx, tx, { user: current, disabled, source })
}

/** Records that an account was disabled or enabled, and notifies its owner. */
export async function recordDisabledChange(
  ctx: Ctx,
  tx: Tx,
  { user, disabled, source }: { user: User; disabled: boolean; source: AuditSource },
): Promise<void> {
  const action = disabled ? 'user.disabled' : 'user.enabled'
  await recordAuditEvent(ctx, tx, { action, ...source, userId: user.id })
  await queueNotice(ctx, tx, { to: user, kind: disabled ? 'disabled' : 'enabled' })
}
