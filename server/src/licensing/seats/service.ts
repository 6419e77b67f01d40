import type { FastifyRequest } from 'fastify'
import { type Action, type Actor, record } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { inSavepoint } from '../../db/savepoint.ts'
import { isOrphan, yielding } from '../../db/violations.ts'
import { AppError } from '../../errors.ts'
import { NO_ID, newId, toId } from '../../lib/ids.ts'
import { inTurn } from '../../tenants/turns.ts'
import { getType } from '../catalogue/service.ts'
import {
  findObstacles,
  findRevision,
  holdAll,
  lockAndEnter,
  mayGiveSeats,
  moveSeat,
  type NewSeat,
  type Obstacles,
  releaseOverdue,
  releaseSeat,
  type SeatKey,
  type TakenSeat,
  takeSeat,
} from './store.ts'

/** Seats: who may use an application that is licensed by the seat. Every door that gives or takes one leads here. */

/** Whose seat of what. */
export interface SeatWish {
  userId: string
  applicationId: string
  licenseTypeId: string
}

/** For which tenant, by whom. */
export interface Granting {
  tenantId: string
  actor: Actor
  request?: FastifyRequest | undefined
  /** They may because of their role in the tenant, which may have changed while they waited. */
  byRole?: boolean
}

export interface Assignment {
  id: string
  userId: string
  licenseTypeId: string
  licenseTypeName: string
  assignedAt: Date
}

/** Something done, and how far the tenant's ledger came by it. */
export interface Settled<T> {
  result: T
  revision: string
}

/**
 * Does work on the seats of one tenant, behind the wall between tenants. What it changes is known to this node
 * before anybody hears of it.
 */
export async function inLedger<T>(
  ctx: Ctx,
  { tenantId, actor, byRole = false }: Omit<Granting, 'request'>,
  work: (tx: Tx) => Promise<T>,
): Promise<Settled<T>> {
  const attempt = () =>
    ctx.db.transaction().execute(async (tx) => {
      const by = actor.id === undefined ? undefined : `${actor.kind}:${actor.id}`
      if (!(await lockAndEnter(tx, tenantId, by))) throw new AppError('TENANT_NOT_FOUND')
      if (byRole && !(await mayGiveSeats(tx, tenantId, actor.id))) throw new AppError('FORBIDDEN')
      const result = await work(tx)
      return { result, revision: await findRevision(tx, tenantId) }
    })
  const settled = await yielding(() => inTurn(tenantId, attempt))
  await ctx.changes.settle()
  return settled
}

export const grant = (ctx: Ctx, granting: Granting, wish: SeatWish): Promise<Settled<Assignment>> =>
  inLedger(ctx, granting, (tx) => grantSeat(ctx, tx, granting, wish))

export const revoke = (
  ctx: Ctx,
  granting: Granting,
  wish: Omit<SeatWish, 'licenseTypeId'>,
): Promise<Settled<void>> => inLedger(ctx, granting, (tx) => revokeSeat(ctx, tx, granting, wish))

/** Gives somebody another type of licence, with no moment in which they have none. */
export const change = (ctx: Ctx, granting: Granting, wish: SeatWish): Promise<Settled<Assignment>> =>
  inLedger(ctx, granting, (tx) => changeSeat(ctx, tx, granting, wish))

/** How often a seat may come free between the look and the grasp. */
const TRIES = 3

export async function grantSeat(ctx: Ctx, tx: Tx, granting: Granting, wish: SeatWish): Promise<Assignment> {
  const seat = { ...toSeat(ctx, granting, wish), kind: 'ASSIGNED' } as const
  const { id, licenseTypeName } = await obtain(tx, seat, refusalOf)
  const { userId, licenseTypeId, now: assignedAt } = seat
  await note(ctx, tx, { action: 'license.granted', granting, seat })
  return { id, userId, licenseTypeId, licenseTypeName, assignedAt }
}

/** Keeps a seat for somebody who is INVITED. It is theirs when they accept, and free again when they cannot any more. */
export async function reserveSeat(ctx: Ctx, tx: Tx, granting: Granting, wish: SeatWish): Promise<void> {
  const seat = { ...toSeat(ctx, granting, wish), kind: 'RESERVED' } as const
  await obtain(tx, seat, refusalOfReservation)
}

/**
 * Gives somebody who has just joined the seat that came with the invitation: the one that was kept for them, or another
 * if that is gone. Where none is to be had they have joined all the same.
 */
export async function keepPromise(
  ctx: Ctx,
  tx: Tx,
  granting: Granting,
  { userId, licenseTypeId }: { userId: string; licenseTypeId: string },
): Promise<void> {
  const { application_id: applicationId } = await getType(tx, licenseTypeId)
  await attempt(ctx, tx, granting, { userId, applicationId, licenseTypeId }, grantSeat)
}

/** A seat, or the reason why there is none. */
async function obtain(
  tx: Tx,
  seat: NewSeat,
  whyNot: (obstacles: Obstacles) => AppError | undefined,
): Promise<TakenSeat> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const taken = await take(tx, seat)
    if (taken) return taken
    const refusal = whyNot(await findObstacles(tx, seat))
    // What is kept for somebody who did not come in time is free.
    const isFull = refusal?.code === 'NO_SEATS_AVAILABLE' && attempt === 0
    if (refusal && !(isFull && (await releaseOverdue(tx, seat)))) throw refusal
  }
  throw new AppError('UNAVAILABLE', { headers: { 'Retry-After': '1' } })
}

/** A member who is removed at this very moment is none. */
async function take(tx: Tx, seat: NewSeat) {
  try {
    return await takeSeat(tx, seat)
  } catch (error) {
    if (isOrphan(error)) throw new AppError('USER_NOT_FOUND', { cause: error })
    throw error
  }
}

/** What is no id is nobody's and nothing's. */
const toSeat = (ctx: Ctx, { tenantId }: Granting, wish: SeatWish) => ({
  id: newId(),
  tenantId,
  userId: toId(wish.userId) ?? NO_ID,
  applicationId: toId(wish.applicationId) ?? NO_ID,
  licenseTypeId: toId(wish.licenseTypeId) ?? NO_ID,
  now: ctx.now(),
})

/** The first of the reasons why there is no seat, in the order in which they are told; undefined: there is none. */
function refusalOf(obstacles: Obstacles): AppError | undefined {
  const { mode, typeName, member, disabled, seatId, seatUsable } = obstacles
  if (mode === null) return new AppError('INVALID_APPLICATION_ID')
  if (typeName === null) return new AppError('LICENSE_TYPE_NOT_FOUND')
  if (member === null) return new AppError('USER_NOT_FOUND')
  if (member !== 'ACTIVE' || disabled) return new AppError('MEMBER_NOT_ACTIVE')
  // Where nobody is given a seat, everybody has what there is.
  if (mode !== 'PER_SEAT' || (seatId !== null && seatUsable)) return new AppError('ALREADY_LICENSED')
  return noSeats(obstacles)
}

/** Where nobody is given a seat, everybody who joins has what there is, and none can be kept. */
function refusalOfReservation(obstacles: Obstacles): AppError | undefined {
  const { mode, typeName } = obstacles
  if (mode === null) return new AppError('INVALID_APPLICATION_ID')
  if (typeName === null) return new AppError('LICENSE_TYPE_NOT_FOUND')
  if (mode !== 'PER_SEAT') return new AppError('ALREADY_LICENSED')
  return noSeats(obstacles)
}

function noSeats({ subscription, subscriptionUsable, free }: Obstacles): AppError | undefined {
  const reason =
    subscription === null
      ? 'NO_SUBSCRIPTION'
      : !subscriptionUsable
        ? 'SUBSCRIPTION_INACTIVE'
        : (free ?? 0) <= 0
          ? 'FULL'
          : undefined
  return reason && new AppError('NO_SEATS_AVAILABLE', { details: { reason } })
}

export async function revokeSeat(
  ctx: Ctx,
  tx: Tx,
  granting: Granting,
  { userId, applicationId }: Omit<SeatWish, 'licenseTypeId'>,
): Promise<void> {
  const seat = toSeat(ctx, granting, { userId, applicationId, licenseTypeId: NO_ID })
  const released = await releaseSeat(tx, seat)
  if (!released) {
    const { mode } = await findObstacles(tx, seat)
    throw new AppError(mode === null ? 'INVALID_APPLICATION_ID' : 'LICENSE_NOT_FOUND')
  }
  await note(ctx, tx, {
    action: 'license.revoked',
    granting,
    seat: { ...seat, licenseTypeId: released.licenseTypeId },
  })
}

async function changeSeat(ctx: Ctx, tx: Tx, granting: Granting, wish: SeatWish): Promise<Assignment> {
  const seat = toSeat(ctx, granting, wish)
  const before = await findObstacles(tx, seat)
  const { mode, typeName, seatId, seatTypeId, seatAssignedAt, seatUsable } = before
  if (mode === null) throw new AppError('INVALID_APPLICATION_ID')
  if (typeName === null) throw new AppError('LICENSE_TYPE_NOT_FOUND')
  if (seatId === null || seatAssignedAt === null) throw new AppError('LICENSE_NOT_FOUND')
  const { userId, licenseTypeId } = seat
  if (seatTypeId === licenseTypeId) {
    if (!seatUsable) throw noSeats(before) ?? full()
  } else {
    await releaseOverdue(tx, seat)
    if (!(await moveSeat(tx, seat))) {
      const { seatId: still, ...now } = await findObstacles(tx, seat)
      throw still === null
        ? new AppError('LICENSE_NOT_FOUND')
        : (noSeats({ seatId: still, ...now }) ?? full())
    }
    await note(ctx, tx, { action: 'license.changed', granting, seat, before: seatTypeId })
  }
  return { id: seatId, userId, licenseTypeId, licenseTypeName: typeName, assignedAt: seatAssignedAt }
}

const full = () => new AppError('NO_SEATS_AVAILABLE', { details: { reason: 'FULL' } })

interface Noted {
  action: Action
  granting: Granting
  seat: SeatKey & { licenseTypeId: string }
  before?: string | null
}

async function note(ctx: Ctx, tx: Tx, { action, granting, seat, before }: Noted): Promise<void> {
  const { actor, request, tenantId } = granting
  const { userId, applicationId, licenseTypeId } = seat
  const details = { applicationId, licenseTypeId, ...(before && { before: { licenseTypeId: before } }) }
  await record(ctx, tx, { action, actor, request, tenantId, userId, details })
}

/** What became of one of many. */
export type RowResult<T> = { result: T } | { error: AppError }

/** Does the same for many, each as if it had come alone: one that fails holds up no other. Results keep their order. */
export function forEach<W extends { userId: string; applicationId: string }, T>(
  ctx: Ctx,
  granting: Granting,
  wishes: W[],
  work: (ctx: Ctx, tx: Tx, granting: Granting, wish: W) => Promise<T>,
): Promise<Settled<RowResult<T>[]>> {
  return inLedger(ctx, granting, async (tx) => {
    await holdAll(tx, granting.tenantId, wishes)
    const results: RowResult<T>[] = []
    for (const wish of wishes) results.push(await attempt(ctx, tx, granting, wish, work))
    return results
  })
}

async function attempt<W, T>(
  ctx: Ctx,
  tx: Tx,
  granting: Granting,
  wish: W,
  work: (ctx: Ctx, tx: Tx, granting: Granting, wish: W) => Promise<T>,
): Promise<RowResult<T>> {
  try {
    return { result: await inSavepoint(tx, () => work(ctx, tx, granting, wish)) }
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    return { error }
  }
}
