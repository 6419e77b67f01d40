import fc from 'fast-check'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestPool } from '../support/database.ts'
import { FULL } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import { expectAgreement } from './property-compare.ts'
import { Model } from './property-model.ts'
import { SKIPPED } from './property-state.ts'
import { anyStep, INITIAL_STEPS, type Step } from './property-steps.ts'
import { World } from './property-world.ts'
import { createReplay } from './replay.ts'

const MINUTE_MS = 60_000

let service: TestService
let db: pg.Pool
beforeAll(async () => {
  service = await startService()
  db = openTestPool({ ...service.connection.pooled, max: 4 })
})
afterAll(async () => {
  await db?.end()
  await service?.close()
})

/** Applies the steps to a new tenant and to the model, and compares them after every step. */
async function runSteps(steps: Step[]): Promise<void> {
  const world = await World.create(service, db)
  const [model, replay] = [new Model(), createReplay()]
  const apply = async (step: Step) => {
    const outcomes = model.apply(step, service.ctx.now().getTime())
    if (outcomes[0] === SKIPPED) return
    for (const outcome of outcomes) seenOutcomes.add(`${step.do}: ${outcome}`)
    expect({ step, outcomes: await world.apply(step) }).toEqual({ step, outcomes })
    await expectAgreement(world, model, replay)
  }
  for (const step of [...INITIAL_STEPS, ...steps]) await apply(model.retarget(step))
  // Only the ledger is left of a deleted tenant.
  await apply({ do: 'deleteTenant' })
}

/** The outcomes of all steps of all runs. */
const seenOutcomes = new Set<string>()

const NO_SEATS = ['FULL', 'SUBSCRIPTION_INACTIVE'].map((reason) => `NO_SEATS_AVAILABLE ${reason}`)

/** The outcomes that all runs together must reach. */
const REQUIRED_OUTCOMES = [
  ...['done', 'ALREADY_LICENSED', 'MEMBER_NOT_ACTIVE', 'USER_NOT_FOUND', ...NO_SEATS].flatMap((outcome) => [
    `grant: ${outcome}`,
    `grantInBulk: ${outcome}`,
  ]),
  ...['done', 'LICENSE_NOT_FOUND'].flatMap((outcome) => [`revoke: ${outcome}`, `change: ${outcome}`]),
  ...['done', 'SEATS_IN_USE'].map((outcome) => `changeSubscription: ${outcome}`),
  ...['done', ...NO_SEATS].map((outcome) => `invite: ${outcome}`),
  ...['done', 'SUBSCRIPTION_EXISTS'].map((outcome) => `subscribe: ${outcome}`),
  ...[
    'accept',
    'suspend',
    'reactivate',
    'remove',
    'join',
    'requestDeletion',
    'cancelDeletion',
    'disable',
    'enable',
    'erase',
  ].map((name) => `${name}: done`),
  ...['advanceClock', 'setTypeStatus', 'setMode', 'deleteTenant'].map((name) => `${name}: done`),
]

test(
  'the service agrees with a simple model after every step of a random sequence',
  async () => {
    const steps = fc.noBias(fc.array(anyStep, { minLength: 1, maxLength: 50, size: 'max' }))
    await fc.assert(fc.asyncProperty(steps, runSteps), {
      seed: 20_261_115,
      numRuns: FULL ? 30 : 1,
      // Includes the time to shrink a failing run.
      interruptAfterTimeLimit: 10 * MINUTE_MS,
      markInterruptAsFailure: true,
    })
    // A few runs do not reach all outcomes.
    if (FULL) expect(REQUIRED_OUTCOMES.filter((outcome) => !seenOutcomes.has(outcome))).toEqual([])
  },
  11 * MINUTE_MS,
)

/** After these, one of the two seats of type 0 is assigned and the other is reserved for an expired invitation. */
const EXPIRED_RESERVATION: Step[] = [
  { do: 'advanceClock', hours: 3 },
  { do: 'grant', person: 0, type: 0 },
]

test.each<[string, Step[]]>([
  ['can be granted to another member', [{ do: 'grant', person: 1, type: 0 }]],
  ['can be reserved for another invitation', [{ do: 'invite', person: 4, type: 0, hours: 2 }]],
  ['can be removed from the subscription', [{ do: 'changeSubscription', type: 0, seats: 1 }]],
  [
    'can be used for a change of license type',
    [
      { do: 'grant', person: 1, type: 1 },
      { do: 'change', person: 1, type: 0 },
    ],
  ],
  [
    'can be used for a reactivated member',
    [
      { do: 'suspend', person: 0 },
      { do: 'grant', person: 1, type: 0 },
      { do: 'reactivate', person: 0 },
    ],
  ],
])('a seat reserved for an expired invitation %s', async (_name, steps) => {
  await runSteps([...EXPIRED_RESERVATION, ...steps])
})
