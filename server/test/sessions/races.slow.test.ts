import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/open.ts'
import {
  call,
  createSignedInUser,
  errorReply,
  findLinkToken,
  listMailTo,
  logIn,
  type TestUser,
} from '../account/people.ts'
import { eventually } from '../support/eventually.ts'
import { rounds } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { cookieOf, PASSWORD } from '../support/world.ts'
import {
  countWaiting,
  interfereWith,
  pendingSignInsOf,
  prepareApp,
  runTogether,
  sendCode,
  sessionsOf,
  setUpTotp,
  signInWhile,
  startRaces,
} from './race-helpers.ts'

// Changes during a sign-in apply to it.

const NEW = 'a quite different password'
let service: TestService
let url: string
beforeAll(async () => {
  service = await startRaces()
  url = service.url
})
afterAll(() => service?.close())

async function resetLink(email: string): Promise<string> {
  await call(`${url}/api/auth/password/forgot`, { method: 'POST', body: { email } })
  const subject = 'Choose a new password'
  return eventually(async () => findLinkToken((await listMailTo(service, email)).find((m) => m.subject === subject)))
}

/** The ways to replace a password. Slow preparations are done when the promise resolves. */
const PASSWORD_REPLACEMENTS: [string, (ann: TestUser) => Promise<() => Promise<{ status: number }>>][] = [
  [
    'change',
    async (ann) => () => ann.call('POST', '/api/users/me/password', { currentPassword: PASSWORD, newPassword: NEW }),
  ],
  [
    'reset',
    async ({ email }) => {
      const body = { token: await resetLink(email), newPassword: NEW }
      return () => call(`${url}/api/auth/password/reset`, { method: 'POST', body })
    },
  ],
]

describe.each(PASSWORD_REPLACEMENTS)('a sign-in with the old password during a password %s', (kind, prepare) => {
  test('is refused', async () => {
    const ann = await createSignedInUser(service)
    const replace = await prepare(ann)
    const response = await signInWhile(service, ann, async () => expect((await replace()).status).toBe(200))
    expect(response.status).toBe(401)
    expect(await sessionsOf(service, ann)).toHaveLength(kind === 'change' ? 1 : 0)
  })

  test('leaves no pending sign-in', async () => {
    const ann = await createSignedInUser(service)
    await setUpTotp(service, ann)
    const replace = await prepare(ann)
    const response = await signInWhile(service, ann, async () => expect((await replace()).status).toBe(200))
    expect(response.status).toBe(401)
    expect(await pendingSignInsOf(service, ann)).toEqual([])
  })

  test('leaves no session or pending sign-in, with many concurrent sign-ins', async () => {
    for (const round of rounds(4)) {
      const ann = await createSignedInUser(service)
      const withFactor = round % 2 === 1
      if (withFactor) await setUpTotp(service, ann)
      const replace = await prepare(ann)
      let isOver = false
      let right = 0
      const keepSigningIn = async () => {
        while (!isOver) if ((await logIn(url, ann.email, PASSWORD)).status === 200) right++
      }
      const thieves = Array.from({ length: 6 }, keepSigningIn)
      await expect.poll(() => right).toBeGreaterThan(0)
      expect((await replace()).status).toBe(200)
      isOver = true
      await Promise.all(thieves)
      expect(await sessionsOf(service, ann)).toHaveLength(kind === 'change' ? 1 : 0)
      expect(await pendingSignInsOf(service, ann)).toEqual([])
    }
  })
})

/** Changes of an account during a sign-in. */
const CHANGES: [string, object][] = [
  ['gets another password', { password_hash: null }],
  ['loses password sign-in', { password_sign_in: false }],
  ['is disabled', { disabled: true }],
  ['is scheduled for deletion', { deletion_requested_at: new Date() }],
]

describe.each(CHANGES)('a user who sends the right password and then %s', (_, change) => {
  const alter = ({ id }: TestUser, db: Db) => db.updateTable('users').set(change).where('id', '=', id).execute()

  async function expectRefusal(ann: TestUser, before: unknown[], response: Response) {
    expect(response.status).toBe(401)
    expect(response.headers.getSetCookie()).toEqual([])
    // Some changes also end existing sessions.
    expect(before).toEqual(expect.arrayContaining(await sessionsOf(service, ann)))
  }

  test('is refused', async () => {
    const ann = await createSignedInUser(service)
    const before = await sessionsOf(service, ann)
    const response = await signInWhile(service, ann, () => alter(ann, service.ctx.db))
    await expectRefusal(ann, before, response)
  })

  test('is refused after the sign-in waited for the change', async () => {
    const ann = await createSignedInUser(service)
    const before = await sessionsOf(service, ann)
    const { answer } = await service.ctx.db.transaction().execute(async (tx) => {
      await alter(ann, tx)
      const answer = logIn(url, ann.email, PASSWORD)
      await expect.poll(() => countWaiting(service)).toBe(1)
      return { answer }
    })
    await expectRefusal(ann, before, await answer)
  })
})

describe('a second factor is required that was set up', () => {
  async function setUp() {
    const ann = await createSignedInUser(service)
    return { ann, confirm: await prepareApp(service, ann) }
  }

  async function expectChallenge(ann: TestUser, response: Response) {
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ mfaRequired: true })
    expect(cookieOf(response)).not.toContain('latchkey_session')
    // The session in which the factor was set up.
    expect(await sessionsOf(service, ann)).toHaveLength(1)
    expect(await pendingSignInsOf(service, ann)).toHaveLength(1)
  }

  test('while the password was checked', async () => {
    const { ann, confirm } = await setUp()
    const response = await signInWhile(service, ann, async () => expect((await confirm()).status).toBe(200))
    await expectChallenge(ann, response)
  })

  test('while the sign-in waited for the setup', async () => {
    const { ann, confirm } = await setUp()
    const [confirmed, response] = await runTogether(service, [confirm, () => logIn(url, ann.email, PASSWORD)])
    expect(confirmed.status).toBe(200)
    await expectChallenge(ann, response)
  })
})

test('disabling an account deletes its pending sign-ins, also if it is enabled again', async () => {
  const ann = await createSignedInUser(service)
  const { codes } = await setUpTotp(service, ann)
  const half = cookieOf(await logIn(url, ann.email, PASSWORD))
  const { db } = service.ctx
  for (const disabled of [true, false]) {
    await db.updateTable('users').set({ disabled }).where('id', '=', ann.id).execute()
  }
  expect(await sendCode(service, half, codes[0] ?? '')).toMatchObject(errorReply(401, 'UNAUTHORIZED'))
  expect((await logIn(url, ann.email, PASSWORD)).status).toBe(200)
})

test('a session that ends while its second factor is checked stays ended', async () => {
  const ann = await createSignedInUser(service)
  const old = cookieOf(await logIn(url, ann.email, PASSWORD))
  const { codes } = await setUpTotp(service, ann)
  const answer = await interfereWith(service, 'code', {
    attempt: (right) => sendCode(service, old, right ? (codes[0] ?? '') : 'wrong-code'),
    interfere: async () => expect((await ann.call('DELETE', '/api/users/me/sessions')).status).toBe(200),
  })
  expect(answer.status).toBe(401)
  expect(await sessionsOf(service, ann)).toHaveLength(1)
})
