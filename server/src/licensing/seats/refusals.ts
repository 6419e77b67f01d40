import { AppError } from '../../errors.ts'
import { t } from '../../languages/translate.ts'
import type { SeatFacts } from './store.ts'

/** The first reason why a seat cannot be granted; undefined if it can. */
export function findGrantRefusal(facts: SeatFacts): AppError | undefined {
  const { mode, typeName, member, disabled, seatId, seatUsable } = facts
  if (mode === null) return new AppError('INVALID_APPLICATION_ID')
  if (typeName === null) return new AppError('LICENSE_TYPE_NOT_FOUND')
  if (member === null) return new AppError('USER_NOT_FOUND', { message: t('The tenant has no such member.') })
  if (member !== 'ACTIVE' || disabled) return new AppError('MEMBER_NOT_ACTIVE')
  // In the other licensing modes every member has a license without a seat.
  if (mode !== 'PER_SEAT' || (seatId !== null && seatUsable)) return new AppError('ALREADY_LICENSED')
  return isFree(facts) ? undefined : noSeats(facts)
}

/** In the other licensing modes every new member has a license, and no seat can be reserved. */
export function findReservationRefusal(facts: SeatFacts): AppError | undefined {
  const { mode, typeName } = facts
  if (mode === null) return new AppError('INVALID_APPLICATION_ID')
  if (typeName === null) return new AppError('LICENSE_TYPE_NOT_FOUND')
  if (mode !== 'PER_SEAT') return new AppError('ALREADY_LICENSED')
  return isFree(facts) ? undefined : noSeats(facts)
}

const isFree = ({ subscriptionUsable, free }: SeatFacts) => subscriptionUsable === true && (free ?? 0) > 0

/** Which fact of the subscription is the reason. */
export function noSeats({ subscription, subscriptionUsable }: SeatFacts): AppError {
  const lacking = subscription === null ? 'NO_SUBSCRIPTION' : 'SUBSCRIPTION_INACTIVE'
  return new AppError('NO_SEATS_AVAILABLE', { details: { reason: subscriptionUsable ? 'FULL' : lacking } })
}
