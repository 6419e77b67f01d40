import { recordAuditEvent, SYSTEM } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { retryOnDeadlock } from '../db/errors.ts'
import type { Tx } from '../db/open.ts'
import { defineJob } from '../jobs/job.ts'
import { deleteInvitedMember } from '../tenants/invited.ts'
import { deleteUnusedPlaceholders } from '../users/placeholders.ts'
import { expireInvitations } from './store.ts'

/** Short transactions hold few locks. */
const BATCH_SIZE = 1

/**
 * Marks overdue invitations as EXPIRED and removes their INVITED memberships. Readers compare `expires_at` with the clock,
 * so nothing depends on when this runs. Returns the number of invitations.
 */
export async function expireOverdue(
  ctx: Ctx,
  tx: Tx,
  { only }: { only?: { tenantId: string; email: string } } = {},
): Promise<number> {
  const expired = await expireInvitations(tx, { now: ctx.now(), limit: BATCH_SIZE, ...(only && { only }) })
  for (const { id, tenant_id: tenantId, user_id: userId, email } of expired) {
    const inviteeId = userId ? await deleteInvitedMember(tx, { tenantId, userId }) : undefined
    await recordAuditEvent(ctx, tx, {
      action: 'invitation.expired',
      actor: SYSTEM,
      tenantId,
      ...(inviteeId && { userId: inviteeId }),
      details: { invitationId: id, before: { status: 'PENDING' }, after: { status: 'EXPIRED' } },
      personal: { email },
    })
  }
  return expired.length
}

export const expireInvitationsJob = defineJob<unknown>({
  name: 'expire_invitations',
  schedule: '23 * * * *',
  async run(ctx) {
    const expireBatch = () => retryOnDeadlock(() => ctx.db.transaction().execute((tx) => expireOverdue(ctx, tx)))
    while ((await expireBatch()) === BATCH_SIZE);
    await deleteUnusedPlaceholders(ctx.db)
  },
})
