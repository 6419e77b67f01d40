import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAuthenticator } from '../support/authenticator.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { cookieOf, obtainTokens, PASSWORD, startDemoService } from '../support/world.ts'
import { beginEnrollment, createPasskey, PASSKEYS } from './passkey-calls.ts'
import { call, createSignedInUser, errorReply, logIn, type TestUser } from './people.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

const TOTP_PATH = '/api/users/me/mfa/totp'
const reauthenticationRequired = errorReply(403, 'REAUTHENTICATION_REQUIRED')

/** The routes that change credentials, and the one that deletes the account. */
const CHANGES: [string, string, object][] = [
  ['POST', TOTP_PATH, {}],
  ['POST', `${PASSKEYS}/options`, {}],
  ['DELETE', TOTP_PATH, {}],
  ['POST', '/api/users/me/mfa/recovery-codes', {}],
  ['POST', '/api/users/me/password', { currentPassword: '', newPassword: 'a quite different password' }],
  ['POST', '/api/users/me/email', { newEmail: 'stolen@people.test' }],
  ['DELETE', '/api/users/me', { confirmation: 'DELETE MY ACCOUNT' }],
]

const mfaOf = async ({ call: ask }: TestUser) => (await ask('GET', '/api/users/me/mfa')).body

describe('a stolen access token', () => {
  test.each(CHANGES)('%s %s: is not enough without the password', async (method, path, body) => {
    const ann = await createSignedInUser(service)
    const answer = await ann.call(method, path, body)
    expect([400, 403]).toContain(answer.status)
    expect(['REAUTHENTICATION_REQUIRED', 'CURRENT_PASSWORD_INCORRECT']).toContain(answer.body.error)
    expect(await mfaOf(ann)).toMatchObject({ mfaEnabled: false, recoveryCodesLeft: 0 })
    expect((await logIn(service.url, ann.email, PASSWORD)).status).toBe(200)
  })

  test.each(CHANGES)(
    '%s %s: is not enough for a person without a password, even after a recent sign-in',
    async (method, path, body) => {
      const ann = await createSignedInUser(service)
      const { db } = service.ctx
      await db.updateTable('users').set({ password_hash: null }).where('id', '=', ann.id).execute()
      for (const sent of [body, { ...body, password: '' }, { ...body, password: PASSWORD }]) {
        const answer = await ann.call(method, path, sent)
        expect([400, 403]).toContain(answer.status)
        expect(['REAUTHENTICATION_REQUIRED', 'CURRENT_PASSWORD_INCORRECT']).toContain(answer.body.error)
      }
      expect(await mfaOf(ann)).toMatchObject({ mfaEnabled: false, recoveryCodesLeft: 0 })
    },
  )

  test('of a session with a second factor is not enough either', async () => {
    const ann = await createSignedInUser(service)
    await createPasskey(service, ann)
    expect(await ann.call('POST', `${PASSKEYS}/options`)).toMatchObject(reauthenticationRequired)
    expect(await ann.call('POST', TOTP_PATH)).toMatchObject(reauthenticationRequired)
    expect((await ann.call('POST', TOTP_PATH, { password: PASSWORD })).status).toBe(200)
  })

  test('gets an error that explains what to do', async () => {
    const ann = await createSignedInUser(service)
    const { body } = await ann.call('POST', TOTP_PATH)
    expect(body.message).toBe(
      `Send your password along, or do this on your account page: ${service.url}/account/security.`,
    )
  })
})

describe('adding a second factor with an access token and the session cookie', () => {
  const headersOf = (tokens: { access_token: string }, cookie: string, origin = service.url) => ({
    authorization: `Bearer ${tokens.access_token}`,
    cookie,
    origin,
  })

  async function inBrowser() {
    const ann = await createSignedInUser(service)
    const cookie = cookieOf(await logIn(service.url, ann.email, PASSWORD))
    return { ann, cookie, tokens: await obtainTokens(service.url, cookie) }
  }
  const start = (headers: Record<string, string>) =>
    call(service.url + TOTP_PATH, { method: 'POST', body: {}, headers })

  test('needs no password on a page of this service, with the cookie of the same session', async () => {
    const { cookie, tokens } = await inBrowser()
    expect((await start(headersOf(tokens, cookie))).status).toBe(200)
  })

  test('needs the password from another origin', async () => {
    const { cookie, tokens } = await inBrowser()
    expect(await start(headersOf(tokens, cookie, 'https://app.example.com'))).toMatchObject(reauthenticationRequired)
  })

  test('needs the password with the cookie of another session, or of another user', async () => {
    const { ann, tokens } = await inBrowser()
    const another = cookieOf(await logIn(service.url, ann.email, PASSWORD))
    expect(await start(headersOf(tokens, another))).toMatchObject(reauthenticationRequired)
    const other = await inBrowser()
    expect(await start(headersOf(tokens, other.cookie))).toMatchObject(reauthenticationRequired)
  })
})

test('with the password a token of a trusted application can add both kinds of second factor', async () => {
  const ann = await createSignedInUser(service)
  const { body } = await ann.call('POST', TOTP_PATH, { password: PASSWORD })
  const code = totpCode(String(body.secret), service.ctx.now())
  expect((await ann.call('POST', `${TOTP_PATH}/verify`, { code })).status).toBe(200)
  const made = newAuthenticator(service.url).create(await beginEnrollment(ann))
  expect((await ann.call('POST', PASSKEYS, made)).status).toBe(201)
})
