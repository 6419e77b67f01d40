import { record, type Source } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { Role } from '../db/tables.ts'
import { OperatorError } from '../errors.ts'
import { newId } from '../lib/ids.ts'
import { findActiveOwner, listUserIdsByEmail, lockTenant, putMembership } from './store.ts'

export interface NewMember {
  /** In canonical form. */
  email: string
  role: Role
}

/** The operator makes these people ACTIVE members, without an invitation. A tenant that has an owner keeps one. */
export async function enrol(
  ctx: Ctx,
  tx: Tx,
  { tenantId, members, source }: { tenantId: string; members: NewMember[]; source: Source },
): Promise<void> {
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
    const details = { after: { role, status: 'ACTIVE' } }
    await record(ctx, tx, { action: 'member.added', ...source, tenantId, userId, details })
  }
  if (owned && !(await findActiveOwner(tx, tenantId))) {
    throw new OperatorError('A tenant that has an owner must keep one: name another owner first.')
  }
}
