import { describe, expect, test } from 'vitest'
import type { Deviation } from '../../server/test/support/authenticator.ts'
import { callAs, client, newAccount, newConfirmedAccount } from '../support/account.ts'
import { addAuthenticatorApp } from '../support/authenticator-app.ts'
import { openBrowser } from '../support/browser.ts'
import { errorBody, expectForbidden, newForbiddenCallers } from '../support/calls.ts'
import { listMails, waitForMail } from '../support/mail.ts'
import { getTokens, type Tokens } from '../support/oauth.ts'
import { addPasskey, getCreationOptions, newDevice, newPasskey, PASSKEYS, usePasskey } from '../support/passkeys.ts'
import { newPerson } from '../support/person.ts'
import { baseUrl } from '../support/service.ts'
import { expectedSignIn, TIMESTAMP, UUID } from '../support/sign-in.ts'

const INVALID = errorBody(400, 'INVALID_PASSKEY')
const AT = expect.stringMatching(TIMESTAMP)
const forbiddenCallers = await newForbiddenCallers(await newPerson())

const listPasskeys = async (tokens: Tokens) => (await callAs(tokens, 'GET', PASSKEYS)).body
const readOverview = async (tokens: Tokens) => (await callAs(tokens, 'GET', '/api/users/me/mfa')).body
const listSubjects = async (email: string) => (await listMails(email)).map(({ subject }) => subject)

describe('adding a passkey', () => {
  test('the options name the service, the person and the existing passkeys', async () => {
    const { person, tokens } = await newConfirmedAccount()
    const { device } = await newPasskey(tokens)
    const { sub } = JSON.parse(Buffer.from(tokens.access_token.split('.')[1] ?? '', 'base64url').toString())
    const { status, body } = await callAs(tokens, 'POST', `${PASSKEYS}/options`, {
      password: tokens.password,
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      rp: { id: new URL(baseUrl).hostname, name: expect.any(String) },
      user: {
        id: Buffer.from(sub).toString('base64url'),
        name: person.email,
        displayName: 'Sam Someone',
      },
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ alg, type: 'public-key' })),
      timeout: 300_000,
      excludeCredentials: [{ id: device.id, type: 'public-key', transports: ['internal'] }],
      authenticatorSelection: {
        residentKey: 'preferred',
        requireResidentKey: false,
        userVerification: 'preferred',
      },
      attestation: 'none',
      extensions: { credProps: true },
    })
  })

  test('the first passkey returns recovery codes and enables the second factor; the next one does not', async () => {
    const { person, tokens } = await newConfirmedAccount()
    expect(await listPasskeys(tokens)).toEqual({ passkeys: [] })
    const first = await addPasskey(tokens, newDevice(), { name: ' Blue key ' })
    expect(first.status).toBe(201)
    const { recoveryCodes, ...blue } = first.body
    expect(blue).toEqual({
      id: expect.stringMatching(UUID),
      name: 'Blue key',
      createdAt: AT,
      lastUsedAt: null,
      backedUp: false,
    })
    expect(new Set(recoveryCodes as string[]).size).toBe(10)
    const second = await addPasskey(tokens, newDevice(), { twist: { backedUp: true } })
    expect(second.status).toBe(201)
    expect(second.body).toEqual({
      id: expect.stringMatching(UUID),
      name: expect.stringMatching(/\S/),
      createdAt: AT,
      lastUsedAt: null,
      backedUp: true,
    })
    expect(await listPasskeys(tokens)).toEqual({ passkeys: [blue, second.body] })
    expect(await readOverview(tokens)).toEqual({
      mfaEnabled: true,
      totp: false,
      passkeys: 2,
      recoveryCodesLeft: 10,
    })
    expect((await callAs(tokens, 'GET', '/api/users/me')).body.mfaEnabled).toBe(true)
    expect((await listSubjects(person.email)).filter((subject) => subject === 'A passkey was added')).toHaveLength(2)
  })

  test('passkeys and an authenticator app are independent second factors', async () => {
    const { tokens } = await newConfirmedAccount()
    const { recoveryCodes } = await addAuthenticatorApp(tokens)
    const passkey = await newPasskey(tokens)
    expect(recoveryCodes).toHaveLength(10)
    expect(passkey.recoveryCodes).toEqual([])
    expect(await readOverview(tokens)).toEqual({
      mfaEnabled: true,
      totp: true,
      passkeys: 1,
      recoveryCodesLeft: 10,
    })
  })

  test('the time of the last use is shown', async () => {
    const { person, tokens } = await newConfirmedAccount()
    const { device } = await newPasskey(tokens)
    const before = Date.now()
    expect((await usePasskey(openBrowser(), device)).body).toEqual(
      expectedSignIn(person.email, { emailVerified: true }),
    )
    const { passkeys } = (await listPasskeys(tokens)) as { passkeys: { lastUsedAt: string }[] }
    expect(passkeys[0]?.lastUsedAt).toEqual(AT)
    expect(Date.parse(passkeys[0]?.lastUsedAt ?? '')).toBeGreaterThanOrEqual(before - 1000)
  })

  test('requires a confirmed address', async () => {
    const { tokens } = await newAccount()
    expect((await callAs(tokens, 'POST', `${PASSKEYS}/options`, { password: tokens.password })).body).toEqual(
      errorBody(403, 'EMAIL_NOT_VERIFIED'),
    )
  })

  test('a person with a second factor must use it before a passkey is added or removed', async () => {
    const { person, tokens } = await newConfirmedAccount()
    const older = await getTokens(await person.signIn(), client)
    const { id } = await newPasskey(tokens)
    const { password } = person
    for (const [method, path] of [
      ['POST', `${PASSKEYS}/options`],
      ['DELETE', `${PASSKEYS}/${id}`],
    ] as const) {
      expect((await callAs(older, method, path, { password })).body, path).toEqual(
        errorBody(403, 'REAUTHENTICATION_REQUIRED'),
      )
    }
    expect(await readOverview(tokens)).toMatchObject({ passkeys: 1 })
  })
})

describe('a passkey is refused', () => {
  const holder = newConfirmedAccount()

  test.each<[string, Deviation]>([
    ['for another origin', { origin: 'https://evil.test' }],
    ['for another relying party', { rpId: 'evil.test' }],
    ['with an unknown challenge', { challenge: 'A'.repeat(43) }],
    ['with an assertion response', { type: 'webauthn.get' }],
    ['created in a cross-origin frame', { crossOrigin: true }],
    ['created without user presence', { present: false }],
    ['without a key', { key: Buffer.alloc(0) }],
  ])('%s', async (_, twist) => {
    const { tokens } = await holder
    const { status, body } = await addPasskey(tokens, newDevice(), { twist })
    expect(status).toBe(400)
    expect(body).toEqual(INVALID)
    expect(await listPasskeys(tokens)).toEqual({ passkeys: [] })
  })

  test('with a challenge that was used before, or issued to another person', async () => {
    const [{ tokens }, { tokens: theirs }] = [await newConfirmedAccount(), await newConfirmedAccount()]
    const question = await getCreationOptions(tokens)
    const made = newDevice().create(question)
    expect((await callAs(theirs, 'POST', PASSKEYS, made)).body).toEqual(INVALID)
    expect((await callAs(tokens, 'POST', PASSKEYS, made)).status).toBe(201)
    expect((await callAs(tokens, 'POST', PASSKEYS, newDevice().create(question))).body).toEqual(INVALID)
  })

  test('that is already registered', async () => {
    const [{ tokens }, { tokens: theirs }] = [await newConfirmedAccount(), await newConfirmedAccount()]
    const { device } = await newPasskey(theirs)
    expect((await addPasskey(tokens, device)).body).toEqual(INVALID)
    expect((await addPasskey(theirs, device)).body).toEqual(INVALID)
    expect(await readOverview(theirs)).toMatchObject({ passkeys: 1 })
  })

  test('with missing or invalid fields, which are named', async () => {
    const { tokens } = await holder
    const made = newDevice().create(await getCreationOptions(tokens))
    const invalid: [object, string][] = [
      [{ ...made, id: undefined }, 'id'],
      [{ ...made, type: 'password' }, 'type'],
      [{ ...made, name: '  ' }, 'name'],
      [{ ...made, name: 'x'.repeat(101) }, 'name'],
      [{ ...made, name: 'Sign in at evil.test/login' }, 'name'],
      [{ ...made, response: { ...made.response, clientDataJSON: 5 } }, 'response.clientDataJSON'],
    ]
    for (const [body, field] of invalid) {
      expect((await callAs(tokens, 'POST', PASSKEYS, body)).body).toEqual(
        errorBody(422, 'VALIDATION_FAILED', { details: [{ field, message: expect.any(String) }] }),
      )
    }
  })
})

test('T110: the mail about a new passkey quotes its name without a link', async () => {
  const { person, tokens } = await newConfirmedAccount()
  await addPasskey(tokens, newDevice(), { name: 'Go to evil.test' })
  const { text } = await waitForMail(person.email, 'A passkey was added')
  expect(text).toContain('Passkey: "Go to evil.\u200btest"')
})

describe('removing a passkey', () => {
  test('works once, notifies the person, and removing the last one disables the second factor', async () => {
    const { person, tokens } = await newConfirmedAccount()
    const [one, other] = [await newPasskey(tokens), await newPasskey(tokens)]
    const remove = (id: string) => callAs(tokens, 'DELETE', `${PASSKEYS}/${id}`)
    const { status, body } = await remove(one.id)
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: expect.any(String) })
    expect((await remove(one.id)).body).toEqual(errorBody(404, 'PASSKEY_NOT_FOUND'))
    expect(await listPasskeys(tokens)).toMatchObject({ passkeys: [{ id: other.id }] })
    expect((await usePasskey(openBrowser(), one.device)).status).toBe(401)
    expect((await remove(other.id)).status).toBe(200)
    expect(await readOverview(tokens)).toMatchObject({ mfaEnabled: false, passkeys: 0 })
    expect(await (await (await person.signIn()).get('/api/users/me')).json()).toMatchObject({
      mfaEnabled: false,
    })
    expect((await listSubjects(person.email)).filter((subject) => subject === 'A passkey was removed')).toHaveLength(2)
  })

  test('a passkey of another person is not found and not removed', async () => {
    const [{ tokens }, { tokens: outsider }] = [await newConfirmedAccount(), await newConfirmedAccount()]
    const { id } = await newPasskey(tokens)
    for (const candidateId of [id, '018f0000-0000-7000-8000-000000000000', 'rubbish', '%F0%9F%94%91']) {
      const { status, body } = await callAs(outsider, 'DELETE', `${PASSKEYS}/${candidateId}`, {
        password: outsider.password,
      })
      expect(status, candidateId).toBe(404)
      expect(body, candidateId).toEqual(errorBody(404, 'PASSKEY_NOT_FOUND'))
    }
    expect((await callAs(outsider, 'DELETE', `${PASSKEYS}/%00`, { password: outsider.password })).status).toBe(404)
    expect(await readOverview(tokens)).toMatchObject({ passkeys: 1 })
  })
})

test.each<[string, string, object | undefined]>([
  ['GET', PASSKEYS, undefined],
  ['POST', `${PASSKEYS}/options`, {}],
  ['POST', PASSKEYS, newDevice().create({ challenge: 'x', user: { id: 'x' }, rp: { id: 'x' } })],
  ['DELETE', `${PASSKEYS}/018f0000-0000-7000-8000-000000000000`, {}],
])(
  '%s %s refuses callers without authentication, machines and third-party applications',
  async (method, path, body) => {
    await expectForbidden(forbiddenCallers, { method, path, body })
  },
)
