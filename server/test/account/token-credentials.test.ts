import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newAuthenticator } from '../support/authenticator.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { cookieOf, obtainTokens, PASSWORD, startWorld } from '../support/world.ts'
import { begin, newPasskey, PASSKEYS } from './passkey-calls.ts'
import { call, failure, logIn, newSomebody, type Somebody } from './people.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

const TOTP = '/api/users/me/mfa/totp'
const reauthenticate = failure(403, 'REAUTHENTICATION_REQUIRED')

/** Whatever changes how somebody signs in, and what it takes beside the password. */
const CHANGES: [string, string, object][] = [
  ['POST', TOTP, {}],
  ['POST', `${PASSKEYS}/options`, {}],
  ['DELETE', TOTP, {}],
  ['POST', '/api/users/me/mfa/recovery-codes', {}],
  ['POST', '/api/users/me/password', { currentPassword: '', newPassword: 'a quite different password' }],
  ['POST', '/api/users/me/email', { newEmail: 'stolen@people.test' }],
  ['DELETE', '/api/users/me', { confirmation: 'DELETE MY ACCOUNT' }],
]

const mfaOf = async ({ call: ask }: Somebody) => (await ask('GET', '/api/users/me/mfa')).body

describe('a stolen access token', () => {
  test.each(CHANGES)('%s %s: is not enough without the password', async (method, path, body) => {
    const ann = await newSomebody(service)
    const answer = await ann.call(method, path, body)
    expect([400, 403]).toContain(answer.status)
    expect(['REAUTHENTICATION_REQUIRED', 'CURRENT_PASSWORD_INCORRECT']).toContain(answer.body.error)
    expect(await mfaOf(ann)).toMatchObject({ mfaEnabled: false, recoveryCodesLeft: 0 })
    expect((await logIn(service.url, ann.email, PASSWORD)).status).toBe(200)
  })

  test.each(CHANGES)('%s %s: nor of who has no password, be it young', async (method, path, body) => {
    const ann = await newSomebody(service)
    const { db } = service.ctx
    await db.updateTable('users').set({ password_hash: null }).where('id', '=', ann.id).execute()
    for (const sent of [body, { ...body, password: '' }, { ...body, password: PASSWORD }]) {
      const answer = await ann.call(method, path, sent)
      expect([400, 403]).toContain(answer.status)
      expect(['REAUTHENTICATION_REQUIRED', 'CURRENT_PASSWORD_INCORRECT']).toContain(answer.body.error)
    }
    expect(await mfaOf(ann)).toMatchObject({ mfaEnabled: false, recoveryCodesLeft: 0 })
  })

  test('of a session that has shown a second factor is not enough either', async () => {
    const ann = await newSomebody(service)
    await newPasskey(service, ann)
    expect(await ann.call('POST', `${PASSKEYS}/options`)).toMatchObject(reauthenticate)
    expect(await ann.call('POST', TOTP)).toMatchObject(reauthenticate)
    expect((await ann.call('POST', TOTP, { password: PASSWORD })).status).toBe(200)
  })

  test('the refusal says how it can be done', async () => {
    const ann = await newSomebody(service)
    const { body } = await ann.call('POST', TOTP)
    expect(body.message).toBe(
      `Send your password along, or do this on your account page: ${service.url}/account/security.`,
    )
  })
})

describe('with the cookie of the same session a token works as the browser does', () => {
  const headersOf = (tokens: { access_token: string }, cookie: string, origin = service.url) => ({
    ...{ authorization: `Bearer ${tokens.access_token}`, cookie },
    origin,
  })

  async function inBrowser() {
    const ann = await newSomebody(service)
    const cookie = cookieOf(await logIn(service.url, ann.email, PASSWORD))
    return { ann, cookie, tokens: await obtainTokens(service.url, cookie) }
  }
  const start = (headers: Record<string, string>) =>
    call(service.url + TOTP, { method: 'POST', body: {}, headers })

  test('from our own pages', async () => {
    const { cookie, tokens } = await inBrowser()
    expect((await start(headersOf(tokens, cookie))).status).toBe(200)
  })

  test('not from another origin', async () => {
    const { cookie, tokens } = await inBrowser()
    expect(await start(headersOf(tokens, cookie, 'https://app.example.com'))).toMatchObject(reauthenticate)
  })

  test('not with the cookie of another session, or of somebody else', async () => {
    const { ann, tokens } = await inBrowser()
    const another = cookieOf(await logIn(service.url, ann.email, PASSWORD))
    expect(await start(headersOf(tokens, another))).toMatchObject(reauthenticate)
    const other = await inBrowser()
    expect(await start(headersOf(tokens, other.cookie))).toMatchObject(reauthenticate)
  })
})

test('with the password a token of an application of ours sets up both kinds of second factor', async () => {
  const ann = await newSomebody(service)
  const { body } = await ann.call('POST', TOTP, { password: PASSWORD })
  const code = totpCode(String(body.secret), service.ctx.now())
  expect((await ann.call('POST', `${TOTP}/verify`, { code })).status).toBe(200)
  const made = newAuthenticator(service.url).create(await begin(ann))
  expect((await ann.call('POST', PASSKEYS, made)).status).toBe(201)
})
