import { type Action, type AuditSource, recordAuditEvent } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { Role } from '../db/tables.ts'
import { OperatorError } from '../errors.ts'
import { newId } from '../lib/ids.ts'
import {
  findActiveOwner,
  listMembersForDeclaration,
  listUserIdsByEmail,
  lockTenant,
  type Member,
  upsertMembership,
} from './store.ts'

export interface NewMember {
  /** In canonical form. */
  email: string
  role: Role
  status: 'ACTIVE' | 'SUSPENDED'
}

/** Adds or updates members without an invitation. The last owner of a tenant cannot be removed. */
export async function enrollMembers(
  ctx: Ctx,
  tx: Tx,
  { tenantId, members, source }: { tenantId: string; members: NewMember[]; source: AuditSource },
): Promise<void> {
  await lockTenant(tx, tenantId)
  const ownerBefore = await findActiveOwner(tx, tenantId)
  const emails = members.map(({ email }) => email)
  const userIds = new Map((await listUserIdsByEmail(tx, emails)).map(({ id, email }) => [email, id]))
  const existing = new Map((await listMembersForDeclaration(tx, [tenantId])).map((member) => [member.email, member]))
  const now = ctx.now()
  const common = { tenant_id: tenantId, joined_at: now, created_at: now, updated_at: now } as const
  for (const { email, role, status } of members) {
    const userId = userIds.get(email)
    if (!userId) throw new OperatorError(`There is no user ${email}, or the account is about to be deleted.`)
    await upsertMembership(tx, { ...common, id: newId(), user_id: userId, role, status })
    for (const event of toAuditEvents(existing.get(email), { role, status })) {
      await recordAuditEvent(ctx, tx, { ...event, ...source, tenantId, userId })
    }
  }
  if (ownerBefore && !(await findActiveOwner(tx, tenantId))) {
    throw new OperatorError('A tenant that has an owner must keep one: name another owner first.')
  }
}

type MemberState = Pick<NewMember, 'role' | 'status'>

/** One event for a new member; for an existing one, an event for each changed field. */
function toAuditEvents(
  before: Member | undefined,
  after: MemberState,
): { action: Action; details: Record<string, unknown> }[] {
  if (!before || before.status === 'INVITED') return [{ action: 'member.added', details: { after } }]
  const toDetails = (field: keyof MemberState) => ({
    before: { [field]: before[field] },
    after: { [field]: after[field] },
  })
  const statusAction = after.status === 'SUSPENDED' ? 'member.suspended' : 'member.reactivated'
  return [
    ...(before.role === after.role ? [] : [{ action: 'member.role_changed', details: toDetails('role') } as const]),
    ...(before.status === after.status ? [] : [{ action: statusAction, details: toDetails('status') } as const]),
  ]
}
