import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPasskey } from '../account/passkey-calls.ts'
import { createSignedInUser, errorReply, logIn, type TestUser } from '../account/people.ts'
import {
  type Algorithm,
  type Authenticator,
  type Deviation,
  newAuthenticator,
  type RequestOptions,
} from '../support/authenticator.ts'
import type { TestService } from '../support/service.ts'
import { cookieOf, PASSWORD, startDemoService } from '../support/world.ts'

const MINUTE = 60_000
const REFUSED = errorReply(401, 'INVALID_CREDENTIALS')

let service: TestService
let somebody: TestUser
let passkey: Authenticator
beforeAll(async () => {
  service = await startDemoService()
  somebody = await createSignedInUser(service)
  passkey = await createPasskey(service, somebody)
})
afterAll(() => service?.close())

async function post(path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${service.url}/api/auth/passkey${path}`, {
    method: 'POST',
    ...(body === undefined
      ? { headers }
      : { headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as Record<string, unknown>
  return { status: response.status, headers: response.headers, cookie: cookieOf(response), body: answer }
}

interface Options extends RequestOptions {
  allowCredentials?: { id: string }[]
  userVerification: string
}

const ask = async (cookie = '', body?: object) => (await post('/options', body, { cookie })).body as unknown as Options

/** Signs in without a password. */
const signIn = async (authenticator: Authenticator, twist: Deviation = {}) =>
  post('', authenticator.get(await ask(), twist))

/** Sends the password and returns the cookie of the pending sign-in. */
const sendPassword = async (email: string) => cookieOf(await logIn(service.url, email, PASSWORD))

const amrOf = async ({ session }: { session?: { id: string } }) =>
  (
    await service.ctx.db
      .selectFrom('sessions')
      .select('amr')
      .where('id', '=', session?.id ?? '')
      .executeTakeFirstOrThrow()
  ).amr

describe('without a password', () => {
  test.each<Algorithm>(['ES256', 'EdDSA', 'RS256'])('a passkey with %s signs its user in', async (algorithm) => {
    const person = await createSignedInUser(service)
    const authenticator = await createPasskey(service, person, algorithm)
    const { status, body, cookie } = await signIn(authenticator, { backedUp: true })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { user: { id: person.id, email: person.email } },
    })
    expect(cookie).toContain('latchkey_session=')
    expect(await amrOf(body)).toEqual(['pop', 'user', 'mfa'])
    const list = await person.call('GET', '/api/users/me/mfa/passkeys')
    expect(list.body.passkeys).toMatchObject([{ lastUsedAt: expect.stringMatching(/Z$/), backedUp: true }])
  })

  const twists: Record<string, Deviation> = {
    'does not verify the user': { verified: false },
    'was used without user presence': { present: false },
    'was used at another origin': { origin: 'https://evil.test' },
    'was used for another service': { rpId: 'evil.test' },
    'was used in a cross-origin frame': { crossOrigin: true },
    'signs an unknown challenge': { challenge: randomBytes(32).toString('base64url') },
    'is a registration response': { type: 'webauthn.create' },
    'has no user handle': { userHandle: null },
    'has the user handle of another user': { userHandle: Buffer.from('somebody else').toString('base64url') },
  }
  test.each(Object.entries(twists))('a passkey that %s is refused', async (_name, twist) => {
    const { status, body } = await signIn(passkey, twist)
    expect({ status, body }).toMatchObject(REFUSED)
    expect(body.message).toBe('This passkey was not accepted.')
  })

  test('an unknown passkey, a wrong signature and malformed data are refused', async () => {
    expect(await signIn(newAuthenticator(service.url))).toMatchObject(REFUSED)
    const forged = newAuthenticator(service.url).get(await ask())
    const { id } = passkey
    expect(await post('', { ...forged, id, rawId: id })).toMatchObject(REFUSED)
    for (const part of ['authenticatorData', 'signature', 'clientDataJSON', 'userHandle'] as const) {
      for (const rubbish of ['AAAA', '%%', 'x'.repeat(150)]) {
        const signed = passkey.get(await ask())
        const response = { ...signed.response, [part]: rubbish }
        expect(await post('', { ...signed, response })).toMatchObject(REFUSED)
      }
    }
    const response = { ...passkey.get(await ask()).response, signature: 'A'.repeat(900_000) }
    expect((await post('', { ...passkey.get(await ask()), response })).status).toBe(422)
  })

  test('a challenge is valid for five minutes and one response, right or wrong', async () => {
    const options = await ask()
    expect(await post('', passkey.get(options, { verified: false }))).toMatchObject(REFUSED)
    expect(await post('', passkey.get(options))).toMatchObject(REFUSED)
    const late = passkey.get(await ask())
    service.advance(5 * MINUTE + 1)
    expect(await post('', late)).toMatchObject(REFUSED)
    service.advance(-5 * MINUTE - 1)
  })

  test('a registration challenge cannot be used to sign in', async () => {
    const { body } = await somebody.call('POST', '/api/users/me/mfa/passkeys/options', { password: PASSWORD })
    const options = { challenge: String(body.challenge), rpId: '127.0.0.1' }
    expect(await post('', passkey.get(options))).toMatchObject(REFUSED)
  })

  test('of concurrent identical responses one signs in', async () => {
    for (let round = 0; round < 20; round++) {
      const signed = passkey.get(await ask())
      const answers = await Promise.all(Array.from({ length: 4 }, () => post('', signed)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401])
    }
  })

  test('a passkey whose counter does not increase is refused and logged', async () => {
    const person = await createSignedInUser(service)
    const copied = await createPasskey(service, person)
    expect((await signIn(copied, { count: 7 })).status).toBe(200)
    for (const count of [7, 6, 0]) expect(await signIn(copied, { count })).toMatchObject(REFUSED)
    expect(service.logs.filter(({ level, userId }) => level === 40 && userId === person.id)).toMatchObject([
      { kept: 7, shown: 7 },
      { kept: 7, shown: 6 },
      { kept: 7, shown: 0 },
    ])
    expect((await signIn(copied, { count: 8 })).status).toBe(200)
  })

  test('of two concurrent uses with the same counter one is refused', async () => {
    for (let count = 1_000; count < 1_010; count++) {
      const uses = [passkey.get(await ask(), { count }), passkey.get(await ask(), { count })]
      const answers = await Promise.all(uses.map((used) => post('', used)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    }
  })

  test('a passkey with a counter of zero can be used repeatedly', async () => {
    const synced = await createPasskey(service, await createSignedInUser(service))
    for (let i = 0; i < 3; i++) expect((await signIn(synced, { count: 0 })).status).toBe(200)
  })

  test('a disabled user is refused', async () => {
    const person = await createSignedInUser(service)
    const theirs = await createPasskey(service, person)
    await service.ctx.db.updateTable('users').set({ disabled: true }).where('id', '=', person.id).execute()
    expect(await signIn(theirs)).toMatchObject(REFUSED)
  })
})

describe('after the password', () => {
  test('the options list the passkeys of the user, and user verification is optional', async () => {
    const cookie = await sendPassword(somebody.email)
    const options = await ask(cookie)
    expect(options).toMatchObject({
      allowCredentials: [{ id: passkey.id, type: 'public-key', transports: ['internal'] }],
      userVerification: 'preferred',
    })
    const signed = passkey.get(options, { count: 2_000, verified: false, userHandle: null })
    const { status, body } = await post('', signed, { cookie })
    expect({ status, body }).toMatchObject({ status: 200, body: { user: { id: somebody.id } } })
    expect(await amrOf(body)).toEqual(['pwd', 'pop', 'mfa'])
  })

  test('the passkey of another user is refused and uses up the challenge', async () => {
    const cookie = await sendPassword(somebody.email)
    const options = await ask(cookie)
    const stranger = await createSignedInUser(service)
    const theirs = await createPasskey(service, stranger)
    expect(await post('', theirs.get(options), { cookie })).toMatchObject(REFUSED)
    const { body } = await stranger.call('GET', '/api/users/me/mfa/passkeys')
    expect(body.passkeys).toMatchObject([{ lastUsedAt: null }])
    expect(await post('', passkey.get(options, { count: 2_001 }), { cookie })).toMatchObject(REFUSED)
  })

  test('a second-factor passkey is refused without the cookie of the pending sign-in', async () => {
    const options = await ask(await sendPassword(somebody.email))
    expect(await post('', passkey.get(options, { count: 2_002 }))).toMatchObject(REFUSED)
    const other = await createSignedInUser(service)
    await createPasskey(service, other)
    const cookie = await sendPassword(other.email)
    const again = await ask(await sendPassword(somebody.email))
    expect(await post('', passkey.get(again, { count: 2_003 }), { cookie })).toMatchObject(REFUSED)
  })

  test('a pending sign-in can be completed once', async () => {
    const cookie = await sendPassword(somebody.email)
    const [one, two] = [await ask(cookie), await ask(cookie)]
    expect((await post('', passkey.get(one, { count: 2_010 }), { cookie })).status).toBe(200)
    expect(await post('', passkey.get(two, { count: 2_011 }), { cookie })).toMatchObject(REFUSED)
  })

  test('passwordless options are available during a pending sign-in', async () => {
    const cookie = await sendPassword(somebody.email)
    const options = await ask(cookie, { passwordless: true })
    expect(options).toMatchObject({ userVerification: 'required' })
    expect(options.allowCredentials).toBeUndefined()
    const other = await createSignedInUser(service)
    const theirs = await createPasskey(service, other)
    expect((await post('', theirs.get(options), { cookie })).body).toMatchObject({ user: { id: other.id } })
  })

  test('a passkey can be added as second factor to an existing session', async () => {
    const person = await createSignedInUser(service)
    const { cookie } = await person.signInAgain()
    const theirs = await createPasskey(service, person)
    const options = await ask(cookie)
    expect(options.allowCredentials).toHaveLength(1)
    const { status, body } = await post('', theirs.get(options), { cookie })
    expect(status).toBe(200)
    expect(await amrOf(body)).toEqual(['pwd', 'pop', 'mfa'])
  })
})

test('cross-site requests are refused', async () => {
  const headers = { 'sec-fetch-site': 'cross-site' }
  expect(await post('/options', undefined, headers)).toMatchObject(errorReply(403, 'FORBIDDEN'))
  expect(await post('', passkey.get(await ask()), headers)).toMatchObject(errorReply(403, 'FORBIDDEN'))
})

test('challenges and failures are rate limited', async () => {
  const exhaust = (name: string, points: number, key = '127.0.0.1') =>
    service.ctx.db
      .insertInto('throttle' as never)
      .values({ key: `${name}:${key}`, points, expire: Date.now() + MINUTE } as never)
      .onConflict((conflict) =>
        conflict.column('key' as never).doUpdateSet({ points, expire: Date.now() + MINUTE } as never),
      )
      .execute()
  const options = await ask()
  await exhaust('passkey-options', 2_000)
  expect(await post('/options')).toMatchObject(errorReply(429, 'RATE_LIMITED'))
  // A second factor has a limit for each user, so that the sign-in pages that others open do not use it up.
  const pending = { cookie: await sendPassword(somebody.email) }
  expect((await post('/options', undefined, pending)).status).toBe(200)
  await exhaust('passkey-second-factor', 100, somebody.id)
  expect(await post('/options', undefined, pending)).toMatchObject(errorReply(429, 'RATE_LIMITED'))
  await exhaust('passkey', service.ctx.config.limits.signInFailures * 50)
  const refused = await post('', passkey.get(options, { count: 9_000 }))
  expect(refused).toMatchObject(errorReply(429, 'RATE_LIMITED'))
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
})
