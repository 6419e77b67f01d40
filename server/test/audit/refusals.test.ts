import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { erasePeople } from '../../src/account/deletion/erasure.ts'
import { newPasskey } from '../account/passkey-calls.ts'
import { addPerson, call, logIn, newSomebody, type Somebody } from '../account/people.ts'
import { newAuthenticator, type RequestOptions } from '../support/authenticator.ts'
import type { TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { totpCode } from '../support/totp.ts'
import { authorizeUrl, cookieOf, PASSWORD, startWorld } from '../support/world.ts'
import { BY_REQUEST, BY_SYSTEM, entriesOfWork, entryOfWork, logText } from './entries.ts'

let service: TestService
let url: string
let watch: StatementWatch
beforeAll(async () => {
  const limits = { signInFailures: 3, confirmFailures: 3, clientFailures: 10 }
  service = await startWorld({ config: { trustedProxies: ['127.0.0.1'], limits } })
  url = service.url
  watch = await watchStatements(service)
})
afterAll(async () => {
  await watch?.close()
  await service?.close()
})

let address = 0
/** A place from which nobody has failed yet. */
const elsewhere = () => `10.9.${Math.floor(++address / 250)}.${address % 250}`

const from = (place: string) => ({ 'X-Forwarded-For': place, 'User-Agent': 'Guesser/1' })
const guess = (email: string, password = 'a wrong guess', place = elsewhere()) =>
  call(`${url}/api/auth/login`, { method: 'POST', body: { email, password }, headers: from(place) })

describe('a password that lets nobody in leaves one entry, which tells why and from where', () => {
  test.each([
    ['a wrong password', {}, 'wrong_password'],
    ['a disabled account', { disabled: true }, 'disabled'],
    ['an account that no password opens', { password_sign_in: false }, 'no_password'],
    ['an account without a password', { password_hash: null }, 'no_password'],
  ])('%s', async (_name, traits, reason) => {
    const { id, email } = await addPerson(service, traits)
    const place = elsewhere()
    const entry = await entryOfWork(service, () => guess(email.toUpperCase(), 'a wrong guess', place))
    expect(entry).toMatchObject({ action: 'session.refused', ...BY_SYSTEM, user_id: id, client_id: null })
    expect(entry.request_id).toMatch(/./)
    expect(entry.details).toEqual({ reason, method: 'password' })
    expect(entry.personal).toEqual({ email, ipAddress: place, userAgent: 'Guesser/1' })
  })

  test('an address that nobody has', async () => {
    const entry = await entryOfWork(service, () => guess('nobody@people.test'))
    expect(entry).toMatchObject({ user_id: null, personal: { email: 'nobody@people.test' } })
    expect(entry.details).toEqual({ reason: 'unknown_address', method: 'password' })
  })

  test.each(['my password is hunter2', 'hunter2', 'hunter2@', 'hunter2@home'])(
    '%s, in the field of the address, is not kept',
    async (typed) => {
      const entry = await entryOfWork(service, () => guess(typed))
      expect(entry.details).toEqual({ reason: 'unknown_address', method: 'password' })
      expect(entry.personal).not.toHaveProperty('email')
      expect(await logText(service)).not.toContain('hunter2')
    },
  )
})

test('on the way to an application the client is named, and the right password leaves no refusal', async () => {
  const { email } = await addPerson(service)
  const start = await fetch(authorizeUrl(url), { redirect: 'manual' })
  const login = new URL(start.headers.get('location') ?? '', url)
  const page = await fetch(login)
  const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? ''
  const send = (password: string) =>
    fetch(login, {
      ...{ method: 'POST', redirect: 'manual', headers: { cookie: cookieOf(page) } },
      body: new URLSearchParams({ csrf, email, password }),
    })
  const refused = await entryOfWork(service, () => send('a wrong guess'))
  expect(refused).toMatchObject({ action: 'session.refused', client_id: 'demo-spa', ...BY_REQUEST })
  const started = await entryOfWork(service, () => send(PASSWORD))
  expect(started).toMatchObject({ action: 'session.started', client_id: 'demo-spa', ...BY_REQUEST })
})

test('what is written down of a refusal takes the same statements for known and unknown addresses', async () => {
  const { email } = await addPerson(service)
  const [disabled, unknown] = [await addPerson(service, { disabled: true }), 'stranger@people.test']
  const listOf = (who: string) => watch.list(() => guess(who))
  const expected = await listOf(email)
  expect(expected.map(({ query }) => query).join()).toContain('audit_entries')
  expect(await listOf(unknown)).toEqual(expected)
  expect(await listOf(disabled.email)).toEqual(expected)
})

test('beyond the limit whoever goes on leaves one more entry, and not one for each attempt', async () => {
  for (const who of [(await addPerson(service)).email, 'flooded@people.test']) {
    const place = elsewhere()
    const entries = await entriesOfWork(service, async () => {
      for (let count = 0; count < 9; count++) await guess(who, 'a wrong guess', place)
      await Promise.all(Array.from({ length: 6 }, () => guess(who, PASSWORD, place)))
    })
    const reasons = entries.map(({ details }) => details.reason)
    expect(reasons.filter((reason) => reason !== 'rate_limited')).toHaveLength(3)
    expect(reasons.filter((reason) => reason === 'rate_limited')).toHaveLength(1)
    expect(entries.at(-1)).toMatchObject({ user_id: entries[0]?.user_id, personal: { email: who } })
  }
})

test('a network beyond its limit leaves one more entry, however many accounts it makes up', async () => {
  const place = elsewhere()
  const { limits } = service.ctx.config
  for (let count = 0; count < limits.signInFailures * 50; count += 10) {
    await Promise.all(Array.from({ length: 10 }, (_, i) => guess(`x${count + i}@flood.test`, 'x', place)))
  }
  const entries = await entriesOfWork(service, async () => {
    for (let count = 0; count < 12; count++) await guess(`y${count}@flood.test`, 'x', place)
  })
  expect(entries.map(({ details }) => details.reason)).toEqual(['rate_limited'])
}, 60_000)

describe('a wrong second factor', () => {
  const answer = (cookie: string, code: string) =>
    call(`${url}/api/auth/mfa`, { method: 'POST', body: { code }, headers: { cookie } })

  async function withApp(): Promise<{ somebody: Somebody; secret: string; cookie: string }> {
    const somebody = await newSomebody(service)
    const secret = (await somebody.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })).body
      .secret as string
    const code = totpCode(secret, service.ctx.now())
    await somebody.call('POST', '/api/users/me/mfa/totp/verify', { code })
    return { somebody, secret, cookie: cookieOf(await logIn(url, somebody.email, PASSWORD)) }
  }

  test('leaves one entry each, and one more beyond the limit', async () => {
    const { somebody, secret, cookie } = await withApp()
    const wrong = totpCode(secret, new Date(service.ctx.now().getTime() + 3_600_000))
    const entry = await entryOfWork(service, () => answer(cookie, wrong))
    expect(entry).toMatchObject({
      ...{ action: 'session.second_factor_refused', ...BY_SYSTEM, user_id: somebody.id, ...BY_REQUEST },
      details: { reason: 'wrong_code', method: 'totp' },
    })
    const others = await entriesOfWork(service, async () => {
      await answer(cookie, 'not-a-recovery-code')
      for (let count = 0; count < 6; count++) await answer(cookie, wrong)
    })
    expect(others.map(({ details }) => [details.reason, details.method])).toEqual([
      ...[
        ['wrong_code', 'recovery_code'],
        ['wrong_code', 'totp'],
        ['rate_limited', 'totp'],
      ],
    ])
    expect(await logText(service)).not.toContain('not-a-recovery-code')
  })
})

describe('a wrong password of somebody who is asked again who they are', () => {
  const doors: [string, (somebody: Somebody, password: string) => Promise<unknown>][] = [
    [
      'for another password',
      (somebody, currentPassword) =>
        somebody.call('POST', '/api/users/me/password', {
          currentPassword,
          newPassword: 'quite another one',
        }),
    ],
    [
      'for a second factor, long after they have signed in',
      (somebody, password) => somebody.call('POST', '/api/users/me/mfa/totp', { password }),
    ],
  ]

  test.each(doors)('%s leaves one entry each, and one more beyond the limit', async (_name, ask) => {
    const somebody = await newSomebody(service)
    const auth_time = new Date(service.ctx.now().getTime() - 2 * 3_600_000)
    await service.ctx.db
      .updateTable('sessions')
      .set({ auth_time })
      .where('user_id', '=', somebody.id)
      .execute()
    const entries = await entriesOfWork(service, async () => {
      for (let count = 0; count < 6; count++) await ask(somebody, 'my old password')
    })
    expect(entries.map(({ details }) => details)).toEqual([
      ...Array(3).fill({ reason: 'wrong_password', method: 'password' }),
      { reason: 'rate_limited', method: 'password' },
    ])
    for (const entry of entries) {
      expect(entry).toMatchObject({
        ...{ action: 'session.refused', ...BY_SYSTEM, user_id: somebody.id, client_id: 'demo-spa' },
        personal: { email: somebody.email, ipAddress: '127.0.0.1' },
      })
    }
    expect(await logText(service)).not.toContain('my old password')
  })
})

describe('a passkey that is not accepted', () => {
  const post = async (path: string, body: unknown = {}, headers = {}) =>
    call(`${url}/api/auth/passkey${path}`, { method: 'POST', body, headers })
  const ask = async (cookie = '') =>
    (await post('/options', {}, { cookie })).body as unknown as RequestOptions

  test('leaves an entry, with whose it is', async () => {
    const somebody = await newSomebody(service)
    const passkey = await newPasskey(service, somebody)
    const response = passkey.get(await ask())
    const broken = { ...response, response: { ...response.response, signature: 'AAAA' } }
    const wrong = await entryOfWork(service, () => post('', broken))
    expect(wrong).toMatchObject({
      ...{ action: 'session.refused', ...BY_SYSTEM, user_id: somebody.id, ...BY_REQUEST },
      details: { reason: 'wrong_passkey', method: 'passkey' },
    })
    const stranger = newAuthenticator(service.ctx.config.baseUrl)
    stranger.create({ ...(await ask()), user: { id: 'AAAA' }, rp: { id: '127.0.0.1' } } as never)
    const nobodys = await entryOfWork(service, async () => post('', stranger.get(await ask())))
    expect(nobodys).toMatchObject({ user_id: null, details: { reason: 'unknown_passkey' } })

    await service.ctx.db.updateTable('users').set({ disabled: true }).where('id', '=', somebody.id).execute()
    const disabled = await entryOfWork(service, async () => post('', passkey.get(await ask())))
    expect(disabled).toMatchObject({ user_id: somebody.id, details: { reason: 'disabled' } })
    // What nobody has asked for can be sent without end.
    const made = await entriesOfWork(service, async () => {
      for (let count = 0; count < 5; count++) await post('', response)
    })
    expect(made.map(({ details }) => details.reason)).toEqual(['unknown_challenge'])
  })

  test('as a second factor is told as that', async () => {
    const [owner, other] = [await newSomebody(service), await newSomebody(service)]
    await newPasskey(service, owner)
    const foreign = await newPasskey(service, other)
    const cookie = cookieOf(await logIn(url, owner.email, PASSWORD))
    const entry = await entryOfWork(service, async () => post('', foreign.get(await ask(cookie)), { cookie }))
    expect(entry).toMatchObject({
      ...{ action: 'session.second_factor_refused', user_id: owner.id },
      details: { reason: 'foreign_passkey', method: 'passkey' },
    })
  })
})

describe('a wrong client secret', () => {
  const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` })
  const askAt = (path: string, form: Record<string, string>, place: string, headers = {}) =>
    fetch(`${url}/api/oauth/${path}`, {
      ...{ method: 'POST', headers: { ...from(place), ...headers } },
      body: new URLSearchParams(form),
    })
  const WRONG = { client_id: 'demo-ops', client_secret: 'a-wrong-secret' }

  test.each([
    ['token', { grant_type: 'client_credentials', ...WRONG }, {}],
    ['revoke', { token: 'x', ...WRONG }, {}],
    ['introspect', { token: 'x' }, basic('demo-ops', 'a-wrong-secret')],
  ])('at %s leaves one entry a minute', async (path, form, headers) => {
    const place = elsewhere()
    const entry = await entryOfWork(service, async () => {
      for (let count = 0; count < 13; count++) await askAt(path, form as never, place, headers)
    })
    expect(entry).toMatchObject({
      ...{ action: 'client.refused', ...BY_SYSTEM, client_id: 'demo-ops', user_id: null },
      details: { reason: 'wrong_secret', clientId: 'demo-ops' },
      personal: { ipAddress: place },
    })
  })

  test('of a client that there is not leaves one that names none', async () => {
    const form = { grant_type: 'client_credentials', client_id: 'lks_a-secret-misplaced', client_secret: 'x' }
    const entry = await entryOfWork(service, () => askAt('token', form, elsewhere()))
    expect(entry.details).toEqual({ reason: 'unknown_client' })
    const text = await logText(service)
    for (const secret of ['lks_a-secret', 'a-wrong-secret', 'a wrong guess', PASSWORD]) {
      expect(text).not.toContain(secret)
    }
  })
})

test('who is erased is forgotten also in what was tried with their address before they had an account', async () => {
  const email = 'early@people.test'
  const early = await entryOfWork(service, () => guess(email))
  expect(early).toMatchObject({ user_id: null, personal: { email } })
  await addPerson(service, { email, deletion_requested_at: service.ctx.now() })
  const late = await entryOfWork(service, () => guess(email))
  expect(late).toMatchObject({ personal: { email } })
  service.advance(31 * 86_400_000)
  await erasePeople.run(service.ctx, {})
  expect(await logText(service)).not.toContain(email)
})
