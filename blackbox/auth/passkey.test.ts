import { describe, expect, test } from 'vitest'
import type { Twist } from '../../server/test/support/authenticator.ts'
import { callAs, client, newConfirmedHolder } from '../support/account.ts'
import { addApp } from '../support/authenticator-app.ts'
import { openBrowser } from '../support/browser.ts'
import { call, ownOrigin, refusal } from '../support/calls.ts'
import { verifyAccessToken } from '../support/jwt.ts'
import { getTokens } from '../support/oauth.ts'
import { challenge, newDevice, newPasskey, show } from '../support/passkeys.ts'
import { base } from '../support/service.ts'
import { ask, isAlive, sessionOf, signedIn } from '../support/sign-in.ts'

const REFUSED = refusal(401, 'INVALID_CREDENTIALS')
const rpId = new URL(base).hostname

/** Somebody with a passkey. */
async function newProtected() {
  const holder = await newConfirmedHolder()
  return { ...holder, ...(await newPasskey(holder.tokens)) }
}

describe('in place of a password', () => {
  const owner = newProtected()

  test('a passkey signs its person in, whom nobody has named before', async () => {
    const { person, device } = await owner
    const browser = openBrowser()
    const asked = await ask(browser, 'passkey/options', {})
    expect(asked.status).toBe(200)
    const { allowCredentials = [], ...question } = asked.body
    expect(question).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId,
      timeout: 300_000,
      userVerification: 'required',
    })
    expect(allowCredentials).toEqual([])
    const { status, body } = await ask(browser, 'passkey', device.get(asked.body as never))
    expect(status).toBe(200)
    expect(body).toEqual(signedIn(person.email, { emailVerified: true }))
    expect(await isAlive(browser)).toBe(true)
    const { amr } = await verifyAccessToken((await getTokens(browser, client)).access_token)
    expect(amr).toEqual(['pop', 'user', 'mfa'])
  })

  test.each<[string, Twist]>([
    ['that did not recognise the person', { verified: false }],
    ['that nobody has touched', { present: false }],
    ['used on another site', { origin: 'https://evil.test' }],
    ['used inside a page of another site', { crossOrigin: true }],
    ['made for another service', { rpId: 'evil.test' }],
    ['that answers no question of ours', { challenge: 'A'.repeat(43) }],
    ['that was made instead', { type: 'webauthn.create' }],
    ['that names nobody', { userHandle: null }],
    ['that names somebody else', { userHandle: Buffer.from('somebody else').toString('base64url') }],
  ])('one %s is refused', async (_, twist) => {
    const { device } = await owner
    const browser = openBrowser()
    const { status, body } = await show(browser, device, twist)
    expect(status).toBe(401)
    expect(body).toEqual(REFUSED)
    expect(sessionOf(browser)).toBeUndefined()
  })

  test('an answer is good once, and one that does not count on is a copy', async () => {
    const { device } = await newProtected()
    const question = await challenge(openBrowser())
    const answer = device.get(question)
    expect((await ask(openBrowser(), 'passkey', answer)).status).toBe(200)
    expect((await ask(openBrowser(), 'passkey', answer)).body).toEqual(REFUSED)
    expect((await ask(openBrowser(), 'passkey', device.get(question))).body).toEqual(REFUSED)
    expect((await show(openBrowser(), device, { count: 1 })).body).toEqual(REFUSED)
    expect((await show(openBrowser(), device)).status).toBe(200)
  })

  test('a signature by another key, and a passkey of nobody, are told like any other', async () => {
    const { device } = await owner
    const forger = newDevice()
    const browser = openBrowser()
    const forged = forger.get(await challenge(browser))
    const answers = [
      await ask(browser, 'passkey', { ...forged, id: device.id, rawId: device.id }),
      await show(browser, forger),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(401)
      expect(body).toEqual(REFUSED)
    }
    expect(answers[0]?.body.message).toBe(answers[1]?.body.message)
  })

  test('an account about to be deleted stays closed', async () => {
    const { person, tokens, device } = await newProtected()
    const leaving = { password: person.password, confirmation: 'DELETE MY ACCOUNT' }
    expect((await callAs(tokens, 'DELETE', '/api/users/me', leaving)).status).toBe(200)
    expect((await show(openBrowser(), device)).body).toMatchObject(
      refusal(403, 'ACCOUNT_SCHEDULED_FOR_DELETION'),
    )
  })

  test('no other site can have one asked for', async () => {
    const answer = await call('POST', '/api/auth/passkey/options', {
      headers: { 'sec-fetch-site': 'cross-site', origin: ownOrigin },
      body: {},
    })
    expect(answer.body).toEqual(refusal(403, 'FORBIDDEN'))
  })
})

describe('after a password', () => {
  test('it is asked for by name, and having the device is enough', async () => {
    const { person, device } = await newProtected()
    const { email, password } = person
    const browser = openBrowser()
    expect((await ask(browser, 'login', { email, password })).body).toEqual({
      ...{ mfaRequired: true, methods: ['passkey', 'recovery_code'] },
    })
    expect((await ask(browser, 'passkey/options', {})).body).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId,
      timeout: 300_000,
      userVerification: 'preferred',
      allowCredentials: [{ id: device.id, type: 'public-key', transports: ['internal'] }],
    })
    const { status, body } = await show(browser, device, { verified: false })
    expect(status).toBe(200)
    expect(body).toEqual(signedIn(email, { emailVerified: true }))
    const { amr } = await verifyAccessToken((await getTokens(browser, client)).access_token)
    expect(amr).toEqual(['pwd', 'pop', 'mfa'])
  })

  test('every method a person has is named, and each will do', async () => {
    const { person, tokens, device, recoveryCodes } = await newProtected()
    const { app } = await addApp(tokens)
    const codes = await callAs(tokens, 'POST', '/api/users/me/mfa/recovery-codes', {
      password: person.password,
    })
    const [code] = codes.body.recoveryCodes as string[]
    const { email, password } = person
    const halfway = async () => {
      const browser = openBrowser()
      expect((await ask(browser, 'login', { email, password })).body).toEqual({
        ...{ mfaRequired: true, methods: ['totp', 'passkey', 'recovery_code'] },
      })
      return browser
    }
    expect((await show(await halfway(), device)).status).toBe(200)
    expect((await ask(await halfway(), 'mfa', { code: await app.nextCode() })).status).toBe(200)
    expect((await ask(await halfway(), 'mfa', { code: recoveryCodes[0] })).status).toBe(400)
    expect((await ask(await halfway(), 'mfa', { code })).status).toBe(200)
  })

  test('that of somebody else does not take the step, nor the answer to a question put elsewhere', async () => {
    const [{ person, device }, stranger] = [await newProtected(), await newProtected()]
    const browser = await person.signIn()
    expect((await show(browser, stranger.device)).body).toEqual(REFUSED)
    expect(await isAlive(browser)).toBe(false)
    const answer = device.get(await challenge(browser))
    expect((await ask(await stranger.person.signIn(), 'passkey', answer)).body).toEqual(REFUSED)
    expect((await show(browser, device)).status).toBe(200)
  })
})
