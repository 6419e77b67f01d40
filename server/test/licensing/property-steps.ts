import fc from 'fast-check'
import type { LicenseTypeStatus, LicensingMode, SubscriptionStatus } from '../../src/db/tables.ts'

/** What may happen to the licences of a tenant, one after the other. */

export const HOUR = 3_600_000

export const PEOPLE = 5
/** Types by their application, in the order in which they are shown. */
export const TYPES = [0, 0, 1, 2, 2, 3, 3]
export const MODES: LicensingMode[] = ['PER_SEAT', 'PER_SEAT', 'TENANT_WIDE', 'FREE']

export type Step =
  | { do: 'grant' | 'change'; person: number; type: number }
  | { do: 'revoke'; person: number; application: number }
  | { do: 'grantMany'; rows: { person: number; type: number }[] }
  | { do: 'revokeMany'; rows: { person: number; application: number }[] }
  | { do: 'suspend' | 'reactivate' | 'remove' | 'join' | 'accept'; person: number }
  | { do: 'invite'; person: number; type: number; hours: number }
  | { do: 'leave' | 'comeBack' | 'erase' | 'disable' | 'enable'; person: number }
  | { do: 'subscribe'; type: number; seats: number; status: SubscriptionStatus; hours: number | null }
  | {
      do: 'resell'
      type: number
      seats?: number | undefined
      status?: SubscriptionStatus | undefined
      hours?: number | null | undefined
    }
  | { do: 'pass'; hours: number }
  | { do: 'sell'; type: number; status: LicenseTypeStatus }
  | { do: 'setMode'; application: number; mode: LicensingMode }
  | { do: 'dissolve' }

const person = fc.nat(PEOPLE - 1)
const type = fc.nat(TYPES.length - 1)
/** Of an application that is licensed by the seat, at first. */
const seatType = fc.nat(2)
const application = fc.nat(MODES.length - 1)
const seats = fc.nat(3)
const status = fc.constantFrom('ACTIVE', 'ACTIVE', 'TRIALING', 'CANCELED', 'PAST_DUE', 'EXPIRED')
const hours = fc.constantFrom(null, null, -1, 2, 40)
const doing = <const T extends string>(...names: T[]) => fc.constantFrom(...names)

export const anyStep = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: doing('grant'), person, type: seatType }) },
  { weight: 1, arbitrary: fc.record({ do: doing('grant', 'change'), person, type }) },
  { weight: 3, arbitrary: fc.record({ do: doing('change'), person, type: seatType }) },
  { weight: 3, arbitrary: fc.record({ do: doing('revoke'), person, application }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: doing('grantMany'),
      rows: fc.array(fc.record({ person, type: seatType }), { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: doing('revokeMany'),
      rows: fc.array(fc.record({ person, application }), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: doing(
        'suspend',
        'reactivate',
        'remove',
        'join',
        'accept',
        'leave',
        'comeBack',
        'disable',
        'enable',
      ),
      person,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: doing('erase'), person }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: doing('invite'), person, type: seatType, hours: fc.constantFrom(2, 50) }),
  },
  { weight: 3, arbitrary: fc.record({ do: doing('subscribe'), type, seats, status, hours }) },
  {
    weight: 5,
    arbitrary: fc.record(
      { do: doing('resell'), type: seatType, seats, status, hours },
      { requiredKeys: ['do', 'type', 'seats'] },
    ),
  },
  { weight: 3, arbitrary: fc.record({ do: doing('pass'), hours: fc.constantFrom(1, 3, 45, 180) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: doing('sell'), type, status: fc.constantFrom('ACTIVE', 'ARCHIVED') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: doing('setMode'),
      application,
      mode: fc.constantFrom('PER_SEAT', 'TENANT_WIDE', 'FREE'),
    }),
  },
) as fc.Arbitrary<Step>

/** A tenant is not without subscriptions, mostly. */
export const START: Step[] = [
  { do: 'subscribe', type: 0, seats: 2, status: 'ACTIVE', hours: null },
  { do: 'subscribe', type: 1, seats: 1, status: 'ACTIVE', hours: 40 },
  { do: 'subscribe', type: 2, seats: 2, status: 'TRIALING', hours: 40 },
  { do: 'remove', person: 3 },
  { do: 'invite', person: 3, type: 0, hours: 2 },
  { do: 'remove', person: 4 },
]
