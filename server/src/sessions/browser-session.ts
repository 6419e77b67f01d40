import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AuditEvent, prepareAuditInsert, recordAuditEvent, userActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { retryOnDeadlock } from '../db/errors.ts'
import type { Tx } from '../db/open.ts'
import { clientAddress, clientNetwork, clientUserAgent } from '../http/request/client-address.ts'
import { clearCookie, readCookie, setCookie } from '../http/request/cookies.ts'
import { actingError } from '../http/routing/callers.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { toDisplayName } from '../lib/display-name.ts'
import { newId } from '../lib/ids.ts'
import { hashSecret, isSecret, newSecret } from '../lib/secrets.ts'
import { SUPPORT_PATH } from '../ui/support-banner.tsx'
import { forgetAwaitedLinks } from './awaited-links.ts'
import type { DeviceMarks } from './devices.ts'
import { insertSession, insertSessionIfEligible, type LockedUserQuery, recordDevice } from './devices-store.ts'
import { clearAskingBrowser } from './email-codes/asking-browser.ts'
import { deleteSession, findSessionBySecret, touchSession, updateSession } from './store.ts'
import { clearSupportCookie, findSupportSession, hasSupportCookie, type SupportAccess } from './support/session.ts'

const COOKIE = 'latchkey_session'
/** The secret of a session cookie is rotated after this time. */
const SECRET_MAX_AGE_MS = 60 * 60_000
/** The previous secret stays valid this long after the first use of the new one, for concurrent requests. */
const OVERLAP_MS = 60_000
/** Activity is recorded at most this often. */
const MIN_TOUCH_INTERVAL_MS = 60_000

/** The session of a signed-in user in this browser. */
export interface BrowserSession {
  id: string
  userId: string
  email: string
  emailVerified: boolean
  displayName: string
  superAdmin: boolean
  /** When the user last authenticated. */
  authTime: Date
  /** The provider sent no auth_time, so the sign-in there may be older than authTime. */
  authTimeAssumed: boolean
  /** Authentication methods (RFC 8176). */
  amr: string[]
  /** Set while an operator acts as the user. */
  support?: SupportAccess
}

type SessionWithUser = NonNullable<Awaited<ReturnType<typeof findSessionBySecret>>>

/** Finds the session of the signed-in user. Refuses an operator who acts as a member in this browser. */
export async function findBrowserSession(ctx: Ctx, exchange: Exchange): Promise<BrowserSession | undefined> {
  const session = await findActingSession(ctx, exchange)
  if (session?.support) throw actingError()
  return session
}

/** As `findBrowserSession`, or the session in which an operator acts as a member. The caller must respect its limits. */
export async function findActingSession(ctx: Ctx, exchange: Exchange): Promise<BrowserSession | undefined> {
  const own = await findOwnSession(ctx, exchange)
  return (own && (await findSupportSession(ctx, exchange, own))) ?? own
}

/** The page that an operator who acts as a member is sent to instead of other pages. */
export async function findSupportPage(ctx: Ctx, exchange: Exchange): Promise<string | undefined> {
  if (!hasSupportCookie(ctx, exchange.request)) return undefined
  return (await findActingSession(ctx, exchange))?.support && SUPPORT_PATH
}

/** Finds the valid session of the request's cookie, also of an operator who acts as a member. */
export async function findOwnSession(ctx: Ctx, exchange: Exchange): Promise<BrowserSession | undefined> {
  const secret = readCookie(exchange.request, ctx.config, COOKIE)
  if (secret === undefined || !isSecret(secret)) return undefined
  const hash = hashSecret(secret)
  const found = await findSessionBySecret(ctx.db, hash)
  if (!found || !isValid(ctx, found, hash)) return undefined
  await refreshSession(ctx, exchange, { found, isCurrent: found.secret_hash.equals(hash) })
  return {
    id: found.id,
    userId: found.user_id,
    email: found.email,
    emailVerified: found.email_verified,
    displayName: toDisplayName(found),
    superAdmin: found.is_super_admin,
    authTime: found.auth_time,
    authTimeAssumed: found.auth_time_assumed,
    amr: found.amr,
  }
}

function isValid({ config, now }: Ctx, found: SessionWithUser, hash: Buffer): boolean {
  const { sessionIdle, session } = config.lifetimes
  const at = now().getTime()
  const isAlive =
    at < found.cookie_used_at.getTime() + sessionIdle * 1000 && at < found.created_at.getTime() + session * 1000
  const isPreviousValid = found.previous_valid_until === null || at < found.previous_valid_until.getTime()
  return isAlive && (found.secret_hash.equals(hash) || isPreviousValid)
}

/** Records activity and rotates the secret of the cookie when it is old. */
async function refreshSession(
  ctx: Ctx,
  { request, reply }: Exchange,
  { found, isCurrent }: { found: SessionWithUser; isCurrent: boolean },
): Promise<void> {
  const now = ctx.now()
  const age = now.getTime() - found.secret_since.getTime()
  const activity = { cookie_used_at: now, last_active_at: now, ...clientColumns(request) }
  // A request with the previous secret gets no new one: a thief must not keep the session longer than its owner.
  if (isCurrent && age > SECRET_MAX_AGE_MS) {
    const secret = newSecret()
    const rotated = await updateSession(ctx.db, found, {
      ...activity,
      secret_hash: hashSecret(secret),
      secret_since: now,
      previous_secret_hash: found.secret_hash,
      previous_valid_until: null,
    })
    if (rotated) setSessionCookie(ctx, reply, { secret, since: found.created_at })
    return
  }
  const isFirstUse = isCurrent && found.previous_secret_hash !== null && found.previous_valid_until === null
  if (isFirstUse || now.getTime() - found.cookie_used_at.getTime() > MIN_TOUCH_INTERVAL_MS) {
    const overlap = isFirstUse ? { previous_valid_until: new Date(now.getTime() + OVERLAP_MS) } : {}
    await updateSession(ctx.db, found, { ...activity, ...overlap })
  }
}

interface SessionStart {
  userId: string
  amr: string[]
  authTime?: Date | undefined
  authTimeAssumed?: boolean | undefined
  marks: DeviceMarks
  /** The audit event of the sign-in. */
  toAuditEvent(sessionId: string): AuditEvent
}

/**
 * Starts a session with a new secret, so that a cookie planted before (session fixation) is useless. A user who signs
 * in again keeps their session. `isNewDevice` is true if the user has devices and this is not one of them.
 */
export async function startBrowserSession(
  ctx: Ctx,
  exchange: Exchange,
  start: SessionStart,
): Promise<{ id: string; isNewDevice: boolean }> {
  const { columns, now, setCookies } = prepareSession(ctx, exchange, start)
  const current = await findCurrentSession(ctx, exchange, start.userId)
  if (current && (await updateSession(ctx.db, current, columns))) {
    const isNewDevice = await recordDevice(ctx.db, await toDeviceUse(ctx, start, { id: current.id, now }))
    setCookies(current.created_at)
    return { id: current.id, isNewDevice }
  }
  const session = { id: newId(), user_id: start.userId, created_at: now, ...columns }
  const isNewDevice = await insertSession(ctx.db, session, await toDeviceUse(ctx, start, { id: session.id, now }))
  setCookies(now)
  return { id: session.id, isNewDevice }
}

/**
 * Starts a session in one statement that also locks and checks the user. Returns undefined and changes nothing if the
 * user does not qualify, or if there is more to do than to insert a session.
 */
export async function startSessionIfEligible(
  ctx: Ctx,
  exchange: Exchange,
  { lockedUserQuery, ...start }: SessionStart & { lockedUserQuery: LockedUserQuery },
): Promise<{ id: string } | undefined> {
  if (readCookie(exchange.request, ctx.config, COOKIE) !== undefined) return undefined
  const { columns, now, setCookies } = prepareSession(ctx, exchange, start)
  const session = { id: newId(), user_id: start.userId, created_at: now, ...columns }
  const device = await toDeviceUse(ctx, start, { id: session.id, now })
  if (!(await insertSessionIfEligible(ctx.db, session, { ...device, lockedUserQuery }))) return undefined
  setCookies(now)
  return { id: session.id }
}

/** The columns of the session, and a function that sets the cookies once the row is written. */
function prepareSession(ctx: Ctx, { request, reply }: Exchange, start: SessionStart) {
  const { amr, authTime, authTimeAssumed = false, marks } = start
  const now = ctx.now()
  const secret = newSecret()
  return {
    now,
    columns: {
      secret_hash: hashSecret(secret),
      secret_since: now,
      previous_secret_hash: null,
      previous_valid_until: null,
      auth_time: authTime ?? now,
      auth_time_assumed: authTimeAssumed,
      amr,
      last_active_at: now,
      cookie_used_at: now,
      user_agent: clientUserAgent(request),
      ...clientColumns(request),
    },
    setCookies(since: Date) {
      setSessionCookie(ctx, reply, { secret, since })
      marks.setCookie()
    },
  }
}

const toDeviceUse = async (
  ctx: Ctx,
  { userId, marks: { hashes }, toAuditEvent }: SessionStart,
  { id, now }: { id: string; now: Date },
) => ({ userId, hashes, now, auditInsert: await prepareAuditInsert(ctx, [toAuditEvent(id)]) })

/**
 * Replaces the secret of this browser's session after its privileges changed. The returned function sets the cookie;
 * call it after the transaction has committed.
 */
export async function rotateSessionSecret(ctx: Ctx, tx: Tx, { request, reply }: Exchange): Promise<() => void> {
  const found = await findCurrentSession({ ...ctx, db: tx }, { request, reply })
  const secret = newSecret()
  const renewed =
    found &&
    (await updateSession(tx, found, {
      secret_hash: hashSecret(secret),
      secret_since: ctx.now(),
      previous_secret_hash: null,
      previous_valid_until: null,
    }))
  return () => {
    if (renewed) setSessionCookie(ctx, reply, { secret, since: found.created_at })
  }
}

const clientColumns = (request: FastifyRequest) => ({
  ip_address: clientAddress(request),
  network: clientNetwork(request),
})

/** Finds the valid session of this browser; with a userId, only if it belongs to that user. */
async function findCurrentSession(
  ctx: Ctx,
  { request }: Exchange,
  userId?: string,
): Promise<SessionWithUser | undefined> {
  const secret = readCookie(request, ctx.config, COOKIE)
  if (secret === undefined || !isSecret(secret)) return undefined
  const hash = hashSecret(secret)
  const found = await findSessionBySecret(ctx.db, hash)
  if (!found || (userId !== undefined && found.user_id !== userId)) return undefined
  return isValid(ctx, found, hash) ? found : undefined
}

function setSessionCookie(ctx: Ctx, reply: FastifyReply, { secret, since }: { secret: string; since: Date }): void {
  const expiresAt = since.getTime() + ctx.config.lifetimes.session * 1000
  const maxAgeSeconds = Math.max(0, Math.floor((expiresAt - ctx.now().getTime()) / 1000))
  setCookie(reply, ctx.config, { name: COOKIE, value: secret, maxAgeSeconds })
}

/** Records that a token of the session was used. Returns the recorded time. */
export async function recordActivity(ctx: Ctx, { id, lastActive }: { id: string; lastActive: Date }): Promise<Date> {
  const now = ctx.now()
  if (now.getTime() - lastActive.getTime() <= MIN_TOUCH_INTERVAL_MS) return lastActive
  await touchSession(ctx.db, id, now)
  return now
}

/** Ends a session and every token issued from it. When it returns, this process refuses them. */
export async function endSession(ctx: Ctx, id: string, request: FastifyRequest): Promise<void> {
  await retryOnDeadlock(() =>
    ctx.db.transaction().execute(async (tx) => {
      const ended = await deleteSession(tx, id)
      if (!ended) return
      await recordAuditEvent(ctx, tx, {
        action: 'session.ended',
        actor: userActor(ended.operator_id ?? ended.user_id),
        userId: ended.user_id,
        request,
        details: { sessionId: id },
      })
    }),
  )
  await ctx.changes.waitUntilCurrent()
}

/** Removes from this browser what the next person at the device must not continue. */
export async function forgetPerson(ctx: Ctx, exchange: Exchange): Promise<void> {
  clearCookie(exchange.reply, ctx.config, COOKIE)
  clearSupportCookie(ctx, exchange)
  clearAskingBrowser(ctx, exchange)
  await forgetAwaitedLinks(ctx, exchange)
}

/** Ends the session of this browser, if there is one. */
export async function signOut(ctx: Ctx, exchange: Exchange): Promise<void> {
  const session = await findOwnSession(ctx, exchange)
  if (session) await endSession(ctx, session.id, exchange.request)
  await forgetPerson(ctx, exchange)
}
