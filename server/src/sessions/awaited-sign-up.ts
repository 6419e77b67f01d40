import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { findBrowserId } from '../http/request/browser-cookie.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { newId } from '../lib/ids.ts'
import type { Mail } from '../mail/mail.ts'
import { queueMail } from '../mail/outbox.ts'
import { isOverMailQuota } from '../users/mail-quota.ts'
import type { Registration } from '../users/registration.ts'
import { findUser, lockUser, type User } from '../users/service.ts'
import { type AwaitedLink, claimResend, endWait, findAwaitedLink, saveAwaitedLink } from './awaited-links.ts'
import { isAwaited } from './awaited-links-store.ts'
import { establishSession, nextPage } from './establish-session.ts'
import { type LoginTransaction, pageUrl, signInUrl } from './login-transaction.ts'
import { createLink } from './mailed-links.ts'
import { signUp, toAccountExistsMail, verificationMail } from './sign-up.ts'
import { deleteLinksWithPassword } from './store.ts'

const PURPOSE = 'verify-email'

export const findAwaitedSignUp = (ctx: Ctx, exchange: Exchange): Promise<AwaitedLink | undefined> =>
  findAwaitedLink(ctx, exchange, PURPOSE)

/**
 * Signs up in this browser, which then waits for the link in the mail. The browser learns nothing about the account: it
 * also waits if the address is taken. A sign-up that it gives up with this one loses its link.
 */
export async function beginSignUp(
  ctx: Ctx,
  exchange: Exchange,
  { registration, login }: { registration: Registration; login: LoginTransaction | undefined },
): Promise<AwaitedLink> {
  const { request } = exchange
  const previous = await findAwaitedSignUp(ctx, exchange)
  const source = { request, browserId: findBrowserId(ctx, request), origin: toMailOrigin(login) }
  const { user, userId, passwordHash, names } = await signUp(ctx, registration, source)
  if (previous) await revokeAwaitedLinks(ctx, previous)
  return saveAwaitedLink(ctx, exchange, { purpose: PURPOSE, email: user.email, names, userId, passwordHash, login })
}

/**
 * Lets this browser, in which the user is signed in, continue at a page when the address is verified. It gets no right
 * to sign in.
 */
export async function continueWhenVerified(
  ctx: Ctx,
  exchange: Exchange,
  { user, login }: { user: { id: string; email: string }; login: LoginTransaction },
): Promise<void> {
  const { id: userId, email } = user
  const awaited = await findAwaitedSignUp(ctx, exchange)
  if (awaited?.userId === userId && awaited.login?.next === login.next) return
  await saveAwaitedLink(ctx, exchange, { purpose: PURPOSE, email, userId, login })
}

async function revokeAwaitedLinks(ctx: Ctx, { userId, passwordHash }: AwaitedLink): Promise<void> {
  if (userId === undefined || passwordHash === undefined) return
  const links = { userId, purpose: PURPOSE, passwordHash }
  await ctx.db.transaction().execute((tx) => deleteLinksWithPassword(tx, links))
}

/**
 * The mail shows the brand of the application, not that of a tenant: anybody may create a tenant, and enter the address
 * of another person.
 */
const toMailOrigin = (login: LoginTransaction | undefined) => ({ clientId: login?.clientId })

/** Whether the address was verified, here or in another browser, for the person who signed up in this one. */
export async function isVerified(ctx: Ctx, awaited: AwaitedLink): Promise<boolean> {
  return (await findVerifiedUser(ctx, awaited)) !== undefined
}

/** Whether the person has signed up in another browser, which continues by itself. */
export const isAwaitedElsewhere = ({ db, now }: Ctx, userId: string): Promise<boolean> => isAwaited(db, userId, now())

async function findVerifiedUser(ctx: Ctx, awaited: AwaitedLink): Promise<User | undefined> {
  const { userId, email, passwordHash } = awaited
  // The same query for an address that is taken, so that the response time does not disclose it.
  const user = await findUser(ctx.db, userId ?? newId())
  if (!user || user.disabled || !user.email_verified || user.email !== email) return undefined
  const isOwnPassword = user.password_hash === passwordHash && user.password_sign_in
  return passwordHash === undefined || isOwnPassword ? user : undefined
}

/**
 * Signs the person in whose address was verified, and returns the page where they continue; undefined if it is not
 * verified. The sign-in counts as one with the password that was chosen in this browser, at the time of the sign-up. If
 * that is too long ago for the application, the page is the sign-in.
 */
export async function finishSignUp(ctx: Ctx, exchange: Exchange, awaited: AwaitedLink): Promise<string | undefined> {
  const { passwordHash, login, createdAt } = awaited
  const user = await findVerifiedUser(ctx, awaited)
  if (!user) return undefined
  const signedInPage = nextPage(ctx, { state: 'signed-in' }, login)
  const isFirst = await endWait(ctx, exchange, awaited)
  if (passwordHash === undefined) return signedInPage
  if (!isFirst) return pageUrl(ctx, '/login', login)
  if (login && isTooOld(ctx, createdAt, login))
    return signInUrl(ctx, { ...login, loginHint: user.email }, { mustReauthenticate: true })
  const result = await establishSession(ctx, exchange, { user, amr: ['pwd'], authTime: createdAt, login })
  return nextPage(ctx, result, login)
}

/** Whether the sign-up is older than the application allows. With 0 it asked for a new sign-in, and a sign-up is one. */
function isTooOld({ now }: Ctx, createdAt: Date, { maxAge = 0 }: LoginTransaction): boolean {
  return maxAge > 0 && now().getTime() - createdAt.getTime() > maxAge * 1000
}

export type Resend = 'sent' | 'too-early' | 'over-quota'

/** Mails another link in place of the previous one. */
export async function resendSignUpMail(ctx: Ctx, exchange: Exchange, awaited: AwaitedLink): Promise<Resend> {
  const { email } = awaited
  if (!(await claimResend(ctx, exchange, awaited))) return 'too-early'
  if (await isOverMailQuota(ctx, 'sign-up', email)) return 'over-quota'
  await ctx.db.transaction().execute(async (tx) => queueMail(ctx, tx, email, await createMailAgain(ctx, tx, awaited)))
  return 'sent'
}

async function createMailAgain(
  ctx: Ctx,
  tx: Tx,
  { userId, email, passwordHash, names, login }: AwaitedLink,
): Promise<Mail> {
  const origin = toMailOrigin(login)
  // Locked, because somebody else may claim the address at this moment.
  const user = userId === undefined ? undefined : await lockUser(tx, userId)
  if (!user || user.email_verified || user.email !== email) return toAccountExistsMail(origin)
  const own = passwordHash ?? user.password_hash
  await deleteLinksWithPassword(tx, { userId: user.id, purpose: PURPOSE, passwordHash: own })
  // If several people have signed up with the address, each link requires the password chosen with it.
  const isContested = user.contested || user.password_hash !== own
  const link = { purpose: PURPOSE, userId: user.id, email, passwordHash: isContested ? own : null } as const
  return verificationMail(ctx, await createLink(ctx, tx, { ...link, ...(isContested && names && { names }) }), origin)
}
