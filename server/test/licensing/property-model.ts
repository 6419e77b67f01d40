import type { LicenseTypeStatus } from '../../src/db/tables.ts'
import {
  applicationOf,
  canBeInvited,
  DONE,
  getAt,
  isApplicable,
  newPerson,
  type Outcome,
  type Person,
  type Seat,
  SKIPPED,
  type Terms,
  toEnd,
} from './property-state.ts'
import { HOUR_MS, MODES, PERSON_COUNT, type Step, TYPES } from './property-steps.ts'

const GRACE_MS = 7 * 24 * HOUR_MS

/** A simple model of licensing in memory, with which the service must agree after every step. */
export class Model {
  people: Person[] = Array.from({ length: PERSON_COUNT }, newPerson)
  typeStatuses: LicenseTypeStatus[] = TYPES.map(() => 'ACTIVE')
  modes = [...MODES]
  terms = new Map<number, Terms>()
  seats: Seat[] = []
  tenantDeleted = false

  isUsable(type: number, now: number): boolean {
    const terms = this.terms.get(type)
    if (!terms || terms.status === 'EXPIRED') return false
    return terms.end === null || now < terms.end + (terms.status === 'PAST_DUE' ? GRACE_MS : 0)
  }

  /** All seats except reservations for expired invitations, which the service may release at any time. */
  listValidSeats(now: number): Seat[] {
    return this.seats.filter(
      ({ status, person }) => status !== 'RESERVED' || now < getAt(this.people, person).invitedUntil,
    )
  }

  countInUse(type: number, now: number): number {
    return this.listValidSeats(now).filter((seat) => seat.type === type && seat.status !== 'PARKED').length
  }

  /** Finds the license type of an application that a person holds. */
  findHeldType(person: number, application: number, now: number): number | undefined {
    const { membership, disabled, erased } = getAt(this.people, person)
    if (this.tenantDeleted || membership !== 'ACTIVE' || disabled || erased) return undefined
    const types = TYPES.flatMap((own, type) => (own === application ? [type] : []))
    switch (getAt(this.modes, application)) {
      case 'FREE':
        return types.find((type) => this.typeStatuses[type] === 'ACTIVE')
      case 'TENANT_WIDE':
        return types.findLast((type) => this.isUsable(type, now))
      case 'PER_SEAT': {
        const seat = this.findSeat(person, application)
        return seat && this.isUsable(seat.type, now) ? seat.type : undefined
      }
    }
  }

  private findSeat(person: number, application: number): Seat | undefined {
    return this.seats.find(
      (seat) => seat.person === person && applicationOf(seat.type) === application && seat.status === 'ASSIGNED',
    )
  }

  private removeSeats(isRemoved: (seat: Seat) => boolean): void {
    this.seats = this.seats.filter((seat) => !isRemoved(seat))
  }

  private findSeatRefusal(type: number, now: number): Outcome | undefined {
    const terms = this.terms.get(type)
    if (!terms) return 'NO_SEATS_AVAILABLE NO_SUBSCRIPTION'
    if (!this.isUsable(type, now)) return 'NO_SEATS_AVAILABLE SUBSCRIPTION_INACTIVE'
    return this.countInUse(type, now) < terms.seats ? undefined : 'NO_SEATS_AVAILABLE FULL'
  }

  grant(person: number, type: number, now: number): Outcome {
    const { membership, disabled } = getAt(this.people, person)
    const application = applicationOf(type)
    // Before accepting, an invited user cannot be addressed by the id of their account.
    if (this.tenantDeleted || membership === 'NONE' || membership === 'INVITED') return 'USER_NOT_FOUND'
    if (membership !== 'ACTIVE' || disabled) return 'MEMBER_NOT_ACTIVE'
    const seat = this.findSeat(person, application)
    if (this.modes[application] !== 'PER_SEAT' || (seat && this.isUsable(seat.type, now))) {
      return 'ALREADY_LICENSED'
    }
    const refusal = this.findSeatRefusal(type, now)
    if (refusal) return refusal
    this.removeSeats((other) => other === seat)
    this.seats.push({ person, type, status: 'ASSIGNED' })
    return DONE
  }

  revoke(person: number, application: number): Outcome {
    const seat = this.findSeat(person, application)
    if (!seat) return 'LICENSE_NOT_FOUND'
    this.removeSeats((other) => other === seat)
    return DONE
  }

  private change(person: number, type: number, now: number): Outcome {
    const seat = this.findSeat(person, applicationOf(type))
    if (!seat) return 'LICENSE_NOT_FOUND'
    if (seat.type === type && this.isUsable(type, now)) return DONE
    const refusal = this.findSeatRefusal(type, now)
    if (!refusal) seat.type = type
    return refusal ?? DONE
  }

  private invite(step: Step & { do: 'invite' }, now: number): Outcome {
    const person = getAt(this.people, step.person)
    if (this.modes[applicationOf(step.type)] !== 'PER_SEAT') return 'ALREADY_LICENSED'
    const refusal = this.findSeatRefusal(step.type, now)
    if (refusal) return refusal
    person.membership = 'INVITED'
    person.invitedUntil = now + step.hours * HOUR_MS
    this.seats.push({ person: step.person, type: step.type, status: 'RESERVED' })
    return DONE
  }

  private changeSubscription({ type, ...step }: Step & { do: 'changeSubscription' }, now: number): Outcome {
    const before = this.terms.get(type)
    if (!before) return SKIPPED
    const after = {
      seats: step.seats ?? before.seats,
      status: step.status ?? before.status,
      end: step.hours === undefined ? before.end : toEnd(step.hours, now),
    }
    if (this.isUsable(type, now) && after.seats < before.seats && after.seats < this.countInUse(type, now)) {
      return 'SEATS_IN_USE'
    }
    this.terms.set(type, after)
    return DONE
  }

  private subscribe({ type, seats, status, hours }: Step & { do: 'subscribe' }, now: number): Outcome {
    if (this.tenantDeleted) return 'TENANT_NOT_FOUND'
    if (this.typeStatuses[type] === 'ARCHIVED') return 'LICENSE_TYPE_NOT_FOUND'
    if (this.terms.has(type)) return 'SUBSCRIPTION_EXISTS'
    this.terms.set(type, { seats, status, end: toEnd(hours, now) })
    return DONE
  }

  private setMembership(index: number, from: Person['membership'][], to: Person['membership']): Outcome {
    const person = getAt(this.people, index)
    if (this.tenantDeleted || person.erased || person.deletionRequested) return SKIPPED
    if (!from.includes(person.membership)) return SKIPPED
    person.membership = to
    return DONE
  }

  private reactivate(person: number, now: number): Outcome {
    if (this.setMembership(person, ['SUSPENDED'], 'ACTIVE') === SKIPPED) return SKIPPED
    this.unpark(person, now)
    return DONE
  }

  /** A parked seat is assigned again if one is free, and is lost otherwise. */
  private unpark(index: number, now: number): void {
    const { membership, disabled } = getAt(this.people, index)
    if (membership !== 'ACTIVE' || disabled) return
    for (const seat of this.seats.filter((own) => own.person === index && own.status === 'PARKED')) {
      const isFree = this.countInUse(seat.type, now) < (this.terms.get(seat.type)?.seats ?? 0)
      if (isFree) seat.status = 'ASSIGNED'
      else this.removeSeats((other) => other === seat)
    }
  }

  private park(index: number): void {
    for (const seat of this.seats.filter((own) => own.person === index && own.status === 'ASSIGNED')) {
      seat.status = 'PARKED'
    }
  }

  /** Replaces the person of a step by one for whom it has an effect, if there is one. */
  retarget(step: Step): Step {
    if (!('person' in step)) return step
    const eligible = this.people.flatMap((person, index) =>
      isApplicable(step, person, this.seats, index) ? [index] : [],
    )
    return { ...step, person: eligible[step.person % eligible.length] ?? step.person }
  }

  /** Applies a step and returns the expected outcomes. */
  apply(step: Step, now: number): Outcome[] {
    if (step.do === 'grantInBulk') return step.rows.map((row) => this.grant(row.person, row.type, now))
    if (step.do === 'revokeInBulk') return step.rows.map((row) => this.revoke(row.person, row.application))
    return [this.applySingle(step, now)]
  }

  private applySingle(step: Exclude<Step, { rows: unknown }>, now: number): Outcome {
    switch (step.do) {
      case 'grant':
        return this.grant(step.person, step.type, now)
      case 'change':
        return this.change(step.person, step.type, now)
      case 'revoke':
        return this.revoke(step.person, step.application)
      case 'subscribe':
        return this.subscribe(step, now)
      case 'changeSubscription':
        return this.changeSubscription(step, now)
      case 'invite': {
        const isPossible = canBeInvited(getAt(this.people, step.person)) && !this.tenantDeleted
        return isPossible ? this.invite(step, now) : SKIPPED
      }
      case 'advanceClock':
        return DONE
      case 'setTypeStatus':
        this.typeStatuses[step.type] = step.status
        return DONE
      case 'setMode':
        this.modes[step.application] = step.mode
        return DONE
      case 'deleteTenant':
        if (this.tenantDeleted) return SKIPPED
        this.tenantDeleted = true
        this.terms.clear()
        this.seats = []
        return DONE
      default:
        return this.applyToPerson(step, now)
    }
  }

  private applyToPerson(step: Step & { person: number }, now: number): Outcome {
    const index = step.person
    const person = getAt(this.people, index)
    const isOwn = (seat: Seat) => seat.person === index
    switch (step.do) {
      case 'suspend': {
        const outcome = this.setMembership(index, ['ACTIVE'], 'SUSPENDED')
        if (outcome === DONE) this.park(index)
        return outcome
      }
      case 'reactivate':
        return this.reactivate(index, now)
      case 'remove': {
        const outcome = this.setMembership(index, ['ACTIVE', 'SUSPENDED', 'INVITED'], 'NONE')
        if (outcome === DONE) this.removeSeats(isOwn)
        return outcome
      }
      case 'join':
        return this.setMembership(index, ['NONE'], 'ACTIVE')
      case 'accept': {
        if (person.invitedUntil <= now) return SKIPPED
        const outcome = this.setMembership(index, ['INVITED'], 'ACTIVE')
        if (outcome === DONE) for (const seat of this.seats.filter(isOwn)) seat.status = 'ASSIGNED'
        if (outcome === DONE && person.disabled) this.park(index)
        return outcome
      }
      case 'requestDeletion': {
        const { membership } = person
        const outcome = this.setMembership(index, ['ACTIVE', 'SUSPENDED'], 'NONE')
        if (outcome === SKIPPED) return SKIPPED
        this.removeSeats(isOwn)
        Object.assign(person, { deletionRequested: true, membershipBefore: membership })
        return DONE
      }
      case 'cancelDeletion':
        if (!person.deletionRequested || person.erased || this.tenantDeleted) return SKIPPED
        Object.assign(person, { deletionRequested: false, membership: person.membershipBefore })
        return DONE
      case 'erase':
        if (person.erased) return SKIPPED
        this.removeSeats(isOwn)
        Object.assign(person, { erased: true, membership: 'NONE' })
        return DONE
      default:
        if (person.erased) return SKIPPED
        person.disabled = step.do === 'disable'
        if (person.disabled) this.park(index)
        else this.unpark(index, now)
        return DONE
    }
  }
}
