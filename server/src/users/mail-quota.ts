import { createHash } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { createLimiter } from '../db/limiter.ts'

const MAX_MAILS = 5
const WINDOW_SECONDS = 3_600

/**
 * Counts a mail of this kind to the address, and returns whether the hourly quota is exceeded. It protects mailboxes from
 * requests of other people. The counter key holds a hash instead of the address. Not for invitations: see
 * `invitations/throttle.ts`.
 */
export async function isOverMailQuota(ctx: Pick<Ctx, 'db'>, kind: string, email: string): Promise<boolean> {
  return (await findMailQuotaWait(ctx, kind, email)) !== undefined
}

/** Counts in the same way. Returns the seconds to wait if the quota is exceeded. */
export async function findMailQuotaWait(
  { db }: Pick<Ctx, 'db'>,
  kind: string,
  email: string,
): Promise<number | undefined> {
  const limiter = createLimiter(db, { name: `${kind}-mail`, max: MAX_MAILS, seconds: WINDOW_SECONDS })
  const mailbox = createHash('sha256').update(email).digest('base64url')
  return limiter.count(mailbox)
}
