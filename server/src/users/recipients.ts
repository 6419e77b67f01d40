import { createHash } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { createLimiter } from '../db/limiter.ts'

const MOST = 5
const SECONDS = 3_600

/**
 * Whether an address has had as many mails of one kind as it may within an hour: nobody's mailbox is filled by others
 * who give it for theirs. Counts one more. No address stands in the count itself.
 */
export async function isTired({ db }: Pick<Ctx, 'db'>, kind: string, email: string): Promise<boolean> {
  const limiter = createLimiter(db, { name: `${kind}-mail`, most: MOST, seconds: SECONDS })
  const mailbox = createHash('sha256').update(email).digest('base64url')
  return (await limiter.count(mailbox)) !== undefined
}
