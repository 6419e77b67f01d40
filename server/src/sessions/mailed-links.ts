import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { hashSecret, newSecret } from '../lib/secrets.ts'
import { replaceLink, takeLink } from './store.ts'

/** What a link in a mail is for. A link for one purpose is worth nothing for another. */
const HOURS = { 'verify-email': 24 } as const
export type LinkPurpose = keyof typeof HOURS

interface NewLink {
  purpose: LinkPurpose
  userId: string
  email: string
  /** Becomes the person's password once the link is followed; null leaves theirs as it is. */
  passwordHash: string | null
}

/** Makes a link's token; only the mail ever holds it. */
export async function createLink(
  ctx: Ctx,
  tx: Tx,
  { purpose, userId, email, passwordHash }: NewLink,
): Promise<string> {
  const token = newSecret()
  const expires_at = new Date(ctx.now().getTime() + HOURS[purpose] * 3_600_000)
  const kept = { purpose, user_id: userId, email, password_hash: passwordHash, expires_at }
  await replaceLink(tx, { hash: hashSecret(token), ...kept })
  return token
}

/** Uses a link up, or throws INVALID_TOKEN. */
export async function useLink(
  ctx: Ctx,
  tx: Tx,
  { purpose, token }: { purpose: LinkPurpose; token: string },
): Promise<{ userId: string; email: string; passwordHash: string | null }> {
  const link = await takeLink(tx, { hash: hashSecret(token), purpose, now: ctx.now() })
  if (!link) throw new AppError('INVALID_TOKEN')
  return { userId: link.user_id, email: link.email, passwordHash: link.password_hash }
}
