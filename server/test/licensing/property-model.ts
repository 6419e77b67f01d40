import type { LicenseTypeStatus, MembershipStatus, SubscriptionStatus } from '../../src/db/tables.ts'
import { HOUR, MODES, PEOPLE, type Step, TYPES } from './property-steps.ts'

/** Licensing in a few plain rules, kept in memory: what the service must agree with, whatever is done to it. */

const GRACE = 7 * 24 * HOUR

type Seats = 'ASSIGNED' | 'PARKED' | 'RESERVED'

interface Terms {
  seats: number
  status: SubscriptionStatus
  /** Null: without an end. */
  end: number | null
}

/** What is said of a step: that it is done, or the code of why it is not, with the reason. */
export type Outcome = string
export const SKIPPED = 'there is nothing to do it to'
const DONE = 'done'

export interface Person {
  place: MembershipStatus | 'NONE'
  invitedUntil: number
  /** The place that waits for somebody who is leaving. */
  resting: MembershipStatus | undefined
  leaving: boolean
  disabled: boolean
  erased: boolean
}

export interface Seat {
  person: number
  type: number
  status: Seats
}

const applicationOf = (type: number) => TYPES[type] ?? -1
const at = <T>(list: T[], index: number): T => {
  const found = list[index]
  if (found === undefined) throw new Error(`there is no ${index}`)
  return found
}

export class Model {
  people: Person[] = Array.from({ length: PEOPLE }, () => ({
    ...{ place: 'ACTIVE', invitedUntil: 0, resting: undefined },
    ...{ leaving: false, disabled: false, erased: false },
  }))
  sold: LicenseTypeStatus[] = TYPES.map(() => 'ACTIVE')
  modes = [...MODES]
  terms = new Map<number, Terms>()
  seats: Seat[] = []
  dissolved = false

  usable(type: number, now: number): boolean {
    const terms = this.terms.get(type)
    if (!terms || terms.status === 'EXPIRED') return false
    return terms.end === null || now < terms.end + (terms.status === 'PAST_DUE' ? GRACE : 0)
  }

  /** A seat that is kept for somebody whose invitation is over is kept for nobody. */
  inForce(now: number): Seat[] {
    return this.seats.filter(
      ({ status, person }) => status !== 'RESERVED' || now < at(this.people, person).invitedUntil,
    )
  }

  inUse(type: number, now: number): number {
    return this.inForce(now).filter((seat) => seat.type === type && seat.status !== 'PARKED').length
  }

  /** Which type somebody holds of an application. */
  held(person: number, application: number, now: number): number | undefined {
    const { place, disabled, erased } = at(this.people, person)
    if (this.dissolved || place !== 'ACTIVE' || disabled || erased) return undefined
    const types = TYPES.flatMap((own, type) => (own === application ? [type] : []))
    switch (at(this.modes, application)) {
      case 'FREE':
        return types.find((type) => this.sold[type] === 'ACTIVE')
      case 'TENANT_WIDE':
        return types.findLast((type) => this.usable(type, now))
      case 'PER_SEAT': {
        const seat = this.seatOf(person, application)
        return seat && this.usable(seat.type, now) ? seat.type : undefined
      }
    }
  }

  private seatOf(person: number, application: number): Seat | undefined {
    return this.seats.find(
      (seat) =>
        seat.person === person && applicationOf(seat.type) === application && seat.status === 'ASSIGNED',
    )
  }

  private drop(gone: (seat: Seat) => boolean): void {
    this.seats = this.seats.filter((seat) => !gone(seat))
  }

  private noSeat(type: number, now: number): Outcome | undefined {
    const terms = this.terms.get(type)
    if (!terms) return 'NO_SEATS_AVAILABLE NO_SUBSCRIPTION'
    if (!this.usable(type, now)) return 'NO_SEATS_AVAILABLE SUBSCRIPTION_INACTIVE'
    return this.inUse(type, now) < terms.seats ? undefined : 'NO_SEATS_AVAILABLE FULL'
  }

  grant(person: number, type: number, now: number): Outcome {
    const { place, disabled } = at(this.people, person)
    const application = applicationOf(type)
    // Nobody is known by the id of their account before they have accepted.
    if (this.dissolved || place === 'NONE' || place === 'INVITED') return 'USER_NOT_FOUND'
    if (place !== 'ACTIVE' || disabled) return 'MEMBER_NOT_ACTIVE'
    const seat = this.seatOf(person, application)
    if (this.modes[application] !== 'PER_SEAT' || (seat && this.usable(seat.type, now))) {
      return 'ALREADY_LICENSED'
    }
    const refusal = this.noSeat(type, now)
    if (refusal) return refusal
    this.drop((other) => other === seat)
    this.seats.push({ person, type, status: 'ASSIGNED' })
    return DONE
  }

  revoke(person: number, application: number): Outcome {
    const seat = this.seatOf(person, application)
    if (!seat) return 'LICENSE_NOT_FOUND'
    this.drop((other) => other === seat)
    return DONE
  }

  private change(person: number, type: number, now: number): Outcome {
    const seat = this.seatOf(person, applicationOf(type))
    if (!seat) return 'LICENSE_NOT_FOUND'
    if (seat.type === type && this.usable(type, now)) return DONE
    const refusal = this.noSeat(type, now)
    if (!refusal) seat.type = type
    return refusal ?? DONE
  }

  private invite(step: Step & { do: 'invite' }, now: number): Outcome {
    const person = at(this.people, step.person)
    if (this.modes[applicationOf(step.type)] !== 'PER_SEAT') return 'ALREADY_LICENSED'
    const refusal = this.noSeat(step.type, now)
    if (refusal) return refusal
    person.place = 'INVITED'
    person.invitedUntil = now + step.hours * HOUR
    this.seats.push({ person: step.person, type: step.type, status: 'RESERVED' })
    return DONE
  }

  private resell({ type, ...step }: Step & { do: 'resell' }, now: number): Outcome {
    const before = this.terms.get(type)
    if (!before) return SKIPPED
    const after = {
      seats: step.seats ?? before.seats,
      status: step.status ?? before.status,
      end: step.hours === undefined ? before.end : endOf(step.hours, now),
    }
    if (this.usable(type, now) && after.seats < before.seats && after.seats < this.inUse(type, now)) {
      return 'SEATS_IN_USE'
    }
    this.terms.set(type, after)
    return DONE
  }

  private subscribe({ type, seats, status, hours }: Step & { do: 'subscribe' }, now: number): Outcome {
    if (this.dissolved) return 'TENANT_NOT_FOUND'
    if (this.sold[type] === 'ARCHIVED') return 'LICENSE_TYPE_NOT_FOUND'
    if (this.terms.has(type)) return 'SUBSCRIPTION_EXISTS'
    this.terms.set(type, { seats, status, end: endOf(hours, now) })
    return DONE
  }

  /** Moves somebody from one place to another, if they are in the one. */
  private move(index: number, from: Person['place'][], to: Person['place']): Outcome {
    const person = at(this.people, index)
    if (this.dissolved || person.erased || person.leaving || !from.includes(person.place)) return SKIPPED
    person.place = to
    return DONE
  }

  private reactivate(person: number, now: number): Outcome {
    if (this.move(person, ['SUSPENDED'], 'ACTIVE') === SKIPPED) return SKIPPED
    this.unpark(person, now)
    return DONE
  }

  /** Who may use their seats again has those that are free. */
  private unpark(index: number, now: number): void {
    const { place, disabled } = at(this.people, index)
    if (place !== 'ACTIVE' || disabled) return
    for (const seat of this.seats.filter((own) => own.person === index && own.status === 'PARKED')) {
      const free = this.inUse(seat.type, now) < (this.terms.get(seat.type)?.seats ?? 0)
      if (free) seat.status = 'ASSIGNED'
      else this.drop((other) => other === seat)
    }
  }

  private park(index: number): void {
    for (const seat of this.seats.filter((own) => own.person === index && own.status === 'ASSIGNED')) {
      seat.status = 'PARKED'
    }
  }

  /** The same step, done to somebody with whom it has a meaning, if there is such a person. */
  fit(step: Step): Step {
    if (!('person' in step)) return step
    const fits = this.people.map((person, index) => this.isFor(step, person, index))
    const eligible = this.people.map((_, index) => index).filter((index) => fits[index])
    return { ...step, person: eligible[step.person % eligible.length] ?? step.person }
  }

  private isFor(step: Step, { place, leaving, erased }: Person, index: number): boolean {
    switch (step.do) {
      case 'reactivate':
        return place === 'SUSPENDED'
      case 'accept':
        return place === 'INVITED'
      case 'join':
      case 'invite':
        return place === 'NONE' && !leaving && !erased
      case 'comeBack':
        return leaving && !erased
      case 'change':
        return this.seatOf(index, applicationOf(step.type)) !== undefined
      case 'revoke':
        return this.seatOf(index, step.application) !== undefined
      case 'suspend':
      case 'leave':
        return this.seats.some(({ person }) => person === index)
      default:
        return true
    }
  }

  /** Does a step, and says what must become of it. */
  take(step: Step, now: number): Outcome[] {
    if (step.do === 'grantMany') return step.rows.map((row) => this.grant(row.person, row.type, now))
    if (step.do === 'revokeMany') return step.rows.map((row) => this.revoke(row.person, row.application))
    return [this.takeOne(step, now)]
  }

  private takeOne(step: Exclude<Step, { rows: unknown }>, now: number): Outcome {
    switch (step.do) {
      case 'grant':
        return this.grant(step.person, step.type, now)
      case 'change':
        return this.change(step.person, step.type, now)
      case 'revoke':
        return this.revoke(step.person, step.application)
      case 'subscribe':
        return this.subscribe(step, now)
      case 'resell':
        return this.resell(step, now)
      case 'invite': {
        const { place, leaving, erased } = at(this.people, step.person)
        const fits = place === 'NONE' && !leaving && !erased && !this.dissolved
        return fits ? this.invite(step, now) : SKIPPED
      }
      case 'pass':
        return DONE
      case 'sell':
        this.sold[step.type] = step.status
        return DONE
      case 'setMode':
        this.modes[step.application] = step.mode
        return DONE
      case 'dissolve':
        if (this.dissolved) return SKIPPED
        this.dissolved = true
        this.terms.clear()
        this.seats = []
        return DONE
      default:
        return this.moveOne(step, now)
    }
  }

  private moveOne(step: Step & { person: number }, now: number): Outcome {
    const index = step.person
    const person = at(this.people, index)
    const own = (seat: Seat) => seat.person === index
    switch (step.do) {
      case 'suspend': {
        const outcome = this.move(index, ['ACTIVE'], 'SUSPENDED')
        if (outcome === DONE) this.park(index)
        return outcome
      }
      case 'reactivate':
        return this.reactivate(index, now)
      case 'remove': {
        const outcome = this.move(index, ['ACTIVE', 'SUSPENDED', 'INVITED'], 'NONE')
        if (outcome === DONE) this.drop(own)
        return outcome
      }
      case 'join':
        return this.move(index, ['NONE'], 'ACTIVE')
      case 'accept': {
        if (person.invitedUntil <= now) return SKIPPED
        const outcome = this.move(index, ['INVITED'], 'ACTIVE')
        if (outcome === DONE) for (const seat of this.seats.filter(own)) seat.status = 'ASSIGNED'
        if (outcome === DONE && person.disabled) this.park(index)
        return outcome
      }
      case 'leave': {
        const { place } = person
        const outcome = this.move(index, ['ACTIVE', 'SUSPENDED'], 'NONE')
        if (outcome === SKIPPED) return SKIPPED
        this.drop(own)
        Object.assign(person, { leaving: true, resting: place })
        return DONE
      }
      case 'comeBack':
        if (!person.leaving || person.erased || this.dissolved) return SKIPPED
        Object.assign(person, { leaving: false, place: person.resting })
        return DONE
      case 'erase':
        if (person.erased) return SKIPPED
        this.drop(own)
        Object.assign(person, { erased: true, place: 'NONE' })
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

const endOf = (hours: number | null, now: number) => (hours === null ? null : now + hours * HOUR)
