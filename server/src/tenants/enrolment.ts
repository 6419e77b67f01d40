import { type Action, record, type Source } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { Role } from '../db/tables.ts'
import { OperatorError } from '../errors.ts'
import { newId } from '../lib/ids.ts'
import {
  findActiveOwner,
  listMembers,
  listUserIdsByEmail,
  lockTenant,
  type Member,
  putMembership,
} from './store.ts'

export interface NewMember {
  /** In canonical form. */
  email: string
  role: Role
  status: 'ACTIVE' | 'SUSPENDED'
}

/** The operator makes these people members, without an invitation. A tenant that has an owner keeps one. */
export async function enrol(
  ctx: Ctx,
  tx: Tx,
  { tenantId, members, source }: { tenantId: string; members: NewMember[]; source: Source },
): Promise<void> {
  await lockTenant(tx, tenantId)
  const owned = await findActiveOwner(tx, tenantId)
  const emails = members.map(({ email }) => email)
  const idOf = new Map((await listUserIdsByEmail(tx, emails)).map(({ id, email }) => [email, id]))
  const present = await listMembers(tx, [tenantId])
  const standing = new Map(present.map((member) => [member.email, member]))
  const now = ctx.now()
  const common = { tenant_id: tenantId, joined_at: now, created_at: now, updated_at: now } as const
  for (const { email, role, status } of members) {
    const userId = idOf.get(email)
    if (!userId) throw new OperatorError(`There is no user ${email}, or the account is about to be deleted.`)
    await putMembership(tx, { ...common, id: newId(), user_id: userId, role, status })
    for (const entry of describeStep(standing.get(email), { role, status })) {
      await record(ctx, tx, { ...entry, ...source, tenantId, userId })
    }
  }
  if (owned && !(await findActiveOwner(tx, tenantId))) {
    throw new OperatorError('A tenant that has an owner must keep one: name another owner first.')
  }
}

type State = Pick<NewMember, 'role' | 'status'>

/** What the log says of somebody who becomes a member, or is one already and changes. */
function describeStep(
  before: Member | undefined,
  after: State,
): { action: Action; details: Record<string, unknown> }[] {
  if (!before || before.status === 'INVITED') return [{ action: 'member.added', details: { after } }]
  const step = (field: keyof State) => ({
    before: { [field]: before[field] },
    after: { [field]: after[field] },
  })
  const turn = after.status === 'SUSPENDED' ? 'member.suspended' : 'member.reactivated'
  return [
    ...(before.role === after.role
      ? []
      : [{ action: 'member.role_changed', details: step('role') } as const]),
    ...(before.status === after.status ? [] : [{ action: turn, details: step('status') } as const]),
  ]
}
