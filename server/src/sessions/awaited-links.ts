import type { Ctx } from '../context.ts'
import type { Names } from '../db/tables.ts'
import { clearCookie, readCookie, setCookie } from '../http/request/cookies.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { unsealText } from '../lib/seal.ts'
import { hashSecret, isSecret, newSecret } from '../lib/secrets.ts'
import { type AwaitedLinkRow, claimMail, deleteAwaited, findAwaited, insertAwaited } from './awaited-links-store.ts'
import { type LoginTransaction, readLoginTransaction, sealLogin } from './login-transaction.ts'
import { RESEND_SECONDS } from './resend-time.ts'

/**
 * A link that was mailed because this browser asked for it. The cookie of the browser proves that it did: only there
 * may the link sign in. Anybody may send a link of their own account to other people.
 */
export interface AwaitedLink {
  id: Buffer
  purpose: AwaitedPurpose
  /** The address that was entered in this browser, and the names. */
  email: string
  names: Names | undefined
  /** The account to verify; undefined if the browser must not learn whether there is one. */
  userId: string | undefined
  /** The hash of the password chosen in this browser; undefined if the link does not sign in. */
  passwordHash: string | undefined
  /** Where the browser continues afterwards. */
  login: LoginTransaction | undefined
  createdAt: Date
  mailedAt: Date
}

type AwaitedPurpose = AwaitedLinkRow['purpose']

const COOKIES = { 'verify-email': 'latchkey_sign_up', 'reset-password': 'latchkey_reset' } as const
const LIFETIMES = { 'verify-email': 'emailLink', 'reset-password': 'passwordReset' } as const
const SEAL = 'awaited-link'

interface Sealed {
  email: string
  names?: Names | undefined
  journey?: string | undefined
}

type NewAwaitedLink = Pick<AwaitedLink, 'purpose' | 'email' | 'login'> &
  Partial<Pick<AwaitedLink, 'names' | 'userId' | 'passwordHash'>>

/** Stores that this browser waits for the link, in place of what it waited for before. */
export async function saveAwaitedLink(ctx: Ctx, exchange: Exchange, link: NewAwaitedLink): Promise<AwaitedLink> {
  const { purpose, email, names, userId, passwordHash, login } = link
  const previous = readSecret(ctx, exchange, purpose)
  if (previous) await deleteAwaited(ctx.db, previous)
  const secret = newSecret()
  const now = ctx.now()
  const maxAgeSeconds = ctx.config.lifetimes[LIFETIMES[purpose]]
  const sealed: Sealed = { email, names, journey: login && sealLogin(ctx, login) }
  const id = hashSecret(secret)
  await insertAwaited(ctx.db, {
    secret_hash: id,
    purpose,
    user_id: userId ?? null,
    password_hash: passwordHash ?? null,
    sealed: ctx.keys.seal(SEAL, JSON.stringify(sealed)),
    mailed_at: now,
    created_at: now,
    expires_at: new Date(now.getTime() + maxAgeSeconds * 1000),
  })
  setCookie(exchange.reply, ctx.config, { name: COOKIES[purpose], value: secret, maxAgeSeconds })
  return { id, purpose, email, names, userId, passwordHash, login, createdAt: now, mailedAt: now }
}

function readSecret(ctx: Ctx, { request }: Exchange, purpose: AwaitedPurpose): Buffer | undefined {
  const secret = readCookie(request, ctx.config, COOKIES[purpose])
  return secret !== undefined && isSecret(secret) ? hashSecret(secret) : undefined
}

/** What this browser waits for. */
export async function findAwaitedLink(
  ctx: Ctx,
  exchange: Exchange,
  purpose: AwaitedPurpose,
): Promise<AwaitedLink | undefined> {
  const secret_hash = readSecret(ctx, exchange, purpose)
  const row = secret_hash && (await findAwaited(ctx.db, { secret_hash, purpose, now: ctx.now() }))
  const text = row && unsealText(ctx.keys, SEAL, row.sealed.toString('base64url'))
  if (!row || text === undefined) return undefined
  const { email, names, journey } = JSON.parse(text) as Sealed
  return {
    id: row.secret_hash,
    purpose,
    email,
    names,
    userId: row.user_id ?? undefined,
    passwordHash: row.password_hash ?? undefined,
    login: readLoginTransaction(ctx, journey),
    createdAt: row.created_at,
    mailedAt: row.mailed_at,
  }
}

/** Ends the wait. Returns false if it was over, so that only one of two concurrent requests signs in. */
export async function endWait(
  ctx: Ctx,
  { reply }: Exchange,
  { id, purpose }: Pick<AwaitedLink, 'id' | 'purpose'>,
): Promise<boolean> {
  clearCookie(reply, ctx.config, COOKIES[purpose])
  return deleteAwaited(ctx.db, id)
}

/**
 * Ends what this browser waits for when somebody signs in or out here: after that, a link must not continue an older
 * sign-in, and the next person at the device must not continue it at all.
 */
export async function forgetAwaitedLinks(ctx: Ctx, exchange: Exchange): Promise<void> {
  for (const purpose of ['verify-email', 'reset-password'] as const) {
    const id = readSecret(ctx, exchange, purpose)
    if (id) await endWait(ctx, exchange, { id, purpose })
  }
}

/**
 * Returns whether the browser may have another mail now. Of concurrent requests one may. The browser then waits as long
 * as the link in that mail works.
 */
export async function claimResend(
  ctx: Ctx,
  { request, reply }: Exchange,
  { id: secretHash, purpose }: AwaitedLink,
): Promise<boolean> {
  const now = ctx.now()
  const name = COOKIES[purpose]
  const maxAgeSeconds = ctx.config.lifetimes[LIFETIMES[purpose]]
  const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000)
  const mail = { secretHash, now, latest: inSeconds(-RESEND_SECONDS), expiresAt: inSeconds(maxAgeSeconds) }
  if (!(await claimMail(ctx.db, mail))) return false
  const value = readCookie(request, ctx.config, name)
  if (value !== undefined) setCookie(reply, ctx.config, { name, value, maxAgeSeconds })
  return true
}
