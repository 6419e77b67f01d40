import { createHash } from 'node:crypto'
import { countAgainstLimit } from '../db/limiter.ts'
import type { Tx } from '../db/open.ts'
import { callerKey } from '../http/routing/callers.ts'
import type { TenantActor } from '../tenants/permissions.ts'

/**
 * Limits against mail floods: per tenant, per mailbox and tenant, and per mailbox and sender over several tenants. The
 * limit per mailbox is shared by all senders, so it is high.
 */
const PER_TENANT = { name: 'invitations', max: 2_000, seconds: 15 * 60 }
const PER_TENANT_AND_RECIPIENT = { name: 'invitations-to', max: 10, seconds: 3_600 }
const PER_SENDER_AND_RECIPIENT = { name: 'invitations-from', max: 30, seconds: 3_600 }
const PER_RECIPIENT = { name: 'invitation-mail', max: 200, seconds: 3_600 }

/**
 * Counts a mail that is sent if the transaction commits; throws RATE_LIMITED above a limit. Counts resends too; the window
 * starts with the first mail.
 */
export async function countInvitationMail(tx: Tx, caller: TenantActor, email: string): Promise<void> {
  const { tenantId } = caller
  // The counter keys hold a hash instead of the address.
  const mailbox = createHash('sha256').update(email).digest('base64url')
  await countAgainstLimit(tx, PER_TENANT, tenantId)
  await countAgainstLimit(tx, PER_TENANT_AND_RECIPIENT, `${tenantId}:${mailbox}`)
  await countAgainstLimit(tx, PER_SENDER_AND_RECIPIENT, `${callerKey(caller)}:${mailbox}`)
  await countAgainstLimit(tx, PER_RECIPIENT, mailbox)
}
