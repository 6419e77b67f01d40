import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { PASSWORD, refresh, startDemoService, userinfo } from '../support/world.ts'
import {
  call,
  createSignedInUser,
  entriesOf,
  errorReply,
  findLinkToken,
  listMailTo,
  logIn,
  type TestUser,
} from './people.ts'

const FAILURES = 5
let service: TestService
let url: string
beforeAll(async () => {
  const limits = { signInFailures: 1_000, clientFailures: 1_000, confirmFailures: FAILURES }
  service = await startDemoService({ config: { limits } })
  url = service.url
})
afterAll(() => service.close())

const PATH = '/api/users/me/password'
const NEW = 'correct horse battery staple'
const change = (somebody: TestUser, currentPassword: unknown, newPassword: unknown) =>
  somebody.call('POST', PATH, { currentPassword, newPassword })

test('T086: missing, wrong, same and weak passwords are distinguished, in this order', async () => {
  const somebody = await createSignedInUser(service)
  expect(await somebody.call('POST', PATH, {})).toMatchObject({
    ...errorReply(422, 'VALIDATION_FAILED'),
    body: {
      details: [
        { field: 'currentPassword', message: 'is required' },
        { field: 'newPassword', message: 'is required' },
      ],
    },
  })
  expect(await change(somebody, ['a'], NEW)).toMatchObject(errorReply(422, 'VALIDATION_FAILED'))
  expect(await change(somebody, 'wrong', 'x'.repeat(4097))).toMatchObject(errorReply(422, 'VALIDATION_FAILED'))
  expect(await change(somebody, 'wrong', 'short')).toMatchObject(errorReply(400, 'CURRENT_PASSWORD_INCORRECT'))
  expect(await change(somebody, 'wrong', 'wrong')).toMatchObject(errorReply(400, 'CURRENT_PASSWORD_INCORRECT'))
  expect(await change(somebody, PASSWORD, PASSWORD)).toMatchObject(errorReply(422, 'SAME_PASSWORD'))
  expect(await change(somebody, PASSWORD, 'sevench')).toMatchObject(errorReply(422, 'WEAK_PASSWORD'))
  expect(await change(somebody, PASSWORD, 'x'.repeat(1025))).toMatchObject(errorReply(422, 'WEAK_PASSWORD'))
  expect((await logIn(url, somebody.email, PASSWORD)).status).toBe(200)
  expect(await listMailTo(service, somebody.email)).toEqual([])
})

test('the same password in another Unicode normalization is the same password', async () => {
  const somebody = await createSignedInUser(service)
  expect((await change(somebody, PASSWORD, 'p\u00e4ssword-\ufb01n')).status).toBe(200)
  expect(await change(somebody, 'pa\u0308ssword-fin', 'pa\u0308ssword-\ufb01n')).toMatchObject(
    errorReply(422, 'SAME_PASSWORD'),
  )
  expect((await logIn(url, somebody.email, 'pa\u0308ssword-fin')).status).toBe(200)
})

test('T088: common passwords and the own names are refused', async () => {
  const somebody = await createSignedInUser(service, { given_name: 'Wilhelmina', family_name: 'Quartz' })
  for (const weak of ['password', '12345678', 'qwertyuiop', somebody.email, 'Wilhelmina', 'wilhelmina quartz']) {
    expect(await change(somebody, PASSWORD, weak)).toMatchObject(errorReply(422, 'WEAK_PASSWORD'))
  }
})

test('T088: the length matters, not the kinds of characters', async () => {
  const somebody = await createSignedInUser(service)
  let current = PASSWORD
  for (const strong of [
    'qjzkvwxyfmbhgpnudtlc',
    '        xyzzy   ',
    '🦑🪐🧦🪗🛶🧵🪁🦤',
    'w8'.repeat(32),
    'v9'.repeat(64),
  ]) {
    expect((await change(somebody, current, strong)).status).toBe(200)
    current = strong
  }
  expect((await logIn(url, somebody.email, current)).status).toBe(200)
})

test('a Super Admin needs a longer password', async () => {
  const somebody = await createSignedInUser(service, { is_super_admin: true })
  expect(await change(somebody, PASSWORD, 'fourteen-chars')).toMatchObject(errorReply(422, 'WEAK_PASSWORD'))
  expect((await change(somebody, PASSWORD, 'fifteen-chars-x')).status).toBe(200)
})

test('T091: other sessions and their tokens end immediately, the current one stays, and a notice is mailed', async () => {
  const somebody = await createSignedInUser(service)
  const thief = await somebody.signInAgain()
  expect(await userinfo(url, thief.tokens.access_token)).toBe(200)
  expect((await change(somebody, PASSWORD, NEW)).status).toBe(200)

  expect(await userinfo(url, thief.tokens.access_token)).toBe(401)
  expect((await refresh(url, thief.tokens.refresh_token)).body.error).toBe('invalid_grant')
  const me = `${url}/api/users/me`
  expect((await call(me, { method: 'GET', headers: { cookie: thief.cookie } })).status).toBe(401)

  expect(await userinfo(url, somebody.tokens.access_token)).toBe(200)
  expect((await refresh(url, somebody.tokens.refresh_token)).status).toBe(200)
  const [notice, ...others] = await listMailTo(service, somebody.email)
  expect(notice?.subject).toBe('Your password was changed')
  expect(others).toEqual([])
  const entries = await entriesOf(service, somebody.id)
  expect(entries.at(-1)).toMatchObject({
    action: 'user.password_changed',
    actor_id: somebody.id,
    details: {},
    personal: { ipAddress: expect.any(String), userAgent: expect.any(String) },
  })
})

test('T095: a change in a browser sets another cookie, and the old one is invalid', async () => {
  const somebody = await createSignedInUser(service)
  const headers = { cookie: somebody.cookie, 'Sec-Fetch-Site': 'same-origin' }
  const body = { currentPassword: PASSWORD, newPassword: NEW }
  const answer = await call(url + PATH, { method: 'POST', headers, body })
  expect(answer.status).toBe(200)
  const renewed = answer.headers.getSetCookie().map((line) => line.split(';')[0])
  expect(renewed).toEqual([expect.stringMatching(/^latchkey_session=/)])
  expect(somebody.cookie).not.toContain(renewed[0])
  const me = `${url}/api/users/me`
  expect((await call(me, { method: 'GET', headers: { cookie: somebody.cookie } })).status).toBe(401)
  expect((await call(me, { method: 'GET', headers: { cookie: renewed.join() } })).status).toBe(200)
  expect(await userinfo(url, somebody.tokens.access_token)).toBe(200)
})

test('a page of another site cannot change the password with the cookie', async () => {
  const somebody = await createSignedInUser(service)
  const body = { currentPassword: PASSWORD, newPassword: NEW }
  for (const site of [{ 'Sec-Fetch-Site': 'cross-site' }, { Origin: 'https://evil.test' }, {}]) {
    const headers = { cookie: somebody.cookie, ...(site as Record<string, string>) }
    expect(await call(url + PATH, { method: 'POST', headers, body })).toMatchObject(errorReply(403, 'FORBIDDEN'))
  }
})

test('links requested before the change are invalid after it', async () => {
  const somebody = await createSignedInUser(service)
  const newEmail = `new-${somebody.email}`
  await somebody.call('POST', '/api/users/me/email', { newEmail, password: PASSWORD })
  const token = findLinkToken((await listMailTo(service, newEmail))[0])
  expect(token).toBeDefined()
  expect((await change(somebody, PASSWORD, NEW)).status).toBe(200)
  expect(await call(`${url}/api/auth/email/verify`, { method: 'POST', body: { token } })).toMatchObject(
    errorReply(400, 'INVALID_TOKEN'),
  )
})

test('of two concurrent changes one succeeds, and only its password works', async () => {
  for (let round = 0; round < 5; round++) {
    const somebody = await createSignedInUser(service)
    const wanted = [`${NEW} one`, `${NEW} two`]
    const answers = await Promise.all(wanted.map((password) => change(somebody, PASSWORD, password)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(answers.find(({ status }) => status === 400)).toMatchObject(errorReply(400, 'CURRENT_PASSWORD_INCORRECT'))
    for (const [index, { status }] of answers.entries()) {
      expect((await logIn(url, somebody.email, wanted[index] ?? '')).status).toBe(status === 200 ? 200 : 401)
    }
  }
})

test('guesses of the current password are limited on every route, without effect on other people', async () => {
  const [guesser, other] = [await createSignedInUser(service), await createSignedInUser(service)]
  const elsewhere = [
    () => change(guesser, 'guess', NEW),
    () => guesser.call('POST', '/api/users/me/email', { newEmail: 'guess@people.test', password: 'guess' }),
    () => guesser.call('DELETE', '/api/users/me', { confirmation: 'DELETE MY ACCOUNT', password: 'guess' }),
  ]
  for (let count = 0; count < FAILURES; count++) {
    expect(await elsewhere[count % 3]?.()).toMatchObject(errorReply(400, 'CURRENT_PASSWORD_INCORRECT'))
  }
  for (const password of ['guess', PASSWORD]) {
    const stopped = await change(guesser, password, NEW)
    expect(stopped).toMatchObject(errorReply(429, 'RATE_LIMITED'))
    expect(Number(stopped.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect((await change(other, PASSWORD, NEW)).status).toBe(200)
})

test('concurrent guesses are limited, too: no more of them learn that they were wrong', async () => {
  const guesser = await createSignedInUser(service)
  const guesses = [...Array.from({ length: 30 }, (_, index) => `guess ${index}`), PASSWORD]
  const answers = await Promise.all(guesses.map((guess) => change(guesser, guess, 'sevench')))
  const wrong = answers.filter(({ status }) => status === 400)
  expect(wrong.length).toBeLessThanOrEqual(FAILURES)
  expect(answers.filter(({ status }) => ![400, 422, 429].includes(status))).toEqual([])
})

test('the right password resets the counter of wrong ones', async () => {
  const somebody = await createSignedInUser(service)
  for (let round = 0; round < 3; round++) {
    for (let count = 1; count < FAILURES; count++) await change(somebody, 'wrong', NEW)
    expect(await change(somebody, PASSWORD, PASSWORD)).toMatchObject(errorReply(422, 'SAME_PASSWORD'))
  }
})

test('a person without a password is told how to get one', async () => {
  const somebody = await createSignedInUser(service)
  await service.ctx.db.updateTable('users').set({ password_hash: null }).where('id', '=', somebody.id).execute()
  expect(await change(somebody, '', NEW)).toMatchObject({
    status: 400,
    body: { error: 'CURRENT_PASSWORD_INCORRECT', message: expect.stringContaining('no password yet') },
  })
})
