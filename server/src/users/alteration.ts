import { record, type Source } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { notify } from './notices.ts'
import { noteChange } from './operated.ts'
import { changeUser } from './service.ts'
import { lockUser, type User, type UserChange } from './store.ts'

/** An operator changes an account by a command. The log tells of it, and whoever is disabled by it is told. */
export async function alterUser(
  ctx: Ctx,
  tx: Tx,
  { user, change, source }: { user: User; change: UserChange; source: Source },
): Promise<void> {
  // They may have changed something themselves since it was decided.
  const now = (await lockUser(tx, user.id)) ?? user
  await noteChange(ctx, tx, { user: now, change, source })
  await changeUser(ctx, tx, now, change)
  const { disabled = now.disabled } = change
  if (disabled !== now.disabled) await tellDisabled(ctx, tx, { user: now, disabled, source })
}

/** An operator has closed an account, or opened it again. */
export async function tellDisabled(
  ctx: Ctx,
  tx: Tx,
  { user, disabled, source }: { user: User; disabled: boolean; source: Source },
): Promise<void> {
  const action = disabled ? 'user.disabled' : 'user.enabled'
  await record(ctx, tx, { action, ...source, userId: user.id })
  await notify(ctx, tx, { to: user, kind: disabled ? 'disabled' : 'enabled' })
}
