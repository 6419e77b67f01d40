import { setTimeout as sleep } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/open.ts'
import { newPasskey, PASSKEYS } from '../account/passkey-calls.ts'
import { call, failure, logIn, mailTo, newSomebody, type Somebody, tokenIn } from '../account/people.ts'
import { eventually } from '../support/eventually.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { authorize, cookieOf, join, PASSWORD, startWorld } from '../support/world.ts'

const raw = CompiledQuery.raw
const NEW = 'a quite different password'
const PATIENTLY = { timeout: 10_000 }
let service: TestService
let url: string
beforeAll(async () => {
  const limits = { signInFailures: 1_000, confirmFailures: 1_000, clientFailures: 60 }
  service = await startWorld({ worker: true, config: { limits } })
  url = service.url
  await service.ctx.db
    .updateTable('tenants')
    .set({ mfa_policy: 'REQUIRED' })
    .where('slug', '=', 'acme')
    .execute()
})
afterAll(() => service.close())

/** Somebody with an authenticator app. */
async function protect(ann: Somebody) {
  const { body } = await ann.call('POST', '/api/users/me/mfa/totp')
  const secret = body.secret as string
  const code = totpCode(secret, service.ctx.now())
  const confirmed = await ann.call('POST', '/api/users/me/mfa/totp/verify', { code })
  expect(confirmed.status).toBe(200)
  return { secret, codes: confirmed.body.recoveryCodes as string[] }
}

const answerCode = (cookie: string, code: string) =>
  call(`${url}/api/auth/mfa`, { method: 'POST', body: { code }, headers: { cookie } })

const sessionsOf = ({ id }: { id: string }) =>
  service.ctx.db.selectFrom('sessions').select(['id', 'amr']).where('user_id', '=', id).execute()
const halvesOf = ({ id }: { id: string }) =>
  service.ctx.db.selectFrom('pending_sign_ins').select('amr').where('user_id', '=', id).execute()

/** How many wait for somebody else's lock. */
async function waiting(): Promise<number> {
  const { rows } = await service.ctx.db.executeQuery<{ count: number }>(
    raw(`select count(*)::int from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`),
  )
  return rows[0]?.count ?? 0
}

/**
 * Lets something happen while somebody who has just shown the right password, or the right code, has not got any
 * further: the count of their wrong guesses is about to be forgiven.
 */
async function meanwhile<T>(
  count: 'sign-in' | 'code',
  show: (right: boolean) => Promise<T>,
  happen: () => Promise<unknown>,
): Promise<T> {
  await show(false)
  const shown = await service.ctx.db.transaction().execute(async (tx) => {
    await tx.executeQuery(raw(`select from throttle where key like '${count}:%' for update`))
    const answer = show(true)
    await expect.poll(waiting, PATIENTLY).toBe(1)
    await happen()
    return { answer }
  })
  return shown.answer
}

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
    const response = await meanwhile(
      'sign-in',
      (right) => logIn(url, ann.email, right ? PASSWORD : 'wrong password'),
      async () => expect((await renew()).status).toBe(200),
    )
    expect(response.status).toBe(401)
    expect(await sessionsOf(ann)).toHaveLength(kind === 'change' ? 1 : 0)
  })

  test('leaves no half sign-in behind', async () => {
    const ann = await newSomebody(service)
    await protect(ann)
    const renew = await prepare(ann)
    const response = await meanwhile(
      'sign-in',
      (right) => logIn(url, ann.email, right ? PASSWORD : 'wrong password'),
      async () => expect((await renew()).status).toBe(200),
    )
    expect(response.status).toBe(401)
    expect(await halvesOf(ann)).toEqual([])
  })

  test('lives nowhere afterwards, however many there are, in 4 rounds', async () => {
    for (let round = 0; round < 4; round++) {
      const ann = await newSomebody(service)
      const withFactor = round % 2 === 1
      if (withFactor) await protect(ann)
      const renew = await prepare(ann)
      let isOver = false
      let right = 0
      const keepSigningIn = async () => {
        while (!isOver) if ((await logIn(url, ann.email, PASSWORD)).status === 200) right++
      }
      const thieves = Array.from({ length: 6 }, keepSigningIn)
      await expect.poll(() => right, PATIENTLY).toBeGreaterThan(0)
      expect((await renew()).status).toBe(200)
      isOver = true
      await Promise.all(thieves)
      expect(await sessionsOf(ann)).toHaveLength(kind === 'change' ? 1 : 0)
      expect(await halvesOf(ann)).toEqual([])
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
    expect(before).toEqual(expect.arrayContaining(await sessionsOf(ann)))
  }

  test('is not let in', async () => {
    const ann = await newSomebody(service)
    const before = await sessionsOf(ann)
    const response = await meanwhile(
      'sign-in',
      (right) => logIn(url, ann.email, right ? PASSWORD : 'wrong password'),
      () => alter(ann, service.ctx.db),
    )
    await expectRefusal(ann, before, response)
  })

  test('is not let in after having waited for it', async () => {
    const ann = await newSomebody(service)
    const before = await sessionsOf(ann)
    const { answer } = await service.ctx.db.transaction().execute(async (tx) => {
      await alter(ann, tx)
      const answer = logIn(url, ann.email, PASSWORD)
      await expect.poll(waiting, PATIENTLY).toBe(1)
      return { answer }
    })
    await expectRefusal(ann, before, await answer)
  })
})

describe('a second factor is asked for that was set up', () => {
  async function setUp() {
    const ann = await newSomebody(service)
    const { body } = await ann.call('POST', '/api/users/me/mfa/totp')
    const code = totpCode(body.secret as string, service.ctx.now())
    return { ann, confirm: () => ann.call('POST', '/api/users/me/mfa/totp/verify', { code }) }
  }

  async function expectQuestion(ann: Somebody, response: Response) {
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ mfaRequired: true })
    expect(cookieOf(response)).not.toContain('latchkey_session')
    // Their own, in which they set it up.
    expect(await sessionsOf(ann)).toHaveLength(1)
    expect(await halvesOf(ann)).toHaveLength(1)
  }

  test('while the password was looked at', async () => {
    const { ann, confirm } = await setUp()
    const response = await meanwhile(
      'sign-in',
      (right) => logIn(url, ann.email, right ? PASSWORD : 'wrong password'),
      async () => expect((await confirm()).status).toBe(200),
    )
    await expectQuestion(ann, response)
  })

  test('while the sign-in waited for it', async () => {
    const { ann, confirm } = await setUp()
    const [confirmed, response] = await together<{ status: number }>(confirm, () =>
      logIn(url, ann.email, PASSWORD),
    )
    expect(confirmed?.status).toBe(200)
    await expectQuestion(ann, response as Response)
  })
})

test('an account that was disabled and is enabled again remembers no half sign-in', async () => {
  const ann = await newSomebody(service)
  const { codes } = await protect(ann)
  const half = cookieOf(await logIn(url, ann.email, PASSWORD))
  const { db } = service.ctx
  for (const disabled of [true, false]) {
    await db.updateTable('users').set({ disabled }).where('id', '=', ann.id).execute()
  }
  expect(await answerCode(half, codes[0] ?? '')).toMatchObject(failure(401, 'UNAUTHORIZED'))
  expect((await logIn(url, ann.email, PASSWORD)).status).toBe(200)
})

/** Neither in a session nor by a code left over does anybody pass for having shown a second factor. */
async function expectNoFactor(ann: Somebody, codes: string[]): Promise<void> {
  expect((await sessionsOf(ann)).filter(({ amr }) => amr.includes('mfa'))).toEqual([])
  expect((await ann.call('GET', '/api/users/me/mfa')).body).toEqual({
    ...{ mfaEnabled: false, totp: false, passkeys: 0, recoveryCodesLeft: 0 },
  })
  const cookie = cookieOf(await logIn(url, ann.email, PASSWORD))
  for (const code of codes.slice(0, 1)) expect((await answerCode(cookie, code)).status).toBe(400)
  expect((await authorize(url, cookie, { tenant: 'acme' })).location).toMatch(/^\/mfa\/setup/)
}

const REMOVED = { password: PASSWORD }
const removeApp = (ann: Somebody) => ann.call('DELETE', '/api/users/me/mfa/totp', REMOVED)

/** Starts one after the other, and lets both wait where they tell their person, before anything is certain. */
async function together<T>(first: () => Promise<T>, second: () => Promise<T>): Promise<T[]> {
  const started = await service.ctx.db.transaction().execute(async (tx) => {
    await tx.executeQuery(raw('lock table mail_messages in exclusive mode'))
    const one = first()
    await expect.poll(waiting, PATIENTLY).toBe(1)
    const other = second()
    await expect.poll(waiting, PATIENTLY).toBe(2)
    return [one, other]
  })
  return Promise.all(started)
}

describe('of the last two second factors, removed at once,', () => {
  const removals = async (ann: Somebody) => {
    await join(service, ann.email, 'acme')
    const { codes } = await protect(ann)
    const { passkeyId } = await newPasskey(service, ann)
    const removeKey = () => ann.call('DELETE', `${PASSKEYS}/${passkeyId}`, REMOVED)
    return { codes, removals: [() => removeApp(ann), removeKey] as const }
  }

  test.each([0, 1])('nothing is left, whichever comes first (%i)', async (turn) => {
    const ann = await newSomebody(service)
    const { codes, removals: both } = await removals(ann)
    const answers = await together(both[turn as 0 | 1], both[(1 - turn) as 0 | 1])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    await expectNoFactor(ann, codes)
  })

  test('nothing is left, in 20 rounds', async () => {
    for (let round = 0; round < 20; round++) {
      const ann = await newSomebody(service)
      const { codes, removals: both } = await removals(ann)
      const app = both[0]()
      await sleep(round * 4)
      const answers = await Promise.all([app, both[1]()])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      await expectNoFactor(ann, codes)
    }
  })
})

describe('a recovery code never stands in for a second factor that is gone:', () => {
  const replaceCodes = (ann: Somebody) => ann.call('POST', '/api/users/me/mfa/recovery-codes', REMOVED)

  test.each(['replaced', 'removed'])(
    'codes made while the app goes, what is %s coming first',
    async (first) => {
      const ann = await newSomebody(service)
      await join(service, ann.email, 'acme')
      await protect(ann)
      const both = [() => replaceCodes(ann), () => removeApp(ann)] as const
      const [one, other] = first === 'replaced' ? both : ([both[1], both[0]] as const)
      const answers = await together(one, other)
      const codes = answers.flatMap(({ body }) => (body.recoveryCodes ?? []) as string[])
      expect(answers.map(({ status }) => status)).toEqual(first === 'replaced' ? [200, 200] : [200, 404])
      await expectNoFactor(ann, codes)
    },
  )

  test('a code shown at the moment at which the app goes', async () => {
    const ann = await newSomebody(service)
    await join(service, ann.email, 'acme')
    const { codes } = await protect(ann)
    const half = cookieOf(await logIn(url, ann.email, PASSWORD))
    const answer = await meanwhile(
      'code',
      (right) => answerCode(half, right ? (codes[0] ?? '') : 'wrong-code'),
      async () => expect((await removeApp(ann)).status).toBe(200),
    )
    expect(answer).toMatchObject(failure(401, 'INVALID_CREDENTIALS'))
    await expectNoFactor(ann, codes)
  })
})

test('a session that ends while its second factor is looked at stays ended', async () => {
  const ann = await newSomebody(service)
  const old = cookieOf(await logIn(url, ann.email, PASSWORD))
  const { codes } = await protect(ann)
  const answer = await meanwhile(
    'code',
    (right) => answerCode(old, right ? (codes[0] ?? '') : 'wrong-code'),
    async () => expect((await ann.call('DELETE', '/api/users/me/sessions')).status).toBe(200),
  )
  expect(answer.status).toBe(401)
  expect(await sessionsOf(ann)).toHaveLength(1)
})
