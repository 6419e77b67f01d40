import { describe, expect, test } from 'vitest'
import type { Deviation } from '../../server/test/support/authenticator.ts'
import { callAs, client, newConfirmedAccount } from '../support/account.ts'
import { addAuthenticatorApp } from '../support/authenticator-app.ts'
import { openBrowser } from '../support/browser.ts'
import { call, errorBody, ownOrigin } from '../support/calls.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import { getTokens } from '../support/oauth.ts'
import { getRequestOptions, newDevice, newPasskey, usePasskey } from '../support/passkeys.ts'
import { baseUrl } from '../support/service.ts'
import { expectedSignIn, findSessionCookie, hasSession, postAuth } from '../support/sign-in.ts'

const REFUSED = errorBody(401, 'INVALID_CREDENTIALS')
const rpId = new URL(baseUrl).hostname

/** A person with a passkey. */
async function newPersonWithPasskey() {
  const holder = await newConfirmedAccount()
  return { ...holder, ...(await newPasskey(holder.tokens)) }
}

describe('instead of a password', () => {
  const owner = newPersonWithPasskey()

  test('a passkey signs in its person without an address', async () => {
    const { person, device } = await owner
    const browser = openBrowser()
    const optionsResponse = await postAuth(browser, 'passkey/options', {})
    expect(optionsResponse.status).toBe(200)
    const { allowCredentials = [], ...question } = optionsResponse.body
    expect(question).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId,
      timeout: 300_000,
      userVerification: 'required',
    })
    expect(allowCredentials).toEqual([])
    const { status, body } = await postAuth(browser, 'passkey', device.get(optionsResponse.body as never))
    expect(status).toBe(200)
    expect(body).toEqual(expectedSignIn(person.email, { emailVerified: true }))
    expect(await hasSession(browser)).toBe(true)
    const { amr } = await verifyAccessToken((await getTokens(browser, client)).access_token)
    expect(amr).toEqual(['pop', 'user', 'mfa'])
  })

  test.each<[string, Deviation]>([
    ['without user verification', { verified: false }],
    ['without user presence', { present: false }],
    ['used on another site', { origin: 'https://evil.test' }],
    ['used in a cross-origin frame', { crossOrigin: true }],
    ['for another relying party', { rpId: 'evil.test' }],
    ['with an unknown challenge', { challenge: 'A'.repeat(43) }],
    ['with a registration response', { type: 'webauthn.create' }],
    ['without a user handle', { userHandle: null }],
    ['with the user handle of another person', { userHandle: Buffer.from('somebody else').toString('base64url') }],
  ])('a passkey %s is refused', async (_, twist) => {
    const { device } = await owner
    const browser = openBrowser()
    const { status, body } = await usePasskey(browser, device, twist)
    expect(status).toBe(401)
    expect(body).toEqual(REFUSED)
    expect(findSessionCookie(browser)).toBeUndefined()
  })

  test('an assertion works once, and a signature counter that does not increase is refused', async () => {
    const { device } = await newPersonWithPasskey()
    const options = await getRequestOptions(openBrowser())
    const assertion = device.get(options)
    expect((await postAuth(openBrowser(), 'passkey', assertion)).status).toBe(200)
    expect((await postAuth(openBrowser(), 'passkey', assertion)).body).toEqual(REFUSED)
    expect((await postAuth(openBrowser(), 'passkey', device.get(options))).body).toEqual(REFUSED)
    expect((await usePasskey(openBrowser(), device, { count: 1 })).body).toEqual(REFUSED)
    expect((await usePasskey(openBrowser(), device)).status).toBe(200)
  })

  test('a wrong signature and an unknown passkey have the same error', async () => {
    const { device } = await owner
    const forger = newDevice()
    const browser = openBrowser()
    const forged = forger.get(await getRequestOptions(browser))
    const responses = [
      await postAuth(browser, 'passkey', { ...forged, id: device.id, rawId: device.id }),
      await usePasskey(browser, forger),
    ]
    for (const { status, body } of responses) {
      expect(status).toBe(401)
      expect(body).toEqual(REFUSED)
    }
    expect(responses[0]?.body.message).toBe(responses[1]?.body.message)
  })

  test('an account with a pending deletion is refused', async () => {
    const { person, tokens, device } = await newPersonWithPasskey()
    const leaving = { password: person.password, confirmation: 'DELETE MY ACCOUNT' }
    expect((await callAs(tokens, 'DELETE', '/api/users/me', leaving)).status).toBe(200)
    expect((await usePasskey(openBrowser(), device)).body).toMatchObject(
      errorBody(403, 'ACCOUNT_SCHEDULED_FOR_DELETION'),
    )
  })

  test('options are refused for other origins', async () => {
    const response = await call('POST', '/api/auth/passkey/options', {
      headers: { 'sec-fetch-site': 'cross-site', origin: ownOrigin },
      body: {},
    })
    expect(response.body).toEqual(errorBody(403, 'FORBIDDEN'))
  })
})

describe('after a password', () => {
  test('its id is in the options, and user verification is not required', async () => {
    const { person, device } = await newPersonWithPasskey()
    const { email, password } = person
    const browser = openBrowser()
    expect((await postAuth(browser, 'login', { email, password })).body).toEqual({
      mfaRequired: true,
      methods: ['passkey', 'recovery_code'],
    })
    expect((await postAuth(browser, 'passkey/options', {})).body).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId,
      timeout: 300_000,
      userVerification: 'preferred',
      allowCredentials: [{ id: device.id, type: 'public-key', transports: ['internal'] }],
    })
    const { status, body } = await usePasskey(browser, device, { verified: false })
    expect(status).toBe(200)
    expect(body).toEqual(expectedSignIn(email, { emailVerified: true }))
    const { amr } = await verifyAccessToken((await getTokens(browser, client)).access_token)
    expect(amr).toEqual(['pwd', 'pop', 'mfa'])
  })

  test('all methods of the person are listed, and each works', async () => {
    const { person, tokens, device, recoveryCodes } = await newPersonWithPasskey()
    const { app } = await addAuthenticatorApp(tokens)
    const codes = await callAs(tokens, 'POST', '/api/users/me/mfa/recovery-codes', {
      password: person.password,
    })
    const [code] = codes.body.recoveryCodes as string[]
    const { email, password } = person
    const startSignIn = async () => {
      const browser = openBrowser()
      expect((await postAuth(browser, 'login', { email, password })).body).toEqual({
        mfaRequired: true,
        methods: ['totp', 'passkey', 'recovery_code'],
      })
      return browser
    }
    expect((await usePasskey(await startSignIn(), device)).status).toBe(200)
    expect((await postAuth(await startSignIn(), 'mfa', { code: await app.nextCode() })).status).toBe(200)
    expect((await postAuth(await startSignIn(), 'mfa', { code: recoveryCodes[0] })).status).toBe(400)
    expect((await postAuth(await startSignIn(), 'mfa', { code })).status).toBe(200)
  })

  test('a passkey of another person is refused, and so is an assertion for another challenge', async () => {
    const [{ person, device }, outsider] = [await newPersonWithPasskey(), await newPersonWithPasskey()]
    const browser = await person.signIn()
    expect((await usePasskey(browser, outsider.device)).body).toEqual(REFUSED)
    expect(await hasSession(browser)).toBe(false)
    const assertion = device.get(await getRequestOptions(browser))
    expect((await postAuth(await outsider.person.signIn(), 'passkey', assertion)).body).toEqual(REFUSED)
    expect((await usePasskey(browser, device)).status).toBe(200)
  })
})
