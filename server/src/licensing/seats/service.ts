import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { NIL_ID, newId, toId } from '../../lib/ids.ts'
import { requireApplicationId } from '../application-id.ts'
import { getLicenseType } from '../catalog/service.ts'
import { recordSeatEvent } from './audit-events.ts'
import { changeInBatch } from './batch.ts'
import { tryChange } from './bulk.ts'
import { type GrantedSeat, grantSeatTo, type NewSeat } from './grant-store.ts'
import { findGrantRefusal, findReservationRefusal, noSeats } from './refusals.ts'
import { type GrantContext, inSeatTransactionWithRevision, type WithRevision } from './seat-transaction.ts'
import { findRevision, moveSeat, readSeatFacts, releaseOverdue, releaseSeat, type SeatFacts } from './store.ts'

/**
 * Seats: who may use an application that is licensed by the seat. Every route, invitation and declaration that grants or
 * revokes a seat does it here.
 */

export interface SeatRequest {
  userId: string
  /** As the caller sent it; anything that is not an application's id is refused. */
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

export async function grant(ctx: Ctx, context: GrantContext, request: SeatRequest): Promise<WithRevision<Assignment>> {
  const seat = toSeat(ctx, context, request)
  const granted = await changeInBatch(ctx, { action: 'grant', context, seat })
  if (!granted) {
    return inSeatTransactionWithRevision(ctx, context, (tx) => grantInTransaction(ctx, tx, context, request))
  }
  const { userId, licenseTypeId, now: assignedAt } = seat
  const { seatId: id, licenseTypeName, revision } = granted
  return { result: { id, userId, licenseTypeId, licenseTypeName, assignedAt }, revision }
}

export async function revoke(ctx: Ctx, context: GrantContext, held: HeldSeat): Promise<WithRevision<void>> {
  const seat = toSeat(ctx, context, { ...held, licenseTypeId: NIL_ID })
  const revoked = await changeInBatch(ctx, { action: 'revoke', context, seat })
  if (revoked) return { result: undefined, revision: revoked.revision }
  return inSeatTransactionWithRevision(ctx, context, (tx) => revokeInTransaction(ctx, tx, context, held))
}

/** Moves somebody to another license type, with no moment in which they have none. */
export const change = (ctx: Ctx, context: GrantContext, request: SeatRequest): Promise<WithRevision<Assignment>> =>
  inSeatTransactionWithRevision(ctx, context, (tx) => changeSeat(ctx, tx, context, request))

/** As part of another transaction. */
export async function grantSeat(ctx: Ctx, tx: Tx, context: GrantContext, request: SeatRequest): Promise<Assignment> {
  return (await grantInTransaction(ctx, tx, context, request)).result
}

async function grantInTransaction(
  ctx: Ctx,
  tx: Tx,
  context: GrantContext,
  request: SeatRequest,
): Promise<WithRevision<Assignment>> {
  const seat = { ...toSeat(ctx, context, request), kind: 'ASSIGNED' } as const
  const { id, licenseTypeName } = await grantOrRefuse(tx, seat, findGrantRefusal)
  const { userId, licenseTypeId, now: assignedAt } = seat
  const revision = await recordSeatEvent(ctx, tx, { action: 'license.granted', context, seat })
  return { result: { id, userId, licenseTypeId, licenseTypeName, assignedAt }, revision }
}

/** Reserves a seat for an INVITED member. It is assigned when they accept, and released when they no longer can. */
export async function reserveSeat(ctx: Ctx, tx: Tx, context: GrantContext, request: SeatRequest): Promise<void> {
  const seat = { ...toSeat(ctx, context, request), kind: 'RESERVED' } as const
  await grantOrRefuse(tx, seat, findReservationRefusal)
}

/**
 * Grants a new member the seat of their invitation: the reserved one, or another if that is gone. Without a free seat
 * they are a member all the same.
 */
export async function grantReservedSeat(
  ctx: Ctx,
  tx: Tx,
  context: GrantContext,
  { userId, licenseTypeId }: { userId: string; licenseTypeId: string },
): Promise<void> {
  const { application_id: applicationId } = await getLicenseType(tx, licenseTypeId)
  await tryChange(ctx, tx, context, { userId, applicationId, licenseTypeId }, grantSeat)
}

/** How often a seat may become free between the refusal and the look for its reason. */
const MAX_ATTEMPTS = 3

/** Grants the seat, or throws the reason why there is none. */
async function grantOrRefuse(
  tx: Tx,
  seat: NewSeat,
  findRefusal: (facts: SeatFacts) => AppError | undefined,
): Promise<GrantedSeat> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const granted = await grantSeatTo(tx, seat)
    if (granted) return granted
    const refusal = findRefusal(await readSeatFacts(tx, seat))
    // Seats reserved for invitations that have expired are free.
    const isFull = refusal?.code === 'NO_SEATS_AVAILABLE' && attempt === 0
    if (refusal && !(isFull && (await releaseOverdue(tx, seat)))) throw refusal
  }
  throw new AppError('UNAVAILABLE', { headers: { 'Retry-After': '1' } })
}

/** An invalid id of a user or license type matches nothing. Only an invalid application has an error of its own. */
const toSeat = (ctx: Ctx, { tenantId }: GrantContext, request: SeatRequest) => ({
  id: newId(),
  tenantId,
  userId: toId(request.userId) ?? NIL_ID,
  applicationId: requireApplicationId(request.applicationId),
  licenseTypeId: toId(request.licenseTypeId) ?? NIL_ID,
  now: ctx.now(),
})

/** As part of another transaction. */
export async function revokeSeat(ctx: Ctx, tx: Tx, context: GrantContext, held: HeldSeat): Promise<void> {
  await revokeInTransaction(ctx, tx, context, held)
}

type HeldSeat = Omit<SeatRequest, 'licenseTypeId'>

async function revokeInTransaction(
  ctx: Ctx,
  tx: Tx,
  context: GrantContext,
  { userId, applicationId }: HeldSeat,
): Promise<WithRevision<void>> {
  const seat = toSeat(ctx, context, { userId, applicationId, licenseTypeId: NIL_ID })
  const released = await releaseSeat(tx, seat)
  if (!released) {
    const { mode } = await readSeatFacts(tx, seat)
    throw new AppError(mode === null ? 'INVALID_APPLICATION_ID' : 'LICENSE_NOT_FOUND')
  }
  const { licenseTypeId } = released
  const revision = await recordSeatEvent(ctx, tx, {
    action: 'license.revoked',
    context,
    seat: { ...seat, licenseTypeId },
  })
  return { result: undefined, revision }
}

async function changeSeat(
  ctx: Ctx,
  tx: Tx,
  context: GrantContext,
  request: SeatRequest,
): Promise<WithRevision<Assignment>> {
  const seat = toSeat(ctx, context, request)
  const before = await readSeatFacts(tx, seat)
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
  const revision = await recordSeatEvent(ctx, tx, {
    action: 'license.changed',
    context,
    seat,
    before: seatTypeId,
  })
  return { result, revision }
}

async function move(tx: Tx, seat: ReturnType<typeof toSeat>): Promise<void> {
  const isMoved = (await moveSeat(tx, seat)) || ((await releaseOverdue(tx, seat)) && (await moveSeat(tx, seat)))
  if (isMoved) return
  const facts = await readSeatFacts(tx, seat)
  throw facts.seatId === null ? new AppError('LICENSE_NOT_FOUND') : noSeats(facts)
}
