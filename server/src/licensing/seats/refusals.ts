import { AppError } from '../../errors.ts'
import type { Obstacles } from './store.ts'

/** The first of the reasons why there is no seat, in the order in which they are told; undefined: there is none. */
export function whyNoSeat(obstacles: Obstacles): AppError | undefined {
  const { mode, typeName, member, disabled, seatId, seatUsable } = obstacles
  if (mode === null) return new AppError('INVALID_APPLICATION_ID')
  if (typeName === null) return new AppError('LICENSE_TYPE_NOT_FOUND')
  if (member === null) return new AppError('USER_NOT_FOUND', { message: 'The tenant has no such member.' })
  if (member !== 'ACTIVE' || disabled) return new AppError('MEMBER_NOT_ACTIVE')
  // Where nobody is given a seat, everybody has what there is.
  if (mode !== 'PER_SEAT' || (seatId !== null && seatUsable)) return new AppError('ALREADY_LICENSED')
  return isFree(obstacles) ? undefined : noSeats(obstacles)
}

/** Where nobody is given a seat, everybody who joins has what there is, and none can be kept. */
export function whyNoReservation(obstacles: Obstacles): AppError | undefined {
  const { mode, typeName } = obstacles
  if (mode === null) return new AppError('INVALID_APPLICATION_ID')
  if (typeName === null) return new AppError('LICENSE_TYPE_NOT_FOUND')
  if (mode !== 'PER_SEAT') return new AppError('ALREADY_LICENSED')
  return isFree(obstacles) ? undefined : noSeats(obstacles)
}

const isFree = ({ subscriptionUsable, free }: Obstacles) => subscriptionUsable === true && (free ?? 0) > 0

/** What of the subscription stands in the way. */
export function noSeats({ subscription, subscriptionUsable }: Obstacles): AppError {
  const lacking = subscription === null ? 'NO_SUBSCRIPTION' : 'SUBSCRIPTION_INACTIVE'
  return new AppError('NO_SEATS_AVAILABLE', { details: { reason: subscriptionUsable ? 'FULL' : lacking } })
}
