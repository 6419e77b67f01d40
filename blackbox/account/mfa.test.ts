import { describe, expect, test } from 'vitest'
import { type AccountTokens, callAs, client, newAccount, newConfirmedAccount } from '../support/account.ts'
import { addAuthenticatorApp, newAuthenticatorApp } from '../support/authenticator-app.ts'
import { call, errorBody, expectForbidden, fromOwnPage, newForbiddenCallers } from '../support/calls.ts'
import { listMails } from '../support/mail.ts'
import { getTokens, type Tokens } from '../support/oauth.ts'
import { newConfirmedPerson, newPerson } from '../support/person.ts'
import { findSessionCookie } from '../support/sign-in.ts'

const MFA = '/api/users/me/mfa'
const TOTP = `${MFA}/totp`
const NOTHING = { mfaEnabled: false, totp: false, passkeys: 0, recoveryCodesLeft: 0 }
const forbiddenCallers = await newForbiddenCallers(await newPerson())

const readOverview = async (tokens: Tokens) => (await callAs(tokens, 'GET', MFA)).body
const verifyCode = (tokens: Tokens, code: unknown) => callAs(tokens, 'POST', `${TOTP}/verify`, { code })
const isEnabled = async (tokens: Tokens) => (await callAs(tokens, 'GET', '/api/users/me')).body.mfaEnabled
const listSubjects = async (email: string) => (await listMails(email)).map(({ subject }) => subject)

const startSetup = (tokens: AccountTokens) => callAs(tokens, 'POST', TOTP, { password: tokens.password })

describe('setting up an authenticator app', () => {
  test('returns the secret as text, as a URI and as a QR code', async () => {
    const { person, tokens } = await newConfirmedAccount()
    expect(await callAs(tokens, 'GET', MFA)).toMatchObject({ status: 200, body: NOTHING })
    expect(await readOverview(tokens)).toEqual(NOTHING)
    const { status, body } = await startSetup(tokens)
    expect(status).toBe(200)
    expect(body).toEqual({
      // RFC 4226 §4: 160 bits.
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      otpauthUrl: expect.any(String),
      qrCode: expect.stringMatching(/^data:image\/svg\+xml;base64,[\w+/]+=*$/),
    })
    const address = new URL(String(body.otpauthUrl))
    expect(address.protocol + address.host).toBe('otpauth:totp')
    expect(decodeURIComponent(address.pathname)).toMatch(new RegExp(`:${person.email}$`))
    const { secret, digits, period, algorithm, issuer } = Object.fromEntries(address.searchParams)
    expect({ secret, digits, period, algorithm }).toEqual({
      secret: body.secret,
      digits: '6',
      period: '30',
      algorithm: 'SHA1',
    })
    expect(issuer).toBeTruthy()
  })

  test('verifying the first code activates the app and returns recovery codes', async () => {
    const { person, tokens } = await newConfirmedAccount()
    const app = newAuthenticatorApp(String((await startSetup(tokens)).body.secret))
    expect(await readOverview(tokens)).toEqual(NOTHING)
    expect(await isEnabled(tokens)).toBe(false)
    expect(findSessionCookie(await person.signIn())).toBeDefined()

    expect((await verifyCode(tokens, '000000')).body).toEqual(errorBody(400, 'INVALID_CODE'))
    expect(await readOverview(tokens)).toEqual(NOTHING)
    const { status, body } = await verifyCode(tokens, await app.nextCode())
    expect(status).toBe(200)
    expect(body).toEqual({ recoveryCodes: expect.any(Array) })
    const codes = body.recoveryCodes as string[]
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^[a-z0-9]{4}(?:-[a-z0-9]{4}){3}$/)
    expect(await readOverview(tokens)).toEqual({
      mfaEnabled: true,
      totp: true,
      passkeys: 0,
      recoveryCodesLeft: 10,
    })
    expect(await isEnabled(tokens)).toBe(true)
    expect(await listSubjects(person.email)).toContain('An authenticator app was added')

    expect((await startSetup(tokens)).body).toEqual(errorBody(409, 'MFA_ALREADY_ENROLLED'))
    expect((await verifyCode(tokens, await app.nextCode())).body).toEqual(errorBody(409, 'MFA_ALREADY_ENROLLED'))
  })

  test('T174: an access token alone is not enough: the password is required', async () => {
    const { person, tokens } = await newConfirmedAccount()
    for (const path of [TOTP, `${MFA}/passkeys/options`]) {
      for (const body of [undefined, {}, { password: '' }, { password: 'wrong' }]) {
        expect((await callAs(tokens, 'POST', path, body)).body).toEqual(errorBody(403, 'REAUTHENTICATION_REQUIRED'))
      }
    }
    expect(await readOverview(tokens)).toEqual(NOTHING)
    for (const path of [TOTP, `${MFA}/passkeys/options`]) {
      expect((await callAs(tokens, 'POST', path, { password: person.password })).status).toBe(200)
    }
  })

  test('after a second start only the newer secret can be confirmed', async () => {
    const { tokens } = await newConfirmedAccount()
    const [older, newer] = [await startSetup(tokens), await startSetup(tokens)]
    expect(newer.body.secret).not.toBe(older.body.secret)
    const stale = await newAuthenticatorApp(String(older.body.secret)).nextCode()
    expect((await verifyCode(tokens, stale)).body).toEqual(errorBody(400, 'INVALID_CODE'))
    expect((await verifyCode(tokens, await newAuthenticatorApp(String(newer.body.secret)).nextCode())).status).toBe(200)
  })

  test('requires a confirmed address, a started setup, and a code that is a string of at most 100 characters', async () => {
    const { tokens: unconfirmed } = await newAccount()
    expect((await startSetup(unconfirmed)).body).toEqual(errorBody(403, 'EMAIL_NOT_VERIFIED'))
    const { tokens } = await newConfirmedAccount()
    expect((await verifyCode(tokens, '123456')).body).toEqual(errorBody(404, 'MFA_NOT_ENROLLED'))
    for (const code of [undefined, null, 123456, ['123456'], '1'.repeat(101)]) {
      expect((await verifyCode(tokens, code)).body).toEqual(
        errorBody(422, 'VALIDATION_FAILED', { details: [{ field: 'code', message: expect.any(String) }] }),
      )
    }
  })

  test('the session cookie is rotated, and the old one is invalid', async () => {
    const browser = await (await newConfirmedPerson()).signIn()
    const headers = () => fromOwnPage(browser)
    // In the browser, a recent sign-in replaces the password.
    const begun = await call('POST', TOTP, { headers: headers() })
    const oldHeaders = headers()
    const code = await newAuthenticatorApp(String(begun.body.secret)).nextCode()
    expect((await browser.postJson(`${TOTP}/verify`, { code })).status).toBe(200)
    expect((await call('GET', MFA, { headers: oldHeaders })).status).toBe(401)
    expect((await call('GET', MFA, { headers: headers() })).status).toBe(200)
  })
})

describe('removing the authenticator app', () => {
  test('requires the password, and later sign-ins require no code', async () => {
    const { person, tokens } = await newConfirmedAccount()
    await addAuthenticatorApp(tokens)
    const remove = (body?: object) => callAs(tokens, 'DELETE', TOTP, body)
    for (const body of [{ password: 'wrong' }, {}, undefined]) {
      expect((await remove(body)).body).toEqual(errorBody(400, 'CURRENT_PASSWORD_INCORRECT'))
    }
    expect(await isEnabled(tokens)).toBe(true)
    const { status, body } = await remove({ password: person.password })
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: expect.any(String) })
    expect(await readOverview(tokens)).toMatchObject({ mfaEnabled: false, totp: false, passkeys: 0 })
    expect(await isEnabled(tokens)).toBe(false)
    expect(findSessionCookie(await person.signIn())).toBeDefined()
    expect(await listSubjects(person.email)).toContain('Your authenticator app was removed')
    expect((await remove({ password: person.password })).body).toEqual(errorBody(404, 'MFA_NOT_ENROLLED'))
  })

  test('in a session that did not use the second factor, removal, new recovery codes and new passkeys are refused', async () => {
    const { person, tokens } = await newConfirmedAccount()
    const older = await getTokens(await person.signIn(), client)
    await addAuthenticatorApp(tokens)
    const { password } = person
    for (const [method, path] of [
      ['DELETE', TOTP],
      ['POST', `${MFA}/recovery-codes`],
      ['POST', `${MFA}/passkeys/options`],
    ] as const) {
      const { body } = await callAs(older, method, path, { password })
      expect(body, path).toEqual(errorBody(403, 'REAUTHENTICATION_REQUIRED'))
    }
    expect(await readOverview(tokens)).toMatchObject({ totp: true, recoveryCodesLeft: 10 })
  })
})

describe('new recovery codes', () => {
  const replace = (tokens: Tokens, password: string | undefined) =>
    callAs(tokens, 'POST', `${MFA}/recovery-codes`, { password })

  test('require the password and an account with a second factor', async () => {
    const { person, tokens } = await newConfirmedAccount()
    expect((await replace(tokens, person.password)).body).toEqual(errorBody(404, 'MFA_NOT_ENROLLED'))
    await addAuthenticatorApp(tokens)
    for (const password of ['wrong', undefined]) {
      expect((await replace(tokens, password)).body).toEqual(errorBody(400, 'CURRENT_PASSWORD_INCORRECT'))
    }
  })

  test('invalidate the old ones', async () => {
    const { person, tokens } = await newConfirmedAccount()
    const { recoveryCodes: before } = await addAuthenticatorApp(tokens)
    const { status, body } = await replace(tokens, person.password)
    expect(status).toBe(200)
    expect(body).toEqual({ recoveryCodes: expect.any(Array) })
    const after = body.recoveryCodes as string[]
    expect(new Set([...before, ...after]).size).toBe(20)
    expect(await readOverview(tokens)).toMatchObject({ recoveryCodesLeft: 10 })
    expect(await listSubjects(person.email)).toContain('You have new recovery codes')

    const browser = await person.signIn()
    const submitCode = async (code = '') => (await browser.postJson('/api/auth/mfa', { code })).status
    expect(await submitCode(before[0])).toBe(400)
    expect(await submitCode(after[0])).toBe(200)
  })
})

test.each<[string, string, object | undefined]>([
  ['GET', MFA, undefined],
  ['POST', TOTP, {}],
  ['POST', `${TOTP}/verify`, { code: '123456' }],
  ['DELETE', TOTP, { password: 'any' }],
  ['POST', `${MFA}/recovery-codes`, { password: 'any' }],
])(
  '%s %s refuses callers without authentication, machines and third-party applications',
  async (method, path, body) => {
    await expectForbidden(forbiddenCallers, { method, path, body })
  },
)
