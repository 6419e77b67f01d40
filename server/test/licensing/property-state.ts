import type { MembershipStatus, SubscriptionStatus } from '../../src/db/tables.ts'
import { HOUR_MS, type Step, TYPES } from './property-steps.ts'

/** The state that the model of licensing keeps in memory. */

export interface Terms {
  seats: number
  status: SubscriptionStatus
  /** Null if it has no end. */
  end: number | null
}

export interface Person {
  membership: MembershipStatus | 'NONE'
  invitedUntil: number
  /** The membership to restore if the deletion of the account is canceled. */
  membershipBefore: MembershipStatus | undefined
  deletionRequested: boolean
  disabled: boolean
  erased: boolean
}

export interface Seat {
  person: number
  type: number
  status: 'ASSIGNED' | 'PARKED' | 'RESERVED'
}

/** The result of a step: DONE, SKIPPED, or the error code with its reason. */
export type Outcome = string
export const SKIPPED = 'skipped, because it has no effect in this state'
export const DONE = 'done'

export const newPerson = (): Person => ({
  membership: 'ACTIVE',
  invitedUntil: 0,
  membershipBefore: undefined,
  deletionRequested: false,
  disabled: false,
  erased: false,
})

export const applicationOf = (type: number): number => TYPES[type] ?? -1

export function getAt<T>(list: T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new Error(`there is no item ${index}`)
  return item
}

export const toEnd = (hours: number | null, now: number): number | null =>
  hours === null ? null : now + hours * HOUR_MS

export const canBeInvited = ({ membership, deletionRequested, erased }: Person): boolean =>
  membership === 'NONE' && !deletionRequested && !erased

/** Whether a step has an effect on this person. */
export function isApplicable(step: Step, person: Person, seats: Seat[], index: number): boolean {
  const own = seats.filter((seat) => seat.person === index)
  const holds = (application: number) =>
    own.some((seat) => applicationOf(seat.type) === application && seat.status === 'ASSIGNED')
  switch (step.do) {
    case 'reactivate':
      return person.membership === 'SUSPENDED'
    case 'accept':
      return person.membership === 'INVITED'
    case 'join':
    case 'invite':
      return canBeInvited(person)
    case 'cancelDeletion':
      return person.deletionRequested && !person.erased
    case 'change':
      return holds(applicationOf(step.type))
    case 'revoke':
      return holds(step.application)
    case 'suspend':
    case 'requestDeletion':
      return own.length > 0
    default:
      return true
  }
}
