import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { hashSecret, newSecret } from '../lib/secrets.ts'
import { verifyPassword } from '../users/passwords.ts'
import { deleteLinks, insertLink, lockLink } from './store.ts'

/** What a link in a mail is for. A link for one purpose is worth nothing for another. */
const HOURS = { 'verify-email': 24 } as const
export type LinkPurpose = keyof typeof HOURS

interface NewLink {
  purpose: LinkPurpose
  userId: string
  email: string
  /** The password that who follows it must know; null: none. */
  passwordHash: string | null
}

/** Makes a link's token; only the mail ever holds it. */
export async function createLink(ctx: Ctx, tx: Tx, link: NewLink): Promise<string> {
  const { purpose, userId, email, passwordHash } = link
  const token = newSecret()
  const expires_at = new Date(ctx.now().getTime() + HOURS[purpose] * 3_600_000)
  const kept = { purpose, user_id: userId, email, password_hash: passwordHash, expires_at }
  await insertLink(tx, { hash: hashSecret(token), ...kept })
  return token
}

/** What somebody shows who follows a link. */
export interface FollowedLink {
  purpose: LinkPurpose
  token: string
  password: string | undefined
}

/** Whose link it was, and the password it was guarded with. */
export interface UsedLink {
  userId: string
  email: string
  passwordHash: string | null
}

/** Uses a link up, with all others of its person and purpose, or throws INVALID_TOKEN. A wrong password costs nothing. */
export async function useLink(
  ctx: Ctx,
  tx: Tx,
  { purpose, token, password }: FollowedLink,
): Promise<UsedLink> {
  const link = await lockLink(tx, { hash: hashSecret(token), purpose, now: ctx.now() })
  if (!link) throw new AppError('INVALID_TOKEN')
  const { user_id: userId, email, password_hash: passwordHash } = link
  if (passwordHash !== null && !(await verifyPassword(passwordHash, password ?? ''))) {
    throw new AppError('INVALID_TOKEN', { message: GUARDED, details: PASSWORD_NEEDED })
  }
  await deleteLinks(tx, { userId, purpose })
  return { userId, email, passwordHash }
}

/** Tells a guarded link from one that is not valid. */
export const PASSWORD_NEEDED = { reason: 'PASSWORD_NEEDED' }

const GUARDED =
  'Somebody else has signed up with this address too. Give the password that you chose when you asked for this link.'
