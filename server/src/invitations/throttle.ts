import { createHash } from 'node:crypto'
import { createLimiter, type Limit } from '../db/limiter.ts'
import type { Tx } from '../db/open.ts'
import { tooManyAttempts } from '../errors.ts'
import { callerName } from '../http/callers.ts'
import type { Acting } from '../tenants/permissions.ts'

/**
 * No tenant fills the world's mailboxes, nor anybody one of them with the help of many tenants. What one does costs
 * others nothing, until a mailbox has had more than anybody would read.
 */
const PER_TENANT = { name: 'invitations', most: 2_000, seconds: 15 * 60 }
const PER_TENANT_AND_RECIPIENT = { name: 'invitations-to', most: 10, seconds: 3_600 }
const PER_SENDER_AND_RECIPIENT = { name: 'invitations-from', most: 30, seconds: 3_600 }
const PER_RECIPIENT = { name: 'invitation-mail', most: 200, seconds: 3_600 }

/** Counts one more mail, which goes out if the transaction commits, or throws RATE_LIMITED. */
export async function requireLeisure(tx: Tx, caller: Acting, email: string): Promise<void> {
  const { tenantId } = caller
  // No address stands in the counts themselves.
  const mailbox = createHash('sha256').update(email).digest('base64url')
  await requireRoom(tx, PER_TENANT, tenantId)
  await requireRoom(tx, PER_TENANT_AND_RECIPIENT, `${tenantId}:${mailbox}`)
  await requireRoom(tx, PER_SENDER_AND_RECIPIENT, `${callerName(caller)}:${mailbox}`)
  await requireRoom(tx, PER_RECIPIENT, mailbox)
}

async function requireRoom(tx: Tx, limit: Limit, key: string): Promise<void> {
  const wait = await createLimiter(tx, limit).count(key)
  if (wait !== undefined) throw tooManyAttempts(wait)
}
