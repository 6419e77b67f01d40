import type { Lifetimes } from '../config/lifetimes.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { Names } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { hashSecret, newSecret } from '../lib/secrets.ts'
import { verifyPassword } from '../users/passwords.ts'
import { lockUser } from '../users/service.ts'
import { deleteLinks, findGoodLink, insertLink, lockLink, replaceGuard } from './store.ts'

/** What a link in a mail is for, and how long it is good. A link for one purpose is worth nothing for another. */
const LIFETIMES = {
  'verify-email': 'emailLink',
  'change-email': 'emailLink',
  'reset-password': 'passwordReset',
} as const satisfies Record<string, keyof Lifetimes>
export type LinkPurpose = keyof typeof LIFETIMES

interface NewLink {
  purpose: LinkPurpose
  userId: string
  email: string
  /** The password that who follows it must know; null: none. */
  passwordHash: string | null
  /** What they have told they are called. */
  names?: Names
  /** How long it is good, if not as long as others of its purpose. */
  lifetime?: keyof Lifetimes
}

/** Makes a link's token; only the mail ever holds it. */
export async function createLink(ctx: Ctx, tx: Tx, link: NewLink): Promise<string> {
  const { purpose, userId, email, passwordHash, names, lifetime = LIFETIMES[purpose] } = link
  const token = newSecret()
  const expires_at = new Date(ctx.now().getTime() + ctx.config.lifetimes[lifetime] * 1000)
  const kept = { purpose, user_id: userId, email, password_hash: passwordHash, expires_at }
  await insertLink(tx, { hash: hashSecret(token), ...kept, names: names ? JSON.stringify(names) : null })
  return token
}

/** Whose link it is, if it is still good. It stays so. */
export async function findLink(
  ctx: Ctx,
  { purpose, token }: { purpose: LinkPurpose; token: string },
): Promise<{ userId: string; email: string } | undefined> {
  const link = await findGoodLink(ctx.db, { hash: hashSecret(token), purpose, now: ctx.now() })
  return link && { userId: link.user_id, email: link.email }
}

/** Ends the links of a person that have not been followed: of one purpose, or all. */
export const voidLinks = (tx: Tx, links: { userId: string; purpose?: LinkPurpose }): Promise<void> =>
  deleteLinks(tx, links)

/** Whoever changes their password confirms their address with the new one. */
export const guardAnew = (
  tx: Tx,
  guard: { userId: string; from: string | null; to: string },
): Promise<void> => replaceGuard(tx, guard)

/** What somebody shows who follows a link. */
export interface FollowedLink {
  purpose: LinkPurpose
  token: string
  password: string | undefined
}

/** Whose link it was, the password it was guarded with, and what came with that. */
export interface UsedLink {
  userId: string
  email: string
  passwordHash: string | null
  names: Names | null
}

/** Uses a link up, with all others of its person and purpose, or throws INVALID_TOKEN. A wrong password costs nothing. */
export async function useLink(
  ctx: Ctx,
  tx: Tx,
  { purpose, token, password }: FollowedLink,
): Promise<UsedLink> {
  const shown = { hash: hashSecret(token), purpose, now: ctx.now() }
  const owner = await findGoodLink(tx, shown)
  // Whatever changes a person locks them first and their links after; the other way round, both would wait for ever.
  if (owner) await lockUser(tx, owner.user_id)
  const link = owner && (await lockLink(tx, shown))
  if (!link) throw new AppError('INVALID_TOKEN')
  const { user_id: userId, email, password_hash: passwordHash, names } = link
  if (passwordHash !== null && !(await verifyPassword(passwordHash, password ?? ''))) {
    throw new AppError('INVALID_TOKEN', { message: GUARDED, details: PASSWORD_NEEDED })
  }
  await deleteLinks(tx, { userId, purpose })
  return { userId, email, passwordHash, names }
}

/** Tells a guarded link from one that is not valid. */
export const PASSWORD_NEEDED = { reason: 'PASSWORD_NEEDED' }

const GUARDED =
  'Somebody else has signed up with this address too. Give the password that you chose when you asked for this link.'
