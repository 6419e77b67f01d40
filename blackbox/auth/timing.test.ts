import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { callAs, newConfirmedHolder } from '../support/account.ts'
import { call } from '../support/calls.ts'
import { newPerson } from '../support/person.ts'
import { type Answer, unique } from '../support/service.ts'

const TRIES = inject('full') ? 100 : 40
const ROUNDS = 20
const MOST = 0.1
/** As many mails as one address gets within an hour; more would take another way. */
const PER_ADDRESS = 5
/** Some work is done after the answer, and must not fall into the next try; nor may the demo's mailbox overflow. */
const PAUSE_MS = 10
const PATIENCE = 900_000

type Ask = (email: string) => Promise<Answer>

const several = <T>(make: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: TRIES / PER_ADDRESS }, make))

const median = (times: number[]) => {
  const sorted = [...times].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2
}

/** Addresses that have an account, and as many that have none. */
async function newAddresses(): Promise<{ known: string[]; unknown: string[] }> {
  const people = await several(newPerson)
  return {
    known: people.map(({ email }) => email),
    unknown: people.map(() => `${unique('someone')}@blackbox.test`),
  }
}

/** By how much the median of the known differs from that of the unknown. Who goes first is left to chance. */
async function measure(prepare: () => Promise<Ask>): Promise<number> {
  const ask = await prepare()
  const { known, unknown } = await newAddresses()
  const times = { known: [] as number[], unknown: [] as number[] }
  const answers = new Set<string>()
  for (let round = 0; round < TRIES; round++) {
    const order = Math.random() < 0.5 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const)
    for (const kind of order) {
      const email = { known, unknown }[kind][round % known.length] ?? ''
      const began = performance.now()
      const { status, headers, body } = await ask(email)
      times[kind].push(performance.now() - began)
      answers.add(JSON.stringify([status, [...headers.keys()], { ...body, requestId: undefined }]))
      await sleep(PAUSE_MS)
    }
  }
  expect([...answers]).toHaveLength(1)
  return median(times.known) / median(times.unknown) - 1
}

/** A busy machine may spoil a round, but not all: what depends on the account shows in every one. */
async function expectNoDifference(what: string, prepare: () => Promise<Ask>): Promise<void> {
  const differences: number[] = []
  while (differences.length < ROUNDS && !differences.some((one) => Math.abs(one) < MOST)) {
    differences.push(await measure(prepare))
  }
  const shown = differences.map((one) => `${(one * 100).toFixed(1)} %`).join(', ')
  process.stdout.write(`${what}: known addresses take ${shown} longer than unknown ones\n`)
  expect(Math.min(...differences.map(Math.abs)), shown).toBeLessThan(MOST)
}

test('T094: how long a sign-in takes does not tell who has an account', { timeout: PATIENCE }, () =>
  expectNoDifference(
    'sign-in',
    async () => (email) =>
      call('POST', '/api/auth/login', { body: { email, password: 'not the right one' } }),
  ),
)

test.runIf(inject('full'))(
  'T094: nor how long it takes to ask for a new password',
  { timeout: PATIENCE },
  () =>
    expectNoDifference(
      'forgotten password',
      async () => (email) => call('POST', '/api/auth/password/forgot', { body: { email } }),
    ),
)

test.runIf(inject('full'))(
  'T094: nor how long it takes to ask for another address',
  { timeout: PATIENCE },
  () =>
    expectNoDifference('e-mail change', async () => {
      // One person may ask so often only.
      const holders = await several(newConfirmedHolder)
      let asked = 0
      return (newEmail) => {
        const { person, tokens } = holders[asked++ % holders.length] as (typeof holders)[number]
        return callAs(tokens, 'POST', '/api/users/me/email', { newEmail, password: person.password })
      }
    }),
)
