import fc from 'fast-check'
import type { LicenseTypeStatus, LicensingMode, SubscriptionStatus } from '../../src/db/tables.ts'

/** The random steps of the property test. People, types and applications are indexes. */

export const HOUR_MS = 3_600_000

export const PERSON_COUNT = 5
/** The application of each license type, in display order. */
export const TYPES = [0, 0, 1, 2, 2, 3, 3]
export const MODES: LicensingMode[] = ['PER_SEAT', 'PER_SEAT', 'TENANT_WIDE', 'FREE']

export type Step =
  | { do: 'grant' | 'change'; person: number; type: number }
  | { do: 'revoke'; person: number; application: number }
  | { do: 'grantInBulk'; rows: { person: number; type: number }[] }
  | { do: 'revokeInBulk'; rows: { person: number; application: number }[] }
  | { do: 'suspend' | 'reactivate' | 'remove' | 'join' | 'accept'; person: number }
  | { do: 'invite'; person: number; type: number; hours: number }
  | { do: 'requestDeletion' | 'cancelDeletion' | 'erase' | 'disable' | 'enable'; person: number }
  | { do: 'subscribe'; type: number; seats: number; status: SubscriptionStatus; hours: number | null }
  | {
      do: 'changeSubscription'
      type: number
      seats?: number | undefined
      status?: SubscriptionStatus | undefined
      hours?: number | null | undefined
    }
  | { do: 'advanceClock'; hours: number }
  | { do: 'setTypeStatus'; type: number; status: LicenseTypeStatus }
  | { do: 'setMode'; application: number; mode: LicensingMode }
  | { do: 'deleteTenant' }

const person = fc.nat(PERSON_COUNT - 1)
const type = fc.nat(TYPES.length - 1)
/** A type of an application that is PER_SEAT at first. */
const seatType = fc.nat(2)
const application = fc.nat(MODES.length - 1)
const seats = fc.nat(3)
const status = fc.constantFrom('ACTIVE', 'ACTIVE', 'TRIALING', 'CANCELED', 'PAST_DUE', 'EXPIRED')
const hours = fc.constantFrom(null, null, -1, 2, 40)
const oneOf = <const T extends string>(...names: T[]) => fc.constantFrom(...names)

export const anyStep = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: oneOf('grant'), person, type: seatType }) },
  { weight: 1, arbitrary: fc.record({ do: oneOf('grant', 'change'), person, type }) },
  { weight: 3, arbitrary: fc.record({ do: oneOf('change'), person, type: seatType }) },
  { weight: 3, arbitrary: fc.record({ do: oneOf('revoke'), person, application }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: oneOf('grantInBulk'),
      rows: fc.array(fc.record({ person, type: seatType }), { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: oneOf('revokeInBulk'),
      rows: fc.array(fc.record({ person, application }), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: oneOf(
        'suspend',
        'reactivate',
        'remove',
        'join',
        'accept',
        'requestDeletion',
        'cancelDeletion',
        'disable',
        'enable',
      ),
      person,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: oneOf('erase'), person }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: oneOf('invite'), person, type: seatType, hours: fc.constantFrom(2, 50) }),
  },
  { weight: 3, arbitrary: fc.record({ do: oneOf('subscribe'), type, seats, status, hours }) },
  {
    weight: 5,
    arbitrary: fc.record(
      { do: oneOf('changeSubscription'), type: seatType, seats, status, hours },
      { requiredKeys: ['do', 'type', 'seats'] },
    ),
  },
  { weight: 3, arbitrary: fc.record({ do: oneOf('advanceClock'), hours: fc.constantFrom(1, 3, 45, 180) }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: oneOf('setTypeStatus'), type, status: fc.constantFrom('ACTIVE', 'ARCHIVED') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: oneOf('setMode'),
      application,
      mode: fc.constantFrom('PER_SEAT', 'TENANT_WIDE', 'FREE'),
    }),
  },
) as fc.Arbitrary<Step>

/** Done before the random steps of every run. */
export const INITIAL_STEPS: Step[] = [
  { do: 'subscribe', type: 0, seats: 2, status: 'ACTIVE', hours: null },
  { do: 'subscribe', type: 1, seats: 1, status: 'ACTIVE', hours: 40 },
  { do: 'subscribe', type: 2, seats: 2, status: 'TRIALING', hours: 40 },
  { do: 'remove', person: 3 },
  { do: 'invite', person: 3, type: 0, hours: 2 },
  { do: 'remove', person: 4 },
]
