import { createLogoutVerifier, LogoutTokenError } from '@latchkey/node'
import { SignJWT } from 'jose'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { newKey, type TestKey } from '../oauth/key-clients.ts'

const ISSUER = 'https://id.example.com'
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

let key: TestKey
let stranger: TestKey
let isDown = false
beforeAll(async () => {
  ;[key, stranger] = await Promise.all([newKey('ES256', 'one'), newKey('ES256', 'one')])
})
afterEach(() => {
  isDown = false
})

const newVerifier = () =>
  createLogoutVerifier({
    issuer: `${ISSUER}/`,
    clientId: 'web',
    fetch: async () => {
      if (isDown) throw new Error('no connection')
      return Response.json({ keys: [{ ...key.publicJwk, alg: 'ES256' }] })
    },
  })

const validClaims = () => {
  const iat = Math.floor(Date.now() / 1000)
  return {
    iss: ISSUER,
    aud: 'web',
    sub: 'user',
    sid: 'session',
    jti: 'id',
    iat,
    exp: iat + 120,
    events: { [EVENT]: {} },
  }
}

const sign = (claims: Record<string, unknown>, { typ = 'logout+jwt', by = key } = {}) =>
  new SignJWT(claims).setProtectedHeader({ alg: by.alg, kid: by.kid, typ }).sign(by.privateKey)

test('a logout token names the session and the user', async () => {
  const logout = { userId: 'user', sessionId: 'session', id: 'id' }
  expect(await newVerifier()(await sign(validClaims()))).toEqual(logout)
})

describe('a token is refused', () => {
  test.each<[string, () => unknown]>([
    ['that is missing', () => undefined],
    ['that is no JWT', () => 'token'],
    ['of another issuer', () => sign({ ...validClaims(), iss: 'https://other.example.com' })],
    ['for another client', () => sign({ ...validClaims(), aud: 'other' })],
    ['that is an ID token', () => sign(validClaims(), { typ: 'JWT' })],
    ['that is expired', () => sign({ ...validClaims(), exp: 1 })],
    ['with a nonce', () => sign({ ...validClaims(), nonce: 'n' })],
    ['without the event', () => sign({ ...validClaims(), events: { other: {} } })],
    ['with events that are no object', () => sign({ ...validClaims(), events: EVENT })],
    ['without a sid', () => sign({ ...validClaims(), sid: undefined })],
    ['with a wrong signature', () => sign(validClaims(), { by: stranger })],
  ])('%s', async (_name, newToken) => {
    await expect(newVerifier()(await newToken())).rejects.toThrow(LogoutTokenError)
  })
})

test('keys that cannot be read are not a wrong token', async () => {
  isDown = true
  const attempt = newVerifier()(await sign(validClaims()))
  await expect(attempt).rejects.toThrow('no connection')
  await expect(attempt).rejects.not.toBeInstanceOf(LogoutTokenError)
})

test('an option from a variable that is not set is refused', () => {
  expect(() => createLogoutVerifier({ issuer: ISSUER, clientId: '' })).toThrow('clientId is empty')
})
