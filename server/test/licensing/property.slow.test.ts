import fc from 'fast-check'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestPool } from '../support/database.ts'
import { FULL } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import { compare } from './property-compare.ts'
import { Model, SKIPPED } from './property-model.ts'
import { anyStep, START, type Step } from './property-steps.ts'
import { World } from './property-world.ts'
import { fromTheStart } from './replay.ts'

const MINUTES = 60_000

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

/** Does all of it to a tenant of its own and to the model, and compares them after every step. */
async function play(steps: Step[]): Promise<void> {
  const world = await World.lay(service, db)
  const [model, replay] = [new Model(), fromTheStart()]
  const take = async (next: Step) => {
    const outcomes = model.take(next, service.ctx.now().getTime())
    if (outcomes[0] === SKIPPED) return
    for (const outcome of outcomes) seen.add(`${next.do}: ${outcome}`)
    expect({ next, outcomes: await world.take(next) }).toEqual({ next, outcomes })
    await compare(world, model, replay)
  }
  for (const step of [...START, ...steps]) await take(model.fit(step))
  // In the end nothing is left but the ledger.
  await take({ do: 'dissolve' })
}

/** What has become of steps, of any run. */
const seen = new Set<string>()

const NO_SEATS = ['FULL', 'SUBSCRIPTION_INACTIVE'].map((reason) => `NO_SEATS_AVAILABLE ${reason}`)

/** What must have been seen, or the steps were not worth taking. */
const WORTH_SEEING = [
  ...['done', 'ALREADY_LICENSED', 'MEMBER_NOT_ACTIVE', 'USER_NOT_FOUND', ...NO_SEATS].flatMap((outcome) => [
    `grant: ${outcome}`,
    `grantMany: ${outcome}`,
  ]),
  ...['done', 'LICENSE_NOT_FOUND'].flatMap((outcome) => [`revoke: ${outcome}`, `change: ${outcome}`]),
  ...['done', 'SEATS_IN_USE'].map((outcome) => `resell: ${outcome}`),
  ...['done', ...NO_SEATS].map((outcome) => `invite: ${outcome}`),
  ...['done', 'SUBSCRIPTION_EXISTS'].map((outcome) => `subscribe: ${outcome}`),
  ...[
    'accept',
    'suspend',
    'reactivate',
    'remove',
    'join',
    'leave',
    'comeBack',
    'disable',
    'enable',
    'erase',
  ].map((name) => `${name}: done`),
  ...['pass', 'sell', 'setMode', 'dissolve'].map((name) => `${name}: done`),
]

test(
  'whatever is done, in whatever order, the service agrees with a few plain rules',
  async () => {
    const steps = fc.noBias(fc.array(anyStep, { minLength: 1, maxLength: 50, size: 'max' }))
    await fc.assert(fc.asyncProperty(steps, play), {
      seed: 20_261_115,
      numRuns: FULL ? 30 : 3,
      // Also the time for making a failing run shorter.
      interruptAfterTimeLimit: 10 * MINUTES,
      markInterruptAsFailure: true,
    })
    // Few runs do not come to everything.
    if (FULL) expect(WORTH_SEEING.filter((event) => !seen.has(event))).toEqual([])
  },
  11 * MINUTES,
)

/** One of the two seats of the first type was kept for somebody who has not come in time. */
const OVERDUE: Step[] = [
  { do: 'pass', hours: 3 },
  { do: 'grant', person: 0, type: 0 },
]

test.each<[string, Step[]]>([
  ['is granted to another', [{ do: 'grant', person: 1, type: 0 }]],
  ['is kept for another', [{ do: 'invite', person: 4, type: 0, hours: 2 }]],
  ['need not be paid for any more', [{ do: 'resell', type: 0, seats: 1 }]],
  [
    'is for whoever changes to its type',
    [
      { do: 'grant', person: 1, type: 1 },
      { do: 'change', person: 1, type: 0 },
    ],
  ],
  [
    'is for whoever comes back from a suspension',
    [
      { do: 'suspend', person: 0 },
      { do: 'grant', person: 1, type: 0 },
      { do: 'reactivate', person: 0 },
    ],
  ],
])('a seat that was kept for somebody who has not come in time %s', async (_name, steps) => {
  await play([...OVERDUE, ...steps])
})
