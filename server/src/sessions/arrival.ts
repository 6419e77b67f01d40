import { person, record } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { isOrphan } from '../db/violations.ts'
import { AppError } from '../errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { erasedAt, restoreAccount } from '../users/deletion.ts'
import { type SecondFactor, secondFactorsOf } from '../users/factors/factors.ts'
import { type SignedInUser, toSignedInUser } from '../users/profile.ts'
import type { User } from '../users/service.ts'
import { startBrowserSession } from './browser-session.ts'
import { greetDevice } from './devices.ts'
import { type Journey, pageOf } from './journey.ts'
import { forgetPending, rememberPending } from './pending.ts'

/** Where somebody stands who has shown a first factor: signed in, or with something left to do. */
export type Arrival =
  | { state: 'signed-in'; user: SignedInUser; session: { id: string } }
  | { state: 'second-factor'; methods: SecondFactor[] }
  | { state: 'scheduled'; erasedAt: Date }

/** What somebody has shown. */
export interface Proof {
  user: User
  /** How they have proven who they are (RFC 8176); with `mfa` no second factor is asked for. */
  amr: string[]
  /** They want the deletion of their account undone. */
  restores?: boolean
}

/**
 * Every way in ends here, so that none is weaker than another: by password, passkey or provider. Whoever is disabled
 * has been turned away before.
 */
export async function arrive(ctx: Ctx, exchange: Exchange, proof: Proof): Promise<Arrival> {
  const { user, amr, restores = false } = proof
  if (user.deletion_requested_at !== null && !restores) {
    await rememberPending(ctx, exchange, { userId: user.id, amr, restores: false })
    return { state: 'scheduled', erasedAt: erasedAt(user.deletion_requested_at) }
  }
  const methods = amr.includes('mfa') ? [] : await secondFactorsOf(ctx.db, user.id)
  if (methods.length > 0) {
    await rememberPending(ctx, exchange, { userId: user.id, amr, restores })
    return { state: 'second-factor', methods }
  }
  return enter(ctx, exchange, proof)
}

/** Signs them in: nothing is left to be shown. */
async function enter(ctx: Ctx, exchange: Exchange, { user, amr }: Proof): Promise<Arrival> {
  try {
    const session = await ctx.db.transaction().execute(async (tx) => {
      // Only those who wanted to get here with a deletion to undo.
      if (user.deletion_requested_at !== null) await restoreAccount(ctx, tx, user, exchange.request)
      return open(ctx, tx, { exchange, user, amr })
    })
    forgetPending(ctx, exchange)
    return { state: 'signed-in', user: toSignedInUser(user), session }
  } catch (error) {
    // Erased at this very moment.
    if (isOrphan(error)) throw new AppError('INVALID_CREDENTIALS', { cause: error })
    throw error
  }
}

async function open(
  ctx: Ctx,
  tx: Tx,
  { exchange, user, amr }: { exchange: Exchange; user: User; amr: string[] },
): Promise<{ id: string }> {
  const session = await startBrowserSession({ ...ctx, db: tx }, exchange, { userId: user.id, amr })
  await greetDevice(ctx, tx, { exchange, user })
  const details = { sessionId: session.id, amr }
  const { request } = exchange
  await record(ctx, tx, {
    action: 'session.started',
    actor: person(user.id),
    userId: user.id,
    request,
    details,
  })
  return session
}

/** Whoever just signs in, without being on the way to an application, ends up here. */
export const HOME = '/account'

/** The page where whoever stands there goes on. */
export function wayOn(ctx: Ctx, { state }: Pick<Arrival, 'state'>, journey: Journey | undefined): string {
  const path = { 'signed-in': journey?.next ?? HOME, 'second-factor': '/mfa', scheduled: '/restore' }[state]
  return pageOf(ctx, path, journey)
}
