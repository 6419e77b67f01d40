import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eraseDueAccounts } from '../../src/account/deletion/erasure.ts'
import { call, createSignedInUser, insertUser, logIn, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { totpCode } from '../support/totp.ts'
import { authorizeUrl, cookieOf, PASSWORD, startDemoService } from '../support/world.ts'
import { BY_REQUEST, BY_SYSTEM, captureEntries, captureEntry, logText } from './entries.ts'

let service: TestService
let url: string
let watch: StatementWatch
beforeAll(async () => {
  const limits = { signInFailures: 3, confirmFailures: 3, clientFailures: 10 }
  service = await startDemoService({ config: { trustedProxies: ['127.0.0.1'], limits } })
  url = service.url
  watch = await watchStatements(service)
})
afterAll(async () => {
  await watch?.close()
  await service?.close()
})

let address = 0
/** An IP address without previous failures. */
const newIpAddress = () => `10.9.${Math.floor(++address / 250)}.${address % 250}`

const headersFrom = (ipAddress: string) => ({ 'X-Forwarded-For': ipAddress, 'User-Agent': 'Guesser/1' })
const guess = (email: string, password = 'a wrong guess', ipAddress = newIpAddress()) =>
  call(`${url}/api/auth/login`, {
    method: 'POST',
    body: { email, password },
    headers: headersFrom(ipAddress),
  })

describe('a failed sign-in records one entry with the reason and the IP address, for', () => {
  test.each([
    ['a wrong password', {}, 'wrong_password'],
    ['a disabled account', { disabled: true }, 'disabled'],
    ['an account without password sign-in', { password_sign_in: false }, 'no_password'],
    ['an account without a password', { password_hash: null }, 'no_password'],
  ])('%s', async (_name, traits, reason) => {
    const { id, email } = await insertUser(service, traits)
    const ipAddress = newIpAddress()
    const entry = await captureEntry(service, () => guess(email.toUpperCase(), 'a wrong guess', ipAddress))
    expect(entry).toMatchObject({ action: 'session.refused', ...BY_SYSTEM, user_id: id, client_id: null })
    expect(entry.request_id).toMatch(/./)
    expect(entry.details).toEqual({ reason, method: 'password' })
    expect(entry.personal).toEqual({ email, ipAddress, userAgent: 'Guesser/1' })
  })

  test('an unknown address', async () => {
    const entry = await captureEntry(service, () => guess('nobody@people.test'))
    expect(entry).toMatchObject({ user_id: null, personal: { email: 'nobody@people.test' } })
    expect(entry.details).toEqual({ reason: 'unknown_address', method: 'password' })
  })

  test.each(['my password is hunter2', 'hunter2', 'hunter2@', 'hunter2@home'])(
    '%s, typed into the address field, which is not recorded',
    async (typed) => {
      const entry = await captureEntry(service, () => guess(typed))
      expect(entry.details).toEqual({ reason: 'unknown_address', method: 'password' })
      expect(entry.personal).not.toHaveProperty('email')
      expect(await logText(service)).not.toContain('hunter2')
    },
  )
})

test('a sign-in for an application records the client, and a correct password records no failure', async () => {
  const { email } = await insertUser(service)
  const start = await fetch(authorizeUrl(url), { redirect: 'manual' })
  const login = new URL(start.headers.get('location') ?? '', url)
  const page = await fetch(login)
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const send = (password: string) =>
    fetch(login, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: cookieOf(page) },
      body: new URLSearchParams({ csrf, email, password }),
    })
  const refused = await captureEntry(service, () => send('a wrong guess'))
  expect(refused).toMatchObject({ action: 'session.refused', client_id: 'demo-spa', ...BY_REQUEST })
  const started = await captureEntry(service, () => send(PASSWORD))
  expect(started).toMatchObject({ action: 'session.started', client_id: 'demo-spa', ...BY_REQUEST })
})

test('a failed sign-in runs the same statements for known and unknown addresses', async () => {
  const { email } = await insertUser(service)
  const [disabled, unknown] = [await insertUser(service, { disabled: true }), 'stranger@people.test']
  const listOf = (who: string) => watch.list(() => guess(who))
  const expected = await listOf(email)
  expect(expected.map(({ query }) => query).join()).toContain('audit_entries')
  expect(await listOf(unknown)).toEqual(expected)
  expect(await listOf(disabled.email)).toEqual(expected)
})

test('attempts beyond the rate limit record one more entry in total', async () => {
  for (const who of [(await insertUser(service)).email, 'flooded@people.test']) {
    const ipAddress = newIpAddress()
    const entries = await captureEntries(service, async () => {
      for (let count = 0; count < 9; count++) await guess(who, 'a wrong guess', ipAddress)
      await Promise.all(Array.from({ length: 6 }, () => guess(who, PASSWORD, ipAddress)))
    })
    const reasons = entries.map(({ details }) => details.reason)
    expect(reasons.filter((reason) => reason !== 'rate_limited')).toHaveLength(3)
    expect(reasons.filter((reason) => reason === 'rate_limited')).toHaveLength(1)
    expect(entries.at(-1)).toMatchObject({ user_id: entries[0]?.user_id, personal: { email: who } })
  }
})

test('attempts beyond the rate limit of a network record one more entry in total, for any number of accounts', async () => {
  const ipAddress = newIpAddress()
  const { limits } = service.ctx.config
  for (let count = 0; count < limits.signInFailures * 50; count += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, i) => guess(`x${count + i}@flood.test`, 'x', ipAddress)))
  }
  const entries = await captureEntries(service, async () => {
    for (let count = 0; count < 12; count++) await guess(`y${count}@flood.test`, 'x', ipAddress)
  })
  expect(entries.map(({ details }) => details.reason)).toEqual(['rate_limited'])
})

describe('a wrong second factor', () => {
  const answer = (cookie: string, code: string) =>
    call(`${url}/api/auth/mfa`, { method: 'POST', body: { code }, headers: { cookie } })

  async function withApp(): Promise<{ somebody: TestUser; secret: string; cookie: string }> {
    const somebody = await createSignedInUser(service)
    const secret = (await somebody.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })).body.secret as string
    const code = totpCode(secret, service.ctx.now())
    await somebody.call('POST', '/api/users/me/mfa/totp/verify', { code })
    return { somebody, secret, cookie: cookieOf(await logIn(url, somebody.email, PASSWORD)) }
  }

  test('records one entry each, and one more beyond the limit', async () => {
    const { somebody, secret, cookie } = await withApp()
    const wrong = totpCode(secret, new Date(service.ctx.now().getTime() + 3_600_000))
    const entry = await captureEntry(service, () => answer(cookie, wrong))
    expect(entry).toMatchObject({
      action: 'session.second_factor_refused',
      ...BY_SYSTEM,
      user_id: somebody.id,
      ...BY_REQUEST,
      details: { reason: 'wrong_code', method: 'totp' },
    })
    const others = await captureEntries(service, async () => {
      await answer(cookie, 'not-a-recovery-code')
      for (let count = 0; count < 6; count++) await answer(cookie, wrong)
    })
    expect(others.map(({ details }) => [details.reason, details.method])).toEqual([
      ['wrong_code', 'recovery_code'],
      ['wrong_code', 'totp'],
      ['rate_limited', 'totp'],
    ])
    expect(await logText(service)).not.toContain('not-a-recovery-code')
  })
})

describe('a wrong password in a reauthentication', () => {
  const routes: [string, (somebody: TestUser, password: string) => Promise<unknown>][] = [
    [
      'for a password change',
      (somebody, currentPassword) =>
        somebody.call('POST', '/api/users/me/password', {
          currentPassword,
          newPassword: 'quite another one',
        }),
    ],
    [
      'for a second factor in an old session',
      (somebody, password) => somebody.call('POST', '/api/users/me/mfa/totp', { password }),
    ],
  ]

  test.each(routes)('%s records one entry each, and one more beyond the limit', async (_name, ask) => {
    const somebody = await createSignedInUser(service)
    const auth_time = new Date(service.ctx.now().getTime() - 2 * 3_600_000)
    await service.ctx.db.updateTable('sessions').set({ auth_time }).where('user_id', '=', somebody.id).execute()
    const entries = await captureEntries(service, async () => {
      for (let count = 0; count < 6; count++) await ask(somebody, 'my old password')
    })
    expect(entries.map(({ details }) => details)).toEqual([
      ...Array(3).fill({ reason: 'wrong_password', method: 'password' }),
      { reason: 'rate_limited', method: 'password' },
    ])
    for (const entry of entries) {
      expect(entry).toMatchObject({
        action: 'session.refused',
        ...BY_SYSTEM,
        user_id: somebody.id,
        client_id: 'demo-spa',
        personal: { email: somebody.email, ipAddress: '127.0.0.1' },
      })
    }
    expect(await logText(service)).not.toContain('my old password')
  })
})

describe('a wrong client secret', () => {
  const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` })
  const askAt = (path: string, form: Record<string, string>, ipAddress: string, headers = {}) =>
    fetch(`${url}/api/oauth/${path}`, {
      method: 'POST',
      headers: { ...headersFrom(ipAddress), ...headers },
      body: new URLSearchParams(form),
    })
  const WRONG = { client_id: 'demo-ops', client_secret: 'a-wrong-secret' }

  test.each([
    ['token', { grant_type: 'client_credentials', ...WRONG }, {}],
    ['revoke', { token: 'x', ...WRONG }, {}],
    ['introspect', { token: 'x' }, basic('demo-ops', 'a-wrong-secret')],
  ])('at %s records one entry per minute', async (path, form, headers) => {
    const ipAddress = newIpAddress()
    const entry = await captureEntry(service, async () => {
      for (let count = 0; count < 13; count++) await askAt(path, form as never, ipAddress, headers)
    })
    expect(entry).toMatchObject({
      action: 'client.refused',
      ...BY_SYSTEM,
      client_id: 'demo-ops',
      user_id: null,
      details: { reason: 'wrong_secret', clientId: 'demo-ops' },
      personal: { ipAddress },
    })
  })

  test('of an unknown client records an entry without a client id', async () => {
    const form = { grant_type: 'client_credentials', client_id: 'lks_a-secret-misplaced', client_secret: 'x' }
    const entry = await captureEntry(service, () => askAt('token', form, newIpAddress()))
    expect(entry.details).toEqual({ reason: 'unknown_client' })
    const text = await logText(service)
    for (const secret of ['lks_a-secret', 'a-wrong-secret', 'a wrong guess', PASSWORD]) {
      expect(text).not.toContain(secret)
    }
  })
})

test('an erasure includes failed sign-ins with the address from before the account existed', async () => {
  const email = 'early@people.test'
  const early = await captureEntry(service, () => guess(email))
  expect(early).toMatchObject({ user_id: null, personal: { email } })
  await insertUser(service, { email, deletion_requested_at: service.ctx.now() })
  const late = await captureEntry(service, () => guess(email))
  expect(late).toMatchObject({ personal: { email } })
  service.advance(31 * 86_400_000)
  await eraseDueAccounts.run(service.ctx, {})
  expect(await logText(service)).not.toContain(email)
})
