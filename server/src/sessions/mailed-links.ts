import type { FastifyRequest } from 'fastify'
import type { Lifetimes } from '../config/lifetimes.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { Names } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { clientNetwork } from '../http/client-address.ts'
import { hashSecret, newSecret } from '../lib/secrets.ts'
import { guess } from '../users/guesses.ts'
import { inPasswordLine, verifyPassword } from '../users/passwords.ts'
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
): Promise<{ userId: string; passwordHash: string | null } | undefined> {
  const link = await findGoodLink(ctx.db, { hash: hashSecret(token), purpose, now: ctx.now() })
  return link && { userId: link.user_id, passwordHash: link.password_hash }
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
interface FollowedLink {
  purpose: LinkPurpose
  token: string
  /** The link's password hash when they showed the password (`requireLinkPassword`); null: it asked for none. */
  passwordHash: string | null
}

/** Whose link it was, the password it was guarded with, and what came with that. */
export interface UsedLink {
  userId: string
  email: string
  passwordHash: string | null
  names: Names | null
}

/** Uses a link up, with all others of its person and purpose, or throws INVALID_TOKEN. */
export async function useLink(
  ctx: Ctx,
  tx: Tx,
  { purpose, token, passwordHash: shownFor }: FollowedLink,
): Promise<UsedLink> {
  const shown = { hash: hashSecret(token), purpose, now: ctx.now() }
  const owner = await findGoodLink(tx, shown)
  // Whatever changes a person locks them first and their links after; the other way round, both would wait for ever.
  if (owner) await lockUser(tx, owner.user_id)
  const link = owner && (await lockLink(tx, shown))
  if (!link) throw new AppError('INVALID_TOKEN')
  const { user_id: userId, email, password_hash: passwordHash, names } = link
  // Meanwhile somebody may have signed up with the address too, or changed their password.
  if (passwordHash !== shownFor) throw passwordNeeded()
  await deleteLinks(tx, { userId, purpose })
  return { userId, email, passwordHash, names }
}

const WINDOW_SECONDS = 15 * 60
/** From one network, for all links together: a guess costs a password hash. */
const NETWORK_FACTOR = 10

/**
 * Checks the password of a link that asks for one, and returns the hash it was checked against; null where the link
 * asks for none. It runs before the transaction of `useLink`: hashing must hold no connection. A wrong password does
 * not use the link up.
 */
export async function requireLinkPassword(
  ctx: Ctx,
  shown: { purpose: LinkPurpose; token: string; password: string | undefined; request: FastifyRequest },
): Promise<string | null> {
  const { purpose, token, password, request } = shown
  const link = await findLink(ctx, { purpose, token })
  if (!link) throw new AppError('INVALID_TOKEN')
  const { passwordHash } = link
  if (passwordHash === null) return null
  // The page asks for the password only when it is needed.
  if (!password) throw passwordNeeded()
  const most = ctx.config.limits.confirmFailures
  const limitOf = (name: string, factor: number) => ({ name, most: most * factor, seconds: WINDOW_SECONDS })
  const counts = [
    { limit: limitOf('link', 1), key: hashSecret(token).toString('base64url') },
    { limit: limitOf('link-network', NETWORK_FACTOR), key: clientNetwork(request) },
  ]
  return inPasswordLine(ctx, { request }, () =>
    guess(ctx.db, counts, {
      attempt: async () => ((await verifyPassword(passwordHash, password)) ? passwordHash : undefined),
      wrong: passwordNeeded,
    }),
  )
}

/** Tells a link that asks for a password from one that is not valid. */
export const PASSWORD_NEEDED = { reason: 'PASSWORD_NEEDED' }

const passwordNeeded = () => new AppError('INVALID_TOKEN', { message: GUARDED, details: PASSWORD_NEEDED })

const GUARDED =
  'Somebody else has signed up with this address too. Give the password that you chose when you asked for this link.'
