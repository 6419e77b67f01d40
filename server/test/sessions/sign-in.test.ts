import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestService } from '../support/service.ts'
import { cookieOf, PASSWORD, startDemoService } from '../support/world.ts'

let service: TestService
let url: string
beforeAll(async () => {
  const limits = { signInFailures: 10, confirmFailures: 5, clientFailures: 60 }
  service = await startDemoService({ config: { trustedProxies: ['127.0.0.1'], limits } })
  url = service.url
})
afterAll(() => service.close())

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

const attempt = (email: string, password: string, address = '10.0.0.1') =>
  post('/api/auth/login', { email, password }, { 'X-Forwarded-For': address })

test('unknown users, wrong passwords and disabled accounts get the same response', async () => {
  await service.ctx.db.updateTable('users').set({ disabled: true }).where('email', '=', 'max@acme.test').execute()
  const answers = await Promise.all([
    attempt('mia@acme.test', 'wrong password', '10.0.0.2'),
    attempt('nobody@acme.test', 'wrong password', '10.0.0.2'),
    attempt('no address', 'wrong password', '10.0.0.2'),
    attempt('max@acme.test', PASSWORD, '10.0.0.2'),
  ])
  for (const answer of answers) {
    expect(answer.status).toBe(401)
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(await answer.json()).toMatchObject({
      error: 'INVALID_CREDENTIALS',
      message: 'The email address or the password is wrong.',
    })
  }
})

test('guesses are limited per account and network, and nobody else is affected', async () => {
  const limit = service.ctx.config.limits.signInFailures
  for (let count = 0; count < limit; count += 10) {
    await Promise.all(Array.from({ length: 10 }, () => attempt('olivia@acme.test', 'guess', '10.0.0.3')))
  }
  const stopped = await attempt('olivia@acme.test', PASSWORD, '10.0.0.3')
  expect(stopped.status).toBe(429)
  expect(Number(stopped.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await stopped.json()).toMatchObject({ error: 'RATE_LIMITED' })
  expect((await attempt('olivia@acme.test', PASSWORD, '10.0.0.4')).status).toBe(200)
  expect((await attempt('adam@acme.test', PASSWORD, '10.0.0.3')).status).toBe(200)
})

test('concurrent guesses are limited too, and the responses do not disclose the right one', async () => {
  const limit = service.ctx.config.limits.signInFailures
  const guesses = Array.from({ length: 100 }, (_, index) =>
    attempt('gus@globex.test', index === 99 ? PASSWORD : `guess ${index}`, '10.0.0.5'),
  )
  const statuses = (await Promise.all(guesses)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 401)).toHaveLength(limit)
  expect(statuses.filter((status) => status === 429)).toHaveLength(100 - limit)
  expect(statuses[99]).toBe(429)
})

test('guesses from many networks do not lock a user out of a known device', async () => {
  const limit = service.ctx.config.limits.signInFailures
  expect((await attempt('adam@acme.test', PASSWORD, '10.0.1.1')).status).toBe(200)
  for (let network = 0; network < 10; network++) {
    const guess = () => attempt('adam@acme.test', 'guess', `10.9.9.${network}`)
    await Promise.all(Array.from({ length: limit }, guess))
  }
  expect((await attempt('adam@acme.test', PASSWORD, '10.0.2.2')).status).toBe(429)
  expect((await attempt('adam@acme.test', PASSWORD, '10.0.1.1')).status).toBe(200)
})

test('an IPv6 /64 counts as one network', async () => {
  const limit = service.ctx.config.limits.signInFailures
  for (let host = 1; host <= limit; host++) {
    await attempt('max@acme.test', 'guess', `2001:db8:0:1::${host.toString(16)}`)
  }
  expect((await attempt('max@acme.test', 'guess', '2001:db8:0:1:ffff::1')).status).toBe(429)
  expect((await attempt('max@acme.test', 'guess', '2001:db8:0:2::1')).status).toBe(401)
})

test("a form without this browser's CSRF token is refused", async () => {
  const page = await fetch(`${url}/login`)
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const browser = cookieOf(page)
  const submit = (cookie: string, token: string) =>
    fetch(`${url}/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie },
      body: new URLSearchParams({ csrf: token, email: 'mia@acme.test', password: PASSWORD }),
    })
  expect((await submit(browser, '')).status).toBe(403)
  expect((await submit('', csrf)).status).toBe(403)
  expect((await submit(`latchkey_browser=${'B'.repeat(43)}`, csrf)).status).toBe(403)
  expect((await submit(browser, csrf)).status).toBe(303)
})

test('a malformed, empty or oversized sign-in is refused with 422 (T090, T156)', async () => {
  for (const body of [{}, { email: 1, password: 2 }, { email: 'a@b.test', password: 'x'.repeat(5000) }, null, []]) {
    expect((await post('/api/auth/login', body)).status).toBe(422)
  }
})

test('registering a taken address gets the same response with a random id, and notifies the owner', async () => {
  const response = await post('/api/auth/register', { email: 'mia@acme.test', password: 'a long enough one' })
  expect(response.status).toBe(201)
  const { user } = (await response.json()) as {
    user: { id: string; emailVerified: boolean; displayName: string }
  }
  expect(user).toMatchObject({ emailVerified: false, displayName: 'mia' })
  const found = await service.ctx.db.selectFrom('users').select('id').where('id', '=', user.id).execute()
  expect(found).toEqual([])
  const mails = (await (await fetch(`${url}/dev/mailbox/messages`)).json()) as {
    to: string
    subject: string
  }[]
  expect(mails[0]).toMatchObject({ to: 'mia@acme.test', subject: 'You have an account already' })
  expect((await attempt('mia@acme.test', PASSWORD)).status).toBe(200)
})

test('concurrent registrations of one address create one user', async () => {
  const body = { email: 'crowd@example.test', password: 'a long enough one' }
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('/api/auth/register', body)))
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201))
  const rows = await service.ctx.db.selectFrom('users').select('id').where('email', '=', body.email).execute()
  expect(rows).toHaveLength(1)
})

/** The tokens of the verification links mailed to an address, newest first. */
async function linksOf(email: string): Promise<string[]> {
  const mails = (await (await fetch(`${url}/dev/mailbox/messages`)).json()) as { to: string; text: string }[]
  return mails
    .filter(({ to }) => to === email)
    .flatMap(({ text }) => /verify-email\?token=([\w-]+)/.exec(text)?.[1] ?? [])
}

test.each(['first', 'second'])(
  'whoever registers the address of another person, %s, does not get in when its owner follows a link',
  async (turn) => {
    const email = `victim-${turn}@example.test`
    const register = (password: string) => post('/api/auth/register', { email, password })
    const [thief, owner] = ['password of the thief', 'password of the owner']
    for (const password of turn === 'first' ? [thief, owner] : [owner, thief]) await register(password)
    const early = await attempt(email, turn === 'first' ? thief : owner)
    expect(early.status).toBe(200)
    const links = await linksOf(email)
    expect(links).toHaveLength(2)
    for (const token of links) {
      const followed = await post('/api/auth/email/verify', { token })
      expect(followed.status).toBe(400)
      expect(await followed.json()).toMatchObject({
        error: 'INVALID_TOKEN',
        details: { reason: 'PASSWORD_NEEDED' },
      })
    }
    const token = links[turn === 'first' ? 0 : 1]
    expect((await post('/api/auth/email/verify', { token, password: owner })).status).toBe(200)
    expect((await attempt(email, owner)).status).toBe(200)
    expect((await attempt(email, thief)).status).toBe(401)
    const account = await fetch(`${url}/account`, {
      headers: { cookie: cookieOf(early) },
      redirect: 'manual',
    })
    expect(account.status).toBe(turn === 'first' ? 303 : 200)
    for (const used of links) {
      expect((await post('/api/auth/email/verify', { token: used, password: thief })).status).toBe(400)
    }
  },
)

test('registration mails to one address are limited', async () => {
  for (let count = 0; count < 12; count++) {
    await post('/api/auth/register', { email: 'olivia@acme.test', password: 'a long enough one' })
  }
  const mails = (await (await fetch(`${url}/dev/mailbox/messages`)).json()) as { to: string }[]
  expect(mails.filter(({ to }) => to === 'olivia@acme.test')).toHaveLength(5)
})

test.each([['a b@x.test'], ['a@x'], ['"a"@x.test']])('the address %j cannot be registered (T108)', async (email) => {
  const response = await post('/api/auth/register', { email, password: 'a long enough one' })
  expect(response.status).toBe(422)
})

test('no password, secret, code or token is in the log (T164)', async () => {
  const text = JSON.stringify(service.logs)
  for (const secret of [PASSWORD, 'a long enough one', 'latchkey_session=', 'csrf']) expect(text).not.toContain(secret)
})
