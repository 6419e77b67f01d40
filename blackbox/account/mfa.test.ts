import { describe, expect, test } from 'vitest'
import { callAs, client, type HeldTokens, newConfirmedHolder, newHolder } from '../support/account.ts'
import { addApp, newApp } from '../support/authenticator-app.ts'
import { call, expectClosed, fromOwnPage, intruders, refusal } from '../support/calls.ts'
import { mailTo } from '../support/mail.ts'
import { getTokens, type Tokens } from '../support/oauth.ts'
import { newConfirmedPerson, newPerson } from '../support/person.ts'
import { sessionOf } from '../support/sign-in.ts'

const MFA = '/api/users/me/mfa'
const TOTP = `${MFA}/totp`
const NOTHING = { mfaEnabled: false, totp: false, passkeys: 0, recoveryCodesLeft: 0 }
const strangers = await intruders(await newPerson())

const overview = async (tokens: Tokens) => (await callAs(tokens, 'GET', MFA)).body
const verify = (tokens: Tokens, code: unknown) => callAs(tokens, 'POST', `${TOTP}/verify`, { code })
const isEnabled = async (tokens: Tokens) => (await callAs(tokens, 'GET', '/api/users/me')).body.mfaEnabled
const subjects = async (email: string) => (await mailTo(email)).map(({ subject }) => subject)

const start = (tokens: HeldTokens) => callAs(tokens, 'POST', TOTP, { password: tokens.password })

describe('setting an authenticator app up', () => {
  test('gives the secret as text, as an address and as a picture', async () => {
    const { person, tokens } = await newConfirmedHolder()
    expect(await callAs(tokens, 'GET', MFA)).toMatchObject({ status: 200, body: NOTHING })
    expect(await overview(tokens)).toEqual(NOTHING)
    const { status, body } = await start(tokens)
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
      ...{ secret: body.secret, digits: '6', period: '30', algorithm: 'SHA1' },
    })
    expect(issuer).toBeTruthy()
  })

  test('it counts once its first code was shown, and then comes with recovery codes', async () => {
    const { person, tokens } = await newConfirmedHolder()
    const app = newApp(String((await start(tokens)).body.secret))
    expect(await overview(tokens)).toEqual(NOTHING)
    expect(await isEnabled(tokens)).toBe(false)
    expect(sessionOf(await person.signIn())).toBeDefined()

    expect((await verify(tokens, '000000')).body).toEqual(refusal(400, 'INVALID_CODE'))
    expect(await overview(tokens)).toEqual(NOTHING)
    const { status, body } = await verify(tokens, await app.nextCode())
    expect(status).toBe(200)
    expect(body).toEqual({ recoveryCodes: expect.any(Array) })
    const codes = body.recoveryCodes as string[]
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^[a-z0-9]{4}(?:-[a-z0-9]{4}){3}$/)
    expect(await overview(tokens)).toEqual({
      ...{ mfaEnabled: true, totp: true, passkeys: 0, recoveryCodesLeft: 10 },
    })
    expect(await isEnabled(tokens)).toBe(true)
    expect(await subjects(person.email)).toContain('An authenticator app was added')

    expect((await start(tokens)).body).toEqual(refusal(409, 'MFA_ALREADY_ENROLLED'))
    expect((await verify(tokens, await app.nextCode())).body).toEqual(refusal(409, 'MFA_ALREADY_ENROLLED'))
  })

  test('T174: an access token alone is not enough: the password goes along', async () => {
    const { person, tokens } = await newConfirmedHolder()
    for (const path of [TOTP, `${MFA}/passkeys/options`]) {
      for (const body of [undefined, {}, { password: '' }, { password: 'wrong' }]) {
        expect((await callAs(tokens, 'POST', path, body)).body).toEqual(
          refusal(403, 'REAUTHENTICATION_REQUIRED'),
        )
      }
    }
    expect(await overview(tokens)).toEqual(NOTHING)
    for (const path of [TOTP, `${MFA}/passkeys/options`]) {
      expect((await callAs(tokens, 'POST', path, { password: person.password })).status).toBe(200)
    }
  })

  test('begun anew, only the newer secret can be confirmed', async () => {
    const { tokens } = await newConfirmedHolder()
    const [older, newer] = [await start(tokens), await start(tokens)]
    expect(newer.body.secret).not.toBe(older.body.secret)
    const stale = await newApp(String(older.body.secret)).nextCode()
    expect((await verify(tokens, stale)).body).toEqual(refusal(400, 'INVALID_CODE'))
    expect((await verify(tokens, await newApp(String(newer.body.secret)).nextCode())).status).toBe(200)
  })

  test('takes an address that is confirmed, something begun, and a code that is text', async () => {
    const { tokens: unconfirmed } = await newHolder()
    expect((await start(unconfirmed)).body).toEqual(refusal(403, 'EMAIL_NOT_VERIFIED'))
    const { tokens } = await newConfirmedHolder()
    expect((await verify(tokens, '123456')).body).toEqual(refusal(404, 'MFA_NOT_ENROLLED'))
    for (const code of [undefined, null, 123456, ['123456'], '1'.repeat(101)]) {
      expect((await verify(tokens, code)).body).toEqual(
        refusal(422, 'VALIDATION_FAILED', { details: [{ field: 'code', message: expect.any(String) }] }),
      )
    }
  })

  test('in a browser the value of the cookie changes, and the one before is worthless', async () => {
    const browser = await (await newConfirmedPerson()).signIn()
    const headers = () => fromOwnPage(browser)
    const begun = await call('POST', TOTP, { headers: headers() })
    const before = headers()
    const code = await newApp(String(begun.body.secret)).nextCode()
    expect((await browser.postJson(`${TOTP}/verify`, { code })).status).toBe(200)
    expect((await call('GET', MFA, { headers: before })).status).toBe(401)
    expect((await call('GET', MFA, { headers: headers() })).status).toBe(200)
  })
})

describe('removing it', () => {
  test('takes the password, and then no code is asked for any more', async () => {
    const { person, tokens } = await newConfirmedHolder()
    await addApp(tokens)
    const remove = (body?: object) => callAs(tokens, 'DELETE', TOTP, body)
    for (const body of [{ password: 'wrong' }, {}, undefined]) {
      expect((await remove(body)).body).toEqual(refusal(400, 'CURRENT_PASSWORD_INCORRECT'))
    }
    expect(await isEnabled(tokens)).toBe(true)
    const { status, body } = await remove({ password: person.password })
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: expect.any(String) })
    expect(await overview(tokens)).toMatchObject({ mfaEnabled: false, totp: false, passkeys: 0 })
    expect(await isEnabled(tokens)).toBe(false)
    expect(sessionOf(await person.signIn())).toBeDefined()
    expect(await subjects(person.email)).toContain('Your authenticator app was removed')
    expect((await remove({ password: person.password })).body).toEqual(refusal(404, 'MFA_NOT_ENROLLED'))
  })

  test('a session that began without a second factor cannot do it, nor make new codes', async () => {
    const { person, tokens } = await newConfirmedHolder()
    const older = await getTokens(await person.signIn(), client)
    await addApp(tokens)
    const { password } = person
    for (const [method, path] of [
      ['DELETE', TOTP],
      ['POST', `${MFA}/recovery-codes`],
      ['POST', `${MFA}/passkeys/options`],
    ] as const) {
      const { body } = await callAs(older, method, path, { password })
      expect(body, path).toEqual(refusal(403, 'REAUTHENTICATION_REQUIRED'))
    }
    expect(await overview(tokens)).toMatchObject({ totp: true, recoveryCodesLeft: 10 })
  })
})

describe('new recovery codes', () => {
  const replace = (tokens: Tokens, password: string | undefined) =>
    callAs(tokens, 'POST', `${MFA}/recovery-codes`, { password })

  test('take the password and a second factor', async () => {
    const { person, tokens } = await newConfirmedHolder()
    expect((await replace(tokens, person.password)).body).toEqual(refusal(404, 'MFA_NOT_ENROLLED'))
    await addApp(tokens)
    for (const password of ['wrong', undefined]) {
      expect((await replace(tokens, password)).body).toEqual(refusal(400, 'CURRENT_PASSWORD_INCORRECT'))
    }
  })

  test('end the ones before', async () => {
    const { person, tokens } = await newConfirmedHolder()
    const { recoveryCodes: before } = await addApp(tokens)
    const { status, body } = await replace(tokens, person.password)
    expect(status).toBe(200)
    expect(body).toEqual({ recoveryCodes: expect.any(Array) })
    const after = body.recoveryCodes as string[]
    expect(new Set([...before, ...after]).size).toBe(20)
    expect(await overview(tokens)).toMatchObject({ recoveryCodesLeft: 10 })
    expect(await subjects(person.email)).toContain('You have new recovery codes')

    const browser = await person.signIn()
    const show = async (code = '') => (await browser.postJson('/api/auth/mfa', { code })).status
    expect(await show(before[0])).toBe(400)
    expect(await show(after[0])).toBe(200)
  })
})

test.each<[string, string, object | undefined]>([
  ['GET', MFA, undefined],
  ['POST', TOTP, {}],
  ['POST', `${TOTP}/verify`, { code: '123456' }],
  ['DELETE', TOTP, { password: 'stolen' }],
  ['POST', `${MFA}/recovery-codes`, { password: 'stolen' }],
])('%s %s lets in no stranger, no machine and no third party', async (method, path, body) => {
  await expectClosed(strangers, { method, path, body })
})
