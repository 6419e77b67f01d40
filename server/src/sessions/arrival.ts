import { person, record } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { yielding } from '../db/violations.ts'
import { AppError } from '../errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { erasedAt, restoreAccount } from '../users/deletion.ts'
import { type SecondFactor, secondFactorsOf } from '../users/factors/factors.ts'
import { type SignedInUser, toSignedInUser } from '../users/profile.ts'
import { lockUser, type User } from '../users/service.ts'
import { startBrowserSession } from './browser-session.ts'
import { greetDevice } from './devices.ts'
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
    return await proceed(ctx, exchange, proof)
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_CREDENTIALS') {
      await noteRefusal(ctx, refusalOf(exchange, proof))
    }
    throw error
  }
}

/** What they have proven was so no more. */
const refusalOf = ({ request }: Exchange, { user, amr, journey }: Proof): Refusal => ({
  ...{ request, journey, userId: user.id, email: user.email, reason: 'changed_meanwhile' },
  method: amr.includes('fed') ? 'sso' : amr.includes('pwd') ? 'password' : 'passkey',
})

async function proceed(ctx: Ctx, exchange: Exchange, proof: Proof): Promise<Arrival> {
  const { user, amr, restores = false } = proof
  if (user.deletion_requested_at !== null && !restores) {
    await remember(ctx, exchange, { ...proof, restores })
    return { state: 'scheduled', erasedAt: erasedAt(user.deletion_requested_at) }
  }
  const methods = amr.includes('mfa') ? [] : await secondFactorsOf(ctx.db, user.id)
  if (methods.length > 0) {
    await remember(ctx, exchange, { ...proof, restores })
    return { state: 'second-factor', methods }
  }
  return enter(ctx, exchange, proof)
}

/** Something is left to do: half a sign-in is kept. */
async function remember(ctx: Ctx, exchange: Exchange, proof: Proof & { restores: boolean }): Promise<void> {
  const { user, amr, authTime, restores } = proof
  await ctx.db.transaction().execute(async (tx) => {
    await stayProven(tx, proof)
    await rememberPending({ ...ctx, db: tx }, exchange, { userId: user.id, amr, authTime, restores })
  })
}

/** Signs them in: nothing is left to be shown. */
async function enter(ctx: Ctx, exchange: Exchange, proof: Proof): Promise<Arrival> {
  const { user } = proof
  const session = await yielding(() =>
    ctx.db.transaction().execute(async (tx) => {
      await stayProven(tx, proof)
      // Only those who wanted to get here with a deletion to undo.
      if (user.deletion_requested_at !== null) {
        await restoreAccount(ctx, tx, { user, actor: person(user.id), request: exchange.request })
      }
      return open(ctx, tx, exchange, proof)
    }),
  )
  forgetPending(ctx, exchange)
  return { state: 'signed-in', user: toSignedInUser(user), session }
}

/**
 * Proving takes its time, and whoever changes a password or a factor meanwhile has everybody in mind who knew the old
 * one. So what was proven must still be so, and stays so until the transaction ends.
 */
async function stayProven(tx: Tx, { user, amr, sessionId }: Proof): Promise<void> {
  const now = await lockUser(tx, user.id)
  const isSame =
    now !== undefined &&
    !now.disabled &&
    now.password_hash === user.password_hash &&
    (now.deletion_requested_at === null) === (user.deletion_requested_at === null)
  const isShown = !amr.includes('mfa') || (await secondFactorsOf(tx, user.id)).length > 0
  const isOpen = sessionId === undefined || (await isSession(tx, sessionId))
  if (!isSame || !isShown || !isOpen) throw new AppError('INVALID_CREDENTIALS')
}

async function open(
  ctx: Ctx,
  tx: Tx,
  exchange: Exchange,
  { user, amr, authTime, sessionId, journey }: Proof,
): Promise<{ id: string }> {
  const { id: userId } = user
  const session = await startBrowserSession({ ...ctx, db: tx }, exchange, { userId, amr, authTime })
  await greetDevice(ctx, tx, { exchange, user })
  const details = { sessionId: session.id, amr }
  const { request } = exchange
  const action = sessionId === undefined ? 'session.started' : 'session.second_factor_shown'
  const entry = { action, actor: person(userId), userId, request } as const
  await record(ctx, tx, { ...entry, clientId: journey?.clientId, details })
  return session
}

/** Whoever just signs in, without being on the way to an application, ends up here. */
export const HOME = '/account'

/** The page where whoever stands there goes on. */
export function wayOn(ctx: Ctx, { state }: Pick<Arrival, 'state'>, journey: Journey | undefined): string {
  const path = { 'signed-in': journey?.next ?? HOME, 'second-factor': '/mfa', scheduled: '/restore' }[state]
  return pageOf(ctx, path, journey)
}
