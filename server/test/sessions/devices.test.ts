import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, findLinkToken, insertUser, listMailTo } from '../account/people.ts'
import { eventually } from '../support/eventually.ts'
import type { TestService } from '../support/service.ts'
import { cookieOf, PASSWORD, startDemoService } from '../support/world.ts'

let service: TestService
let url: string
beforeAll(async () => {
  const limits = { signInFailures: 3, confirmFailures: 5, clientFailures: 60 }
  service = await startDemoService({ worker: true, config: { trustedProxies: ['127.0.0.1'], limits } })
  url = service.url
  const { ctx } = service
  Object.assign(ctx, { locate: (address: string) => (address === '203.0.113.7' ? 'Berlin, Germany' : 'Unknown') })
})
afterAll(() => service.close())

interface Device {
  address?: string
  program?: string
  cookie?: string
  password?: string
}

const signInFrom = (email: string, { address = '10.1.1.1', program = 'Firefox', cookie, ...rest }: Device) =>
  fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'X-Forwarded-For': address,
      'User-Agent': program,
      ...(cookie !== undefined && { cookie }),
    },
    body: JSON.stringify({ email, password: rest.password ?? PASSWORD }),
  })

const notices = async (email: string) =>
  (await listMailTo(service, email)).filter(({ subject }) => subject === 'New sign-in to your account')

test('a sign-in from a new device sends a mail, from the first or a known device it does not', async () => {
  const { email } = await insertUser(service)
  const first = await signInFrom(email, {})
  expect(await notices(email)).toEqual([])
  await signInFrom(email, {})
  expect(await notices(email)).toEqual([])
  await signInFrom(email, { address: '10.2.2.2', program: 'Other<b>browser</b>' })
  const [notice, ...others] = await notices(email)
  expect(others).toEqual([])
  expect(notice?.text).toContain('10.2.2.2')
  expect(notice?.html).toContain('Other&lt;b')
  // The browser cookie identifies the device on every network.
  const browser = cookieOf(first)
    .split('; ')
    .find((cookie) => cookie.startsWith('latchkey_browser='))
  await signInFrom(email, { address: '10.3.3.3', program: 'Firefox 2', cookie: browser ?? '' })
  expect(await notices(email)).toHaveLength(1)
})

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36'

test('the mail says when, with which device and from where, and leads to the sessions', async () => {
  const { email } = await insertUser(service)
  await signInFrom(email, {})
  await signInFrom(email, { address: '203.0.113.7', program: CHROME })
  const [notice] = await notices(email)
  expect(notice?.text).toContain(
    '\nDevice: Chrome on Linux\nLocation: Berlin, Germany\nIP address: 203.0.113.7\nTime: ',
  )
  expect(notice?.text).toMatch(/^Time: \w+ \d+, \d{4} at \d\d:\d\d UTC$/m)
  expect(notice?.text).toContain(`\n${url}/account/sessions\n`)
  expect(notice?.text).toContain('If it was')
})

test('an address gets at most five mails about new devices an hour', async () => {
  const { email } = await insertUser(service)
  for (let device = 0; device < 8; device++) {
    expect((await signInFrom(email, { address: `10.9.0.${device}`, program: `Device ${device}` })).status).toBe(200)
  }
  expect(await notices(email)).toHaveLength(5)
})

test('an unverified address gets no mail about new devices', async () => {
  const { email } = await insertUser(service, { email_verified: false })
  await signInFrom(email, {})
  await signInFrom(email, { address: '10.2.2.2', program: 'Another' })
  expect(await notices(email)).toEqual([])
})

test('guesses from elsewhere do not lock a user out of a known device, on any network', async () => {
  const { email } = await insertUser(service)
  const browser = cookieOf(await signInFrom(email, {}))
    .split('; ')
    .find((cookie) => cookie.startsWith('latchkey_browser='))
  for (let i = 0; i < 33; i++) {
    const answer = await signInFrom(email, { address: `10.77.0.${i}`, password: 'wrong password' })
    if (answer.status === 429) break
  }
  expect((await signInFrom(email, { address: '10.88.0.1', program: 'Stranger' })).status).toBe(429)
  expect((await signInFrom(email, { address: '10.99.0.1', cookie: browser ?? '' })).status).toBe(200)
})

const NEW = 'a quite different password'

async function changePassword(cookie: string): Promise<{ status: number }> {
  const headers = { cookie, origin: service.ctx.config.baseUrl }
  const body = { currentPassword: PASSWORD, newPassword: NEW }
  return call(`${url}/api/users/me/password`, { method: 'POST', body, headers })
}

async function resetPassword(email: string): Promise<{ status: number }> {
  await call(`${url}/api/auth/password/forgot`, { method: 'POST', body: { email } })
  const token = await eventually(async () => (await listMailTo(service, email)).map(findLinkToken).find(Boolean))
  return call(`${url}/api/auth/password/reset`, { method: 'POST', body: { token, newPassword: NEW } })
}

test.each(['changed', 'reset'])('after the password was %s no device is known', async (how) => {
  const { email } = await insertUser(service)
  const [home, away] = [{ address: '10.1.1.1' }, { address: '10.2.2.2', program: 'Thief' }]
  const first = await signInFrom(email, home)
  const thief = await signInFrom(email, away)
  const withCookie = { ...away, cookie: cookieOf(thief), password: NEW }
  expect(await notices(email)).toHaveLength(1)
  const done = how === 'reset' ? await resetPassword(email) : await changePassword(cookieOf(first))
  expect(done.status).toBe(200)
  // The first known device sends no mail.
  expect((await signInFrom(email, { ...home, password: NEW })).status).toBe(200)
  expect(await notices(email)).toHaveLength(1)
  expect((await signInFrom(email, withCookie)).status).toBe(200)
  expect(await notices(email)).toHaveLength(2)
})
