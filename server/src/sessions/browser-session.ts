import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Entry, person, prepareNoting, record } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { clientAddress, clientNetwork, clientProgram } from '../http/client-address.ts'
import { clearCookie, readCookie, setCookie } from '../http/cookies.ts'
import type { Exchange } from '../http/exchange.ts'
import { displayNameOf } from '../lib/display-name.ts'
import { newId } from '../lib/ids.ts'
import { hashSecret, isSecret, newSecret } from '../lib/secrets.ts'
import {
  deleteForgottenDevices,
  type Holding,
  insertSession,
  insertSessionIf,
  noteDevice,
} from './devices/store.ts'
import type { Marks } from './devices.ts'
import {
  deleteEndedSessions,
  deleteExpiredLinks,
  deleteExpiredPending,
  deleteSession,
  findSessionBySecret,
  touchSession,
  updateSession,
} from './store.ts'

const COOKIE = 'latchkey_session'
/** A cookie's secret is replaced after this long. */
const ROTATE_MS = 60 * 60_000
/** The one before stays good this long once the new one has arrived, for requests under way. */
const OVERLAP_MS = 60_000
/** Activity is written down at most this often. */
const TOUCH_MS = 60_000

/** A person signed in in this browser. */
export interface BrowserSession {
  id: string
  userId: string
  email: string
  emailVerified: boolean
  displayName: string
  superAdmin: boolean
  /** When the person last proved who they are. */
  authTime: Date
  /** A provider vouched for them and did not say when: it may have been before. */
  authTimeAssumed: boolean
  /** How (RFC 8176). */
  amr: string[]
}

type Found = NonNullable<Awaited<ReturnType<typeof findSessionBySecret>>>

/** The session of this browser's cookie, if it is good for anything. */
export async function findBrowserSession(ctx: Ctx, exchange: Exchange): Promise<BrowserSession | undefined> {
  const secret = readCookie(exchange.request, ctx.config, COOKIE)
  if (secret === undefined || !isSecret(secret)) return undefined
  const hash = hashSecret(secret)
  const found = await findSessionBySecret(ctx.db, hash)
  if (!found || !isGood(ctx, found, hash)) return undefined
  await keepFresh(ctx, exchange, { found, isCurrent: found.secret_hash.equals(hash) })
  return {
    id: found.id,
    userId: found.user_id,
    email: found.email,
    emailVerified: found.email_verified,
    displayName: displayNameOf(found),
    superAdmin: found.is_super_admin,
    authTime: found.auth_time,
    authTimeAssumed: found.auth_time_assumed,
    amr: found.amr,
  }
}

function isGood({ config, now }: Ctx, found: Found, hash: Buffer): boolean {
  const { sessionIdle, session } = config.lifetimes
  const at = now().getTime()
  const alive =
    at < found.cookie_used_at.getTime() + sessionIdle * 1000 &&
    at < found.created_at.getTime() + session * 1000
  const overlapping = found.previous_valid_until === null || at < found.previous_valid_until.getTime()
  return alive && (found.secret_hash.equals(hash) || overlapping)
}

/** Writes down the activity, and replaces the cookie's secret when it has grown old. */
async function keepFresh(
  ctx: Ctx,
  { request, reply }: Exchange,
  { found, isCurrent }: { found: Found; isCurrent: boolean },
): Promise<void> {
  const now = ctx.now()
  const age = now.getTime() - found.secret_since.getTime()
  const seen = { cookie_used_at: now, last_active_at: now, ...whence(request) }
  // Whoever comes with the secret before gets no new one: it might be a thief, who would outlive the owner so.
  if (isCurrent && age > ROTATE_MS) {
    const secret = newSecret()
    const rotated = await updateSession(ctx.db, found, {
      ...seen,
      secret_hash: hashSecret(secret),
      secret_since: now,
      previous_secret_hash: found.secret_hash,
      previous_valid_until: null,
    })
    if (rotated) giveCookie(ctx, reply, { secret, since: found.created_at })
    return
  }
  const arrived = isCurrent && found.previous_secret_hash !== null && found.previous_valid_until === null
  if (arrived || now.getTime() - found.cookie_used_at.getTime() > TOUCH_MS) {
    const overlap = arrived ? { previous_valid_until: new Date(now.getTime() + OVERLAP_MS) } : {}
    await updateSession(ctx.db, found, { ...seen, ...overlap })
  }
}

interface SessionStart {
  userId: string
  amr: string[]
  authTime?: Date | undefined
  authTimeAssumed?: boolean | undefined
  marks: Marks
  /** What is written down of it. */
  entryOf(sessionId: string): Entry
}

/**
 * Signs a person in in this browser, with a new secret: a cookie planted before is worth nothing after. Who proves
 * again who they are keeps their session; somebody else gets one of their own. Says whether the device, known by its
 * marks, is new to a person who has others.
 */
export async function startBrowserSession(
  ctx: Ctx,
  exchange: Exchange,
  start: SessionStart,
): Promise<{ id: string; isNewDevice: boolean }> {
  const { fresh, now, give } = prepareStart(ctx, exchange, start)
  const current = await findOwn(ctx, exchange, start.userId)
  if (current && (await updateSession(ctx.db, current, fresh))) {
    const isNewDevice = await noteDevice(ctx.db, await deviceOf(ctx, start, { id: current.id, now }))
    give(current.created_at)
    return { id: current.id, isNewDevice }
  }
  const session = { id: newId(), user_id: start.userId, created_at: now, ...fresh }
  const isNewDevice = await insertSession(
    ctx.db,
    session,
    await deviceOf(ctx, start, { id: session.id, now }),
  )
  give(now)
  return { id: session.id, isNewDevice }
}

/**
 * The same in one statement that holds the person itself. Undefined, and nothing was done, where they are not as they must
 * be, or where there is more to do than to begin a session.
 */
export async function startSessionIf(
  ctx: Ctx,
  exchange: Exchange,
  { held, ...start }: SessionStart & { held: Holding },
): Promise<{ id: string } | undefined> {
  if (readCookie(exchange.request, ctx.config, COOKIE) !== undefined) return undefined
  const { fresh, now, give } = prepareStart(ctx, exchange, start)
  const session = { id: newId(), user_id: start.userId, created_at: now, ...fresh }
  const device = await deviceOf(ctx, start, { id: session.id, now })
  if (!(await insertSessionIf(ctx.db, session, { ...device, held }))) return undefined
  give(now)
  return { id: session.id }
}

/** What a session is from now on, and what gives the browser its cookies once that is so. */
function prepareStart(ctx: Ctx, { request, reply }: Exchange, start: SessionStart) {
  const { amr, authTime, authTimeAssumed = false, marks } = start
  const now = ctx.now()
  const secret = newSecret()
  return {
    now,
    fresh: {
      ...{ secret_hash: hashSecret(secret), secret_since: now },
      ...{ previous_secret_hash: null, previous_valid_until: null },
      ...{ auth_time: authTime ?? now, auth_time_assumed: authTimeAssumed },
      ...{ amr, last_active_at: now, cookie_used_at: now },
      user_agent: clientProgram(request),
      ...whence(request),
    },
    give(since: Date) {
      giveCookie(ctx, reply, { secret, since })
      marks.give()
    },
  }
}

const deviceOf = async (
  ctx: Ctx,
  { userId, marks: { hashes }, entryOf }: SessionStart,
  { id, now }: { id: string; now: Date },
) => ({ userId, hashes, now, noting: await prepareNoting(ctx, [entryOf(id)]) })

/**
 * Makes a new secret for this browser's session: what it is worth has changed, and the old one is worth nothing. The
 * answer gives it to the browser, once the transaction has come to its end.
 */
export async function renewSecret(ctx: Ctx, tx: Tx, { request, reply }: Exchange): Promise<() => void> {
  const found = await findOwn({ ...ctx, db: tx }, { request, reply })
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
    if (renewed) giveCookie(ctx, reply, { secret, since: found.created_at })
  }
}

const whence = (request: FastifyRequest) => ({
  ip_address: clientAddress(request),
  network: clientNetwork(request),
})

/** The session of this browser, if it is this person's. */
async function findOwn(ctx: Ctx, { request }: Exchange, userId?: string): Promise<Found | undefined> {
  const secret = readCookie(request, ctx.config, COOKIE)
  if (secret === undefined || !isSecret(secret)) return undefined
  const hash = hashSecret(secret)
  const found = await findSessionBySecret(ctx.db, hash)
  if (!found || (userId !== undefined && found.user_id !== userId)) return undefined
  return isGood(ctx, found, hash) ? found : undefined
}

function giveCookie(ctx: Ctx, reply: FastifyReply, { secret, since }: { secret: string; since: Date }): void {
  const ends = since.getTime() + ctx.config.lifetimes.session * 1000
  const maxAgeSeconds = Math.max(0, Math.floor((ends - ctx.now().getTime()) / 1000))
  setCookie(reply, ctx.config, { name: COOKIE, value: secret, maxAgeSeconds })
}

/** Writes down that a token of the session was used. Says when it was written down last. */
export async function noteActivity(
  ctx: Ctx,
  { id, lastActive }: { id: string; lastActive: Date },
): Promise<Date> {
  const now = ctx.now()
  if (now.getTime() - lastActive.getTime() <= TOUCH_MS) return lastActive
  await touchSession(ctx.db, id, now)
  return now
}

/** Ends a session and, with it, every token that came from it; nobody hears otherwise once this returns. */
export async function endSession(ctx: Ctx, id: string, request: FastifyRequest): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const userId = await deleteSession(tx, id)
    if (userId === undefined) return
    const entry = { action: 'session.ended', actor: person(userId), userId, request } as const
    await record(ctx, tx, { ...entry, details: { sessionId: id } })
  })
  await ctx.changes.settle()
}

export const forgetCookie = (ctx: Ctx, reply: FastifyReply): void => clearCookie(reply, ctx.config, COOKIE)

/** Signs whoever is signed in in this browser out. */
export async function signOut(ctx: Ctx, exchange: Exchange): Promise<void> {
  const session = await findBrowserSession(ctx, exchange)
  if (session) await endSession(ctx, session.id, exchange.request)
  forgetCookie(ctx, exchange.reply)
}

/** How long a device is known that nobody signs in from. */
const DEVICE_SECONDS = 400 * 86_400

/** Removes what has run out: sessions whose cookie is good for nothing and that no token depends on, links, and the like. */
export async function sweepSessions({ config, db, now }: Ctx): Promise<void> {
  const { sessionIdle, session } = config.lifetimes
  const ago = (seconds: number) => new Date(now().getTime() - seconds * 1000)
  await deleteEndedSessions(db, { idleSince: ago(sessionIdle), startedBefore: ago(session) })
  await deleteExpiredLinks(db, now())
  await deleteExpiredPending(db, now())
  await deleteForgottenDevices(db, ago(DEVICE_SECONDS))
}
