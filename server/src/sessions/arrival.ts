import { person } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { yielding } from '../db/violations.ts'
import { AppError } from '../errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { erasedAt, restoreAccount } from '../users/deletion.ts'
import { holdingWithoutFactors, type SecondFactor, secondFactorsOf } from '../users/factors/factors.ts'
import { type SignedInUser, toSignedInUser } from '../users/profile.ts'
import { lockUser, type User } from '../users/service.ts'
import { startBrowserSession, startSessionIf } from './browser-session.ts'
import { markDevice, tellOfDevice } from './devices.ts'
import { type Journey, pageOf } from './journey.ts'
import { forgetPending, rememberPending } from './pending.ts'
import { noteRefusal, type Refusal } from './refusals.ts'
import { isSession } from './store.ts'

/** Where somebody stands who has shown a first factor: signed in, or with something left to do. */
export type Arrival =
  | { state: 'signed-in'; user: SignedInUser; session: { id: string } }
  | { state: 'second-factor'; methods: SecondFactor[] }
  | { state: 'scheduled'; erasedAt: Date }

/** What somebody has shown. */
export interface Proof {
  /** As they were when they proved it. */
  user: User
  /** How they have proven who they are (RFC 8176); with `mfa` no second factor is asked for. */
  amr: string[]
  /** When; just now unless said. */
  authTime?: Date | undefined
  /** Whoever vouches for them did not say when: that they proved it then is assumed. */
  authTimeAssumed?: boolean
  /** They want the deletion of their account undone. */
  restores?: boolean
  /** The session in which they have shown more, and which must not have ended meanwhile. */
  sessionId?: string | undefined
  /** Where they were going when they had to sign in. */
  journey?: Journey | undefined
}

/**
 * Every way in ends here, so that none is weaker than another: by password, passkey or provider. Whoever is disabled
 * has been turned away before.
 */
export async function arrive(ctx: Ctx, exchange: Exchange, proof: Proof): Promise<Arrival> {
  try {
    const arrival = await yielding(
      async () =>
        (await enterAtOnce(ctx, { exchange, proof })) ??
        ctx.db.transaction().execute((tx) => proceed(ctx, tx, { exchange, proof })),
    )
    if (arrival.state === 'signed-in') forgetPending(ctx, exchange)
    return arrival
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_CREDENTIALS') {
      await noteRefusal(ctx, refusalOf(exchange, proof))
    }
    throw error
  }
}

const isByPassword = (amr: string[]): boolean => amr.includes('pwd')

/** What they have proven was so no more. */
const refusalOf = ({ request }: Exchange, { user, amr, journey }: Proof): Refusal => ({
  ...{ request, journey, userId: user.id, email: user.email, reason: 'changed_meanwhile' },
  method: amr.includes('fed') ? 'sso' : isByPassword(amr) ? 'password' : 'passkey',
})

/** One who arrives, and with what. */
interface Arriving {
  exchange: Exchange
  proof: Proof
}

/**
 * Most have nothing left to do. They are signed in by one statement, which sees to it itself that what was proven is still
 * so. If it is not, if anything is left, or if somebody is at work on the account, nothing was done, and what it is is found
 * out in a transaction.
 */
async function enterAtOnce(ctx: Ctx, { exchange, proof }: Arriving): Promise<Arrival | undefined> {
  const { user, amr, sessionId } = proof
  if (user.deletion_requested_at !== null || amr.includes('mfa') || sessionId !== undefined) return undefined
  const held = holdingWithoutFactors(user, { byPassword: isByPassword(amr) })
  const session = await startSessionIf(ctx, exchange, { ...toStart(ctx, exchange, proof), held })
  return session && { state: 'signed-in', user: toSignedInUser(user), session }
}

/** In one transaction, so that what was proven is so until it has been acted upon. */
async function proceed(ctx: Ctx, tx: Tx, arriving: Arriving): Promise<Arrival> {
  const { user, restores = false } = arriving.proof
  const methods = await stayProven(tx, arriving.proof)
  if (user.deletion_requested_at !== null && !restores) {
    await remember(ctx, tx, arriving)
    return { state: 'scheduled', erasedAt: erasedAt(user.deletion_requested_at) }
  }
  if (methods.length > 0) {
    await remember(ctx, tx, arriving)
    return { state: 'second-factor', methods }
  }
  return enter(ctx, tx, arriving)
}

/** Something is left to do: half a sign-in is kept. */
async function remember(ctx: Ctx, tx: Tx, { exchange, proof }: Arriving): Promise<void> {
  const { user, amr, authTime, authTimeAssumed = false, restores = false } = proof
  const pending = { userId: user.id, amr, authTime, authTimeAssumed, restores }
  await rememberPending({ ...ctx, db: tx }, exchange, pending)
}

/** Signs them in: nothing is left to be shown. */
async function enter(ctx: Ctx, tx: Tx, { exchange, proof }: Arriving): Promise<Arrival> {
  const { user } = proof
  // Only those who wanted to get here with a deletion to undo.
  if (user.deletion_requested_at !== null) {
    await restoreAccount(ctx, tx, { user, actor: person(user.id), request: exchange.request })
  }
  const session = await open(ctx, tx, { exchange, proof })
  return { state: 'signed-in', user: toSignedInUser(user), session }
}

/**
 * Proving takes its time, and whoever changes a password or a factor meanwhile has everybody in mind who knew the old
 * one. So what was proven must still be so, and stays so until the transaction ends. Returns the second factors of
 * which one is still to be shown.
 */
async function stayProven(tx: Tx, { user, amr, sessionId }: Proof): Promise<SecondFactor[]> {
  const now = await lockUser(tx, user.id)
  if (!now) throw new AppError('INVALID_CREDENTIALS')
  const isSame =
    !now.disabled &&
    now.password_hash === user.password_hash &&
    (now.password_sign_in || !isByPassword(amr)) &&
    (now.deletion_requested_at === null) === (user.deletion_requested_at === null)
  // Asked once nobody else changes them: one may have come or gone while the lock was waited for.
  const methods = await secondFactorsOf(tx, user.id)
  const hasShown = amr.includes('mfa')
  const isShown = !hasShown || methods.length > 0
  const isOpen = sessionId === undefined || (await isSession(tx, sessionId))
  if (!isSame || !isShown || !isOpen) throw new AppError('INVALID_CREDENTIALS')
  return hasShown ? [] : methods
}

async function open(ctx: Ctx, tx: Tx, { exchange, proof }: Arriving): Promise<{ id: string }> {
  const start = toStart(ctx, exchange, proof)
  const { id, isNewDevice } = await startBrowserSession({ ...ctx, db: tx }, exchange, start)
  if (isNewDevice) await tellOfDevice(ctx, tx, { exchange, user: proof.user })
  return { id }
}

function toStart(ctx: Ctx, exchange: Exchange, proof: Proof) {
  const { amr, authTime, authTimeAssumed, sessionId, journey } = proof
  const { id: userId } = proof.user
  const action = sessionId === undefined ? 'session.started' : 'session.second_factor_shown'
  const entry = { action, actor: person(userId), userId, request: exchange.request } as const
  return {
    ...{ userId, amr, authTime, authTimeAssumed, marks: markDevice(ctx, exchange) },
    entryOf: (id: string) => ({ ...entry, clientId: journey?.clientId, details: { sessionId: id, amr } }),
  }
}

/** Whoever just signs in, without being on the way to an application, ends up here. */
export const HOME = '/account'

/** The page where whoever stands there goes on. */
export function wayOn(ctx: Ctx, { state }: Pick<Arrival, 'state'>, journey: Journey | undefined): string {
  const path = { 'signed-in': journey?.next ?? HOME, 'second-factor': '/mfa', scheduled: '/restore' }[state]
  return pageOf(ctx, path, journey)
}
