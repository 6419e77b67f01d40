import { record, SYSTEM } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { yielding } from '../db/violations.ts'
import { defineJob } from '../jobs/job.ts'
import { dropInvited } from '../tenants/invited.ts'
import { forgetPlaceholders } from '../users/placeholders.ts'
import { expireInvitations } from './store.ts'

/** One at a time: whoever holds few things is waited for by few. */
const BATCH = 1

/**
 * Puts down what the clock has decided: overdue invitations are EXPIRED and their members to be are gone. Nothing waits
 * for it, as whoever asks meanwhile goes by the clock too. Returns how many there were.
 */
export async function expire(
  ctx: Ctx,
  tx: Tx,
  { of }: { of?: { tenantId: string; email: string } } = {},
): Promise<number> {
  const expired = await expireInvitations(tx, { now: ctx.now(), limit: BATCH, ...(of && { of }) })
  for (const { id, tenant_id: tenantId, user_id: userId, email } of expired) {
    const details = { invitationId: id, before: { status: 'PENDING' }, after: { status: 'EXPIRED' } }
    const entry = {
      action: 'invitation.expired',
      actor: SYSTEM,
      tenantId,
      details,
      personal: { email },
    } as const
    const inviteeId = userId ? await dropInvited(tx, { tenantId, userId }) : undefined
    await record(ctx, tx, { ...entry, ...(inviteeId && { userId: inviteeId }) })
  }
  return expired.length
}

export const expireInvitationsJob = defineJob<unknown>({
  name: 'expire_invitations',
  schedule: '23 * * * *',
  async run(ctx) {
    const some = () => yielding(() => ctx.db.transaction().execute((tx) => expire(ctx, tx)))
    while ((await some()) === BATCH);
    await forgetPlaceholders(ctx.db)
  },
})
