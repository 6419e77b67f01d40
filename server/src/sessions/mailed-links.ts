import type { FastifyRequest } from 'fastify'
import type { Lifetimes } from '../config/lifetimes.ts'
import type { Ctx } from '../context.ts'
import type { Db, Tx } from '../db/open.ts'
import type { Names } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { clientNetwork } from '../http/request/client-address.ts'
import { t, translatable } from '../languages/translate.ts'
import { hashSecret, newSecret } from '../lib/secrets.ts'
import { limitGuesses } from '../users/guess-limit.ts'
import { verifyPassword, withPasswordAdmission } from '../users/passwords.ts'
import { lockUser } from '../users/service.ts'
import { secondsUntilResend } from './resend-time.ts'
import {
  deleteLink,
  deleteLinks,
  findNewestLink,
  findValidLink,
  insertLink,
  lockLink,
  replaceLinkPassword,
} from './store.ts'

/** The purposes of mailed links and their lifetimes. A token is valid for its own purpose only. */
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
  /** The hash of the password that the link requires; null for none. */
  passwordHash: string | null
  /** The names given at registration. */
  names?: Names
  /** Overrides the lifetime of the purpose. */
  lifetime?: keyof Lifetimes
}

/** Creates a link and returns its token. Only the hash is stored. */
export async function createLink(ctx: Ctx, tx: Tx, link: NewLink): Promise<string> {
  const { purpose, userId, email, passwordHash, names, lifetime = LIFETIMES[purpose] } = link
  const token = newSecret()
  const mailed_at = ctx.now()
  const expires_at = new Date(mailed_at.getTime() + ctx.config.lifetimes[lifetime] * 1000)
  const row = { purpose, user_id: userId, email, password_hash: passwordHash, mailed_at, expires_at }
  await insertLink(tx, { hash: hashSecret(token), ...row, names: names ? JSON.stringify(names) : null })
  return token
}

/** A valid link, with the password hash that it requires. */
export interface FoundLink {
  userId: string
  email: string
  passwordHash: string | null
}

/** Finds a valid link without using it up. */
export async function findLink(
  ctx: Ctx,
  { purpose, token }: { purpose: LinkPurpose; token: string },
): Promise<FoundLink | undefined> {
  const link = await findValidLink(ctx.db, { hash: hashSecret(token), purpose, now: ctx.now() })
  return link && { userId: link.user_id, email: link.email, passwordHash: link.password_hash }
}

/** A mail whose link the user has not followed yet. */
export interface PendingMail {
  /** The address that it was sent to. */
  email: string
  /** The seconds until the user may ask for another one; 0: now. */
  seconds: number
}

/** The newest mail with a link that the user may follow; undefined if there is none. */
export async function findPendingMail(
  ctx: Ctx,
  db: Db,
  { userId, purpose, passwordHash }: { userId: string; purpose: LinkPurpose; passwordHash: string | null },
): Promise<PendingMail | undefined> {
  const link = await findNewestLink(db, { userId, purpose, passwordHash, now: ctx.now() })
  if (!link) return undefined
  const { email, mailed_at: mailedAt } = link
  return { email, seconds: mailedAt === null ? 0 : secondsUntilResend(ctx, { mailedAt }) }
}

/** Deletes a link whose mail reached a person who did not ask for it. Returns false if it was already gone. */
export const rejectLink = (ctx: Ctx, { purpose, token }: { purpose: LinkPurpose; token: string }): Promise<boolean> =>
  deleteLink(ctx.db, { hash: hashSecret(token), purpose })

/** Deletes a user's links: those of one purpose, or all. */
export const revokeLinks = (tx: Tx, links: { userId: string; purpose?: LinkPurpose }): Promise<void> =>
  deleteLinks(tx, links)

/** After a password change, links that required the old password require the new one. */
export const requirePasswordForLinks = (
  tx: Tx,
  guard: { userId: string; from: string | null; to: string },
): Promise<void> => replaceLinkPassword(tx, guard)

interface LinkInput {
  purpose: LinkPurpose
  token: string
  /** The hash that `requireLinkPassword` checked against; null if the link required none. */
  passwordHash: string | null
}

/** The link that was used up, with the password hash and names stored in it. */
export interface UsedLink {
  userId: string
  email: string
  passwordHash: string | null
  names: Names | null
}

/** Uses up a link and all other links of the same user and purpose. Throws INVALID_TOKEN. */
export async function useLink(
  ctx: Ctx,
  tx: Tx,
  { purpose, token, passwordHash: checkedHash }: LinkInput,
): Promise<UsedLink> {
  const key = { hash: hashSecret(token), purpose, now: ctx.now() }
  const owner = await findValidLink(tx, key)
  // Lock order: the user first, then the links, as everywhere else.
  if (owner) await lockUser(tx, owner.user_id)
  const link = owner && (await lockLink(tx, key))
  if (!link) throw new AppError('INVALID_TOKEN')
  const { user_id: userId, email, password_hash: passwordHash, names } = link
  // The required password may have changed since it was checked.
  if (passwordHash !== checkedHash) throw passwordNeeded()
  await deleteLinks(tx, { userId, purpose })
  return { userId, email, passwordHash, names }
}

const WINDOW_SECONDS = 15 * 60
/** The limit per network for all links together: each guess costs a password hash. */
const NETWORK_FACTOR = 10

/**
 * Checks the password that a link requires, and returns the hash it was checked against; null if it requires none. It
 * runs before the transaction of `useLink`, because hashing must not hold a connection. A wrong password does not use
 * up the link.
 */
export async function requireLinkPassword(
  ctx: Ctx,
  input: {
    purpose: LinkPurpose
    token: string
    password: string | undefined
    /** The hash of the password that was chosen in this browser, which proves that the browser knows it. */
    ownPasswordHash?: string | undefined
    request: FastifyRequest
  },
): Promise<string | null> {
  const { purpose, token, password, ownPasswordHash, request } = input
  const link = await findLink(ctx, { purpose, token })
  if (!link) throw new AppError('INVALID_TOKEN')
  const { passwordHash } = link
  if (passwordHash === null || passwordHash === ownPasswordHash) return passwordHash
  if (!password) throw passwordNeeded()
  const max = ctx.config.limits.confirmFailures
  const limitOf = (name: string, factor: number) => ({ name, max: max * factor, seconds: WINDOW_SECONDS })
  const counts = [
    { limit: limitOf('link', 1), key: hashSecret(token).toString('base64url') },
    { limit: limitOf('link-network', NETWORK_FACTOR), key: clientNetwork(request) },
  ]
  return withPasswordAdmission(ctx, { request }, () =>
    limitGuesses(ctx.db, counts, {
      attempt: async () => ((await verifyPassword(passwordHash, password)) ? passwordHash : undefined),
      toError: passwordNeeded,
    }),
  )
}

/** Distinguishes a link that requires a password from an invalid one. */
export const PASSWORD_NEEDED = { reason: 'PASSWORD_NEEDED' }

const passwordNeeded = () =>
  new AppError('INVALID_TOKEN', { message: t(PASSWORD_NEEDED_MESSAGE), details: PASSWORD_NEEDED })

const PASSWORD_NEEDED_MESSAGE = translatable(
  'Somebody else has signed up with this address too. Give the password that you chose when you asked for this link.',
)
