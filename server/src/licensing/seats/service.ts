import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { NO_ID, newId, toId } from '../../lib/ids.ts'
import { requireApplicationId } from '../application-id.ts'
import { getType } from '../catalogue/service.ts'
import { amongOthers } from './among-others.ts'
import { type Granting, inOpenLedger, type Settled } from './in-ledger.ts'
import { attempt } from './many.ts'
import { note } from './noting.ts'
import { noSeats, whyNoReservation, whyNoSeat } from './refusals.ts'
import {
  findObstacles,
  findRevision,
  moveSeat,
  type NewSeat,
  type Obstacles,
  releaseOverdue,
  releaseSeat,
  type TakenSeat,
  takeSeat,
} from './store.ts'

/** Seats: who may use an application that is licensed by the seat. Every door that gives or takes one leads here. */

/** Whose seat of what. */
export interface SeatWish {
  userId: string
  /** Whatever was said; what is no id of one is refused. */
  applicationId?: unknown
  licenseTypeId: string
}

export interface Assignment {
  id: string
  userId: string
  licenseTypeId: string
  licenseTypeName: string
  assignedAt: Date
}

/** Together with others who come at the same time; where that cannot be, by itself. */
export async function grant(ctx: Ctx, granting: Granting, wish: SeatWish): Promise<Settled<Assignment>> {
  const seat = toSeat(ctx, granting, wish)
  const given = await amongOthers(ctx, { kind: 'grant', granting, seat })
  if (!given) return inOpenLedger(ctx, granting, (tx) => giveSeat(ctx, tx, granting, wish))
  const { id, userId, licenseTypeId, now: assignedAt } = seat
  const { licenseTypeName, revision } = given
  return { result: { id, userId, licenseTypeId, licenseTypeName, assignedAt }, revision }
}

export async function revoke(ctx: Ctx, granting: Granting, held: HeldSeat): Promise<Settled<void>> {
  const seat = toSeat(ctx, granting, { ...held, licenseTypeId: NO_ID })
  const taken = await amongOthers(ctx, { kind: 'revoke', granting, seat })
  if (!taken) return inOpenLedger(ctx, granting, (tx) => takeBack(ctx, tx, granting, held))
  return { result: undefined, revision: taken.revision }
}

/** Gives somebody another type of licence, with no moment in which they have none. */
export const change = (ctx: Ctx, granting: Granting, wish: SeatWish): Promise<Settled<Assignment>> =>
  inOpenLedger(ctx, granting, (tx) => changeSeat(ctx, tx, granting, wish))

/** How often a seat may come free between the look and the grasp. */
const TRIES = 3

/** As part of other work. */
export async function grantSeat(ctx: Ctx, tx: Tx, granting: Granting, wish: SeatWish): Promise<Assignment> {
  return (await giveSeat(ctx, tx, granting, wish)).result
}

async function giveSeat(ctx: Ctx, tx: Tx, granting: Granting, wish: SeatWish): Promise<Settled<Assignment>> {
  const seat = { ...toSeat(ctx, granting, wish), kind: 'ASSIGNED' } as const
  const { id, licenseTypeName } = await obtain(tx, seat, whyNoSeat)
  const { userId, licenseTypeId, now: assignedAt } = seat
  const revision = await note(ctx, tx, { action: 'license.granted', granting, seat })
  return { result: { id, userId, licenseTypeId, licenseTypeName, assignedAt }, revision }
}

/** Keeps a seat for somebody who is INVITED. It is theirs when they accept, and free again when they cannot any more. */
export async function reserveSeat(ctx: Ctx, tx: Tx, granting: Granting, wish: SeatWish): Promise<void> {
  const seat = { ...toSeat(ctx, granting, wish), kind: 'RESERVED' } as const
  await obtain(tx, seat, whyNoReservation)
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
    const taken = await takeSeat(tx, seat)
    if (taken) return taken
    const refusal = whyNot(await findObstacles(tx, seat))
    // What is kept for somebody who did not come in time is free.
    const isFull = refusal?.code === 'NO_SEATS_AVAILABLE' && attempt === 0
    if (refusal && !(isFull && (await releaseOverdue(tx, seat)))) throw refusal
  }
  throw new AppError('UNAVAILABLE', { headers: { 'Retry-After': '1' } })
}

/** What is no id is nobody's and nothing's; only the application is told of by a code of its own. */
const toSeat = (ctx: Ctx, { tenantId }: Granting, wish: SeatWish) => ({
  id: newId(),
  tenantId,
  userId: toId(wish.userId) ?? NO_ID,
  applicationId: requireApplicationId(wish.applicationId),
  licenseTypeId: toId(wish.licenseTypeId) ?? NO_ID,
  now: ctx.now(),
})

/** As part of other work. */
export async function revokeSeat(ctx: Ctx, tx: Tx, granting: Granting, held: HeldSeat): Promise<void> {
  await takeBack(ctx, tx, granting, held)
}

type HeldSeat = Omit<SeatWish, 'licenseTypeId'>

async function takeBack(
  ctx: Ctx,
  tx: Tx,
  granting: Granting,
  { userId, applicationId }: HeldSeat,
): Promise<Settled<void>> {
  const seat = toSeat(ctx, granting, { userId, applicationId, licenseTypeId: NO_ID })
  const released = await releaseSeat(tx, seat)
  if (!released) {
    const { mode } = await findObstacles(tx, seat)
    throw new AppError(mode === null ? 'INVALID_APPLICATION_ID' : 'LICENSE_NOT_FOUND')
  }
  const { licenseTypeId } = released
  const revision = await note(ctx, tx, {
    ...{ action: 'license.revoked', granting },
    seat: { ...seat, licenseTypeId },
  })
  return { result: undefined, revision }
}

async function changeSeat(
  ctx: Ctx,
  tx: Tx,
  granting: Granting,
  wish: SeatWish,
): Promise<Settled<Assignment>> {
  const seat = toSeat(ctx, granting, wish)
  const before = await findObstacles(tx, seat)
  const { mode, typeName, seatId, seatTypeId, seatAssignedAt, seatUsable } = before
  if (mode === null) throw new AppError('INVALID_APPLICATION_ID')
  if (typeName === null) throw new AppError('LICENSE_TYPE_NOT_FOUND')
  if (seatId === null || seatAssignedAt === null) throw new AppError('LICENSE_NOT_FOUND')
  const { userId, licenseTypeId } = seat
  const result = { id: seatId, userId, licenseTypeId, licenseTypeName: typeName, assignedAt: seatAssignedAt }
  if (seatTypeId === licenseTypeId) {
    if (!seatUsable) throw noSeats(before)
    return { result, revision: await findRevision(tx, seat.tenantId) }
  }
  await move(tx, seat)
  const revision = await note(ctx, tx, { action: 'license.changed', granting, seat, before: seatTypeId })
  return { result, revision }
}

async function move(tx: Tx, seat: ReturnType<typeof toSeat>): Promise<void> {
  const isMoved =
    (await moveSeat(tx, seat)) || ((await releaseOverdue(tx, seat)) && (await moveSeat(tx, seat)))
  if (isMoved) return
  const now = await findObstacles(tx, seat)
  throw now.seatId === null ? new AppError('LICENSE_NOT_FOUND') : noSeats(now)
}
