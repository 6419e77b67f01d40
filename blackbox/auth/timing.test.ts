import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { callAs, newConfirmedAccount } from '../support/account.ts'
import { call } from '../support/calls.ts'
import { newPerson } from '../support/person.ts'
import { type ApiResponse, unique } from '../support/service.ts'

const SAMPLES = inject('full') ? 100 : 40
const ROUNDS = 20
const MAX_DIFFERENCE = 0.1
/** The mail quota of one address per hour; further requests would take another path. */
const SAMPLES_PER_ADDRESS = 5
/** Time for work after the response, which must not disturb the next sample; the demo mailbox is also limited. */
const PAUSE_MS = 10
const TIMEOUT_MS = 900_000

type Attempt = (email: string) => Promise<ApiResponse>

const createSamples = <T>(make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: SAMPLES / SAMPLES_PER_ADDRESS }, make))

const median = (times: number[]) => {
  const sorted = [...times].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2
}

/** Addresses with an account, and as many without. */
async function newAddresses(): Promise<{ known: string[]; unknown: string[] }> {
  const people = await createSamples(newPerson)
  return {
    known: people.map(({ email }) => email),
    unknown: people.map(() => `${unique('someone')}@blackbox.test`),
  }
}

/** The difference of the medians. The order is random. */
async function measure(prepare: () => Promise<Attempt>): Promise<number> {
  const attempt = await prepare()
  const { known, unknown } = await newAddresses()
  const times = { known: [] as number[], unknown: [] as number[] }
  const responses = new Set<string>()
  for (let round = 0; round < SAMPLES; round++) {
    const order = Math.random() < 0.5 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)
    for (const kind of order) {
      const email = { known, unknown }[kind][round % known.length] ?? ''
      const startedAt = performance.now()
      const { status, headers, body } = await attempt(email)
      times[kind].push(performance.now() - startedAt)
      responses.add(JSON.stringify([status, [...headers.keys()], { ...body, requestId: undefined }]))
      await sleep(PAUSE_MS)
    }
  }
  expect([...responses]).toHaveLength(1)
  return median(times.known) / median(times.unknown) - 1
}

/** A busy machine may disturb single rounds, but a real difference is visible in every round. */
async function expectNoDifference(label: string, prepare: () => Promise<Attempt>): Promise<void> {
  const differences: number[] = []
  while (differences.length < ROUNDS && !differences.some((difference) => Math.abs(difference) < MAX_DIFFERENCE)) {
    differences.push(await measure(prepare))
  }
  const summary = differences.map((difference) => `${(difference * 100).toFixed(1)} %`).join(', ')
  process.stdout.write(`${label}: known addresses take ${summary} longer than unknown ones\n`)
  expect(Math.min(...differences.map(Math.abs)), summary).toBeLessThan(MAX_DIFFERENCE)
}

test('T094: the duration of a sign-in does not reveal accounts', { timeout: TIMEOUT_MS }, () =>
  expectNoDifference(
    'sign-in',
    async () => (email) => call('POST', '/api/auth/login', { body: { email, password: 'not the right one' } }),
  ),
)

test.runIf(inject('full'))(
  'T094: the duration of a password reset request does not reveal accounts',
  { timeout: TIMEOUT_MS },
  () =>
    expectNoDifference(
      'forgotten password',
      async () => (email) => call('POST', '/api/auth/password/forgot', { body: { email } }),
    ),
)

test.runIf(inject('full'))(
  'T094: the duration of an address change request does not reveal accounts',
  { timeout: TIMEOUT_MS },
  () =>
    expectNoDifference('email change', async () => {
      // The number of requests per person is limited.
      const accounts = await createSamples(newConfirmedAccount)
      let next = 0
      return (newEmail) => {
        const { person, tokens } = accounts[next++ % accounts.length] as (typeof accounts)[number]
        return callAs(tokens, 'POST', '/api/users/me/email', { newEmail, password: person.password })
      }
    }),
)
