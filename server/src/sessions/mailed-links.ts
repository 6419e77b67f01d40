import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { hashSecret, newSecret } from '../lib/secrets.ts'
import { replaceLink, takeLink } from './store.ts'

/** What a link in a mail is for. A link for one purpose is worth nothing for another. */
const HOURS = { 'verify-email': 24 } as const
export type LinkPurpose = keyof typeof HOURS

/** Makes a link's token; only the mail ever holds it. */
export async function createLink(
  ctx: Ctx,
  tx: Tx,
  { purpose, userId, email }: { purpose: LinkPurpose; userId: string; email: string },
): Promise<string> {
  const token = newSecret()
  const expires_at = new Date(ctx.now().getTime() + HOURS[purpose] * 3_600_000)
  await replaceLink(tx, { hash: hashSecret(token), purpose, user_id: userId, email, expires_at })
  return token
}

/** Uses a link up, or throws INVALID_TOKEN. */
export async function useLink(
  ctx: Ctx,
  tx: Tx,
  { purpose, token }: { purpose: LinkPurpose; token: string },
): Promise<{ userId: string; email: string }> {
  const link = await takeLink(tx, { hash: hashSecret(token), purpose, now: ctx.now() })
  if (!link) throw new AppError('INVALID_TOKEN')
  return { userId: link.user_id, email: link.email }
}
