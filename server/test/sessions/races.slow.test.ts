import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/open.ts'
import { call, failure, logIn, mailTo, newSomebody, type Somebody, tokenIn } from '../account/people.ts'
import { eventually } from '../support/eventually.ts'
import { rounds } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { cookieOf, PASSWORD } from '../support/world.ts'
import {
  answerCode,
  countWaiting,
  halvesOf,
  meanwhile,
  prepareApp,
  protect,
  sessionsOf,
  signInWhile,
  startRaces,
  together,
} from './racing.ts'

// What overtakes a sign-in counts for it.

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
  return eventually(async () => tokenIn((await mailTo(service, email)).find((m) => m.subject === subject)))
}

/** How a password becomes another. What takes its time beforehand is done when this returns. */
const RENEWALS: [string, (ann: Somebody) => Promise<() => Promise<{ status: number }>>][] = [
  [
    'change',
    async (ann) => () =>
      ann.call('POST', '/api/users/me/password', { currentPassword: PASSWORD, newPassword: NEW }),
  ],
  [
    'reset',
    async ({ email }) => {
      const body = { token: await resetLink(email), newPassword: NEW }
      return () => call(`${url}/api/auth/password/reset`, { method: 'POST', body })
    },
  ],
]

describe.each(RENEWALS)('a sign-in with the old password that a %s overtakes', (kind, prepare) => {
  test('is refused', async () => {
    const ann = await newSomebody(service)
    const renew = await prepare(ann)
    const response = await signInWhile(service, ann, async () => expect((await renew()).status).toBe(200))
    expect(response.status).toBe(401)
    expect(await sessionsOf(service, ann)).toHaveLength(kind === 'change' ? 1 : 0)
  })

  test('leaves no half sign-in behind', async () => {
    const ann = await newSomebody(service)
    await protect(service, ann)
    const renew = await prepare(ann)
    const response = await signInWhile(service, ann, async () => expect((await renew()).status).toBe(200))
    expect(response.status).toBe(401)
    expect(await halvesOf(service, ann)).toEqual([])
  })

  test('lives nowhere afterwards, however many there are', async () => {
    for (const round of rounds(4)) {
      const ann = await newSomebody(service)
      const withFactor = round % 2 === 1
      if (withFactor) await protect(service, ann)
      const renew = await prepare(ann)
      let isOver = false
      let right = 0
      const keepSigningIn = async () => {
        while (!isOver) if ((await logIn(url, ann.email, PASSWORD)).status === 200) right++
      }
      const thieves = Array.from({ length: 6 }, keepSigningIn)
      await expect.poll(() => right).toBeGreaterThan(0)
      expect((await renew()).status).toBe(200)
      isOver = true
      await Promise.all(thieves)
      expect(await sessionsOf(service, ann)).toHaveLength(kind === 'change' ? 1 : 0)
      expect(await halvesOf(service, ann)).toEqual([])
    }
  })
})

/** What may become of somebody while they sign in. */
const CHANGES: [string, object][] = [
  ['has another password', { password_hash: null }],
  ['may not use it any more', { password_sign_in: false }],
  ['is disabled', { disabled: true }],
  ['is about to be deleted', { deletion_requested_at: new Date() }],
]

describe.each(CHANGES)('who shows the right password and then %s', (_, change) => {
  const alter = ({ id }: Somebody, db: Db) =>
    db.updateTable('users').set(change).where('id', '=', id).execute()

  async function expectRefusal(ann: Somebody, before: unknown[], response: Response) {
    expect(response.status).toBe(401)
    expect(response.headers.getSetCookie()).toEqual([])
    // Some of it ends their sessions, too.
    expect(before).toEqual(expect.arrayContaining(await sessionsOf(service, ann)))
  }

  test('is not let in', async () => {
    const ann = await newSomebody(service)
    const before = await sessionsOf(service, ann)
    const response = await signInWhile(service, ann, () => alter(ann, service.ctx.db))
    await expectRefusal(ann, before, response)
  })

  test('is not let in after having waited for it', async () => {
    const ann = await newSomebody(service)
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

describe('a second factor is asked for that was set up', () => {
  async function setUp() {
    const ann = await newSomebody(service)
    return { ann, confirm: await prepareApp(service, ann) }
  }

  async function expectQuestion(ann: Somebody, response: Response) {
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ mfaRequired: true })
    expect(cookieOf(response)).not.toContain('latchkey_session')
    // Their own, in which they set it up.
    expect(await sessionsOf(service, ann)).toHaveLength(1)
    expect(await halvesOf(service, ann)).toHaveLength(1)
  }

  test('while the password was looked at', async () => {
    const { ann, confirm } = await setUp()
    const response = await signInWhile(service, ann, async () => expect((await confirm()).status).toBe(200))
    await expectQuestion(ann, response)
  })

  test('while the sign-in waited for it', async () => {
    const { ann, confirm } = await setUp()
    const [confirmed, response] = await together(service, [confirm, () => logIn(url, ann.email, PASSWORD)])
    expect(confirmed.status).toBe(200)
    await expectQuestion(ann, response)
  })
})

test('an account that was disabled and is enabled again remembers no half sign-in', async () => {
  const ann = await newSomebody(service)
  const { codes } = await protect(service, ann)
  const half = cookieOf(await logIn(url, ann.email, PASSWORD))
  const { db } = service.ctx
  for (const disabled of [true, false]) {
    await db.updateTable('users').set({ disabled }).where('id', '=', ann.id).execute()
  }
  expect(await answerCode(service, half, codes[0] ?? '')).toMatchObject(failure(401, 'UNAUTHORIZED'))
  expect((await logIn(url, ann.email, PASSWORD)).status).toBe(200)
})

test('a session that ends while its second factor is looked at stays ended', async () => {
  const ann = await newSomebody(service)
  const old = cookieOf(await logIn(url, ann.email, PASSWORD))
  const { codes } = await protect(service, ann)
  const answer = await meanwhile(service, 'code', {
    show: (right) => answerCode(service, old, right ? (codes[0] ?? '') : 'wrong-code'),
    happen: async () => expect((await ann.call('DELETE', '/api/users/me/sessions')).status).toBe(200),
  })
  expect(answer.status).toBe(401)
  expect(await sessionsOf(service, ann)).toHaveLength(1)
})
