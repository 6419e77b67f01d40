import * as oauth from 'oauth4webapi'
import { describe, expect, test } from 'vitest'
import { AuthError, signedOutError } from '../../../sdk/react/src/auth-error.ts'
import { createResource } from '../../../sdk/react/src/resource.ts'
import { readClaims, toTenant, toUser } from '../../../sdk/react/src/session/claims.ts'
import { createRenewal } from '../../../sdk/react/src/session/renewal.ts'
import { findResponse } from '../../../sdk/react/src/session/response.ts'
import { toReturnUrl } from '../../../sdk/react/src/session/return-url.ts'
import { toAuthError } from '../../../sdk/react/src/session/to-auth-error.ts'
import type { Tokens } from '../../../sdk/react/src/session/tokens.ts'

const ORIGIN = 'https://app.example.com'

test.each([
  ['/reports?year=2026#top', `${ORIGIN}/reports?year=2026#top`],
  ['reports', `${ORIGIN}/reports`],
  [`${ORIGIN}/reports`, `${ORIGIN}/reports`],
  ['//evil.test/', `${ORIGIN}/`],
  ['/\\evil.test', `${ORIGIN}/`],
  ['https://evil.test/', `${ORIGIN}/`],
  ['https://app.example.com.evil.test/', `${ORIGIN}/`],
  ['http://app.example.com/', `${ORIGIN}/`],
  ['javascript:alert(1)', `${ORIGIN}/`],
  ['data:text/html,x', `${ORIGIN}/`],
  ['https://', `${ORIGIN}/`],
  // The path of this one begins with two slashes. As a part of a whole URL it stays on the same origin.
  ['/.//evil.test/', `${ORIGIN}//evil.test/`],
])('the return URL for %s is %s', (returnTo, expected) => {
  expect(toReturnUrl(returnTo, ORIGIN)).toBe(expected)
})

describe('the response in the URL of the page', () => {
  const issuer = 'https://id.example.com'
  const expected = { redirectUri: `${ORIGIN}/callback`, issuer, state: 's1' }
  const iss = encodeURIComponent(issuer)

  test.each([
    ['a code', `/callback?code=c&state=s1&iss=${iss}`, 'response'],
    ['an error', `/callback?error=access_denied&state=s1&iss=${iss}`, 'response'],
    // The protocol library refuses it, because the state is the one of this sign-in.
    [
      'a code of another issuer with the expected state',
      '/callback?code=c&state=s1&iss=https://other.test',
      'response',
    ],
    ['a code with another state', `/callback?code=c&state=s2&iss=${iss}`, 'stale'],
    ['a code of another provider', '/callback?code=c&state=s2', 'none'],
    ['another path', `/other?code=c&state=s1&iss=${iss}`, 'none'],
    ['a code without state', `/callback?code=c&iss=${iss}`, 'none'],
    ['no parameters', '/callback', 'none'],
  ])('%s', (_, path, kind) => {
    expect(findResponse(ORIGIN + path, expected).kind).toBe(kind)
  })

  test('a stale response is removed from the URL, and other parameters stay', () => {
    const url = `${ORIGIN}/callback?year=2026&code=c&state=s2&iss=${iss}&error_description=x#top`
    const response = findResponse(url, { ...expected, state: undefined })
    expect(response).toEqual({ kind: 'stale', cleanUrl: `${ORIGIN}/callback?year=2026#top` })
  })
})

test('user and tenant are read from the claims, and claims of another type are left out', () => {
  const payload = Buffer.from(JSON.stringify({ sub: 'u1', name: 'Zoë', tenant_id: 't1' })).toString('base64url')
  expect(readClaims(`header.${payload}.signature`)).toEqual({ sub: 'u1', name: 'Zoë', tenant_id: 't1' })
  expect(toUser({ sub: 'u1', name: 'Zoë', email: 5, email_verified: 'true' })).toEqual({
    id: 'u1',
    name: 'Zoë',
    email: undefined,
    emailVerified: undefined,
    givenName: undefined,
    familyName: undefined,
    picture: undefined,
  })
  expect(toTenant({ tenant_id: 't1', tenant_slug: 'acme', tenant_roles: ['admin', 1] })).toEqual({
    id: 't1',
    slug: 'acme',
    roles: ['admin'],
  })
  expect(toTenant({ tenant_id: 't1' })).toBeUndefined()
})

/** Tokens that expire after `seconds`. */
const createTokens = (accessToken: string, seconds: number, refreshToken: string | undefined = 'r1'): Tokens => ({
  accessToken,
  refreshToken,
  idToken: 'i1',
  expiresAt: Date.now() + seconds * 1_000,
  user: toUser({ sub: 'u1' }),
  tenant: undefined,
  sessionId: 's1',
})

const refusedGrant = () =>
  new oauth.ResponseBodyError('refused', {
    cause: { error: 'invalid_grant' },
    response: Response.json({}, { status: 400 }),
  })

describe('the renewal of tokens', () => {
  const facts = { issuer: 'https://id.example.com', clientId: 'spa', origin: ORIGIN, request: 'tokens' } as const

  function createRecorded(refresh: (tokens: Tokens, refreshToken: string, tenant?: string) => Promise<Tokens>) {
    const changes: (Tokens | undefined)[] = []
    const explain = (error: unknown) => toAuthError(error, facts)
    const renewal = createRenewal({ refresh, explain, onChange: (tokens) => changes.push(tokens) })
    return { renewal, changes }
  }

  test('a refresh token is used once, also by calls at the same time and a tenant switch among them', async () => {
    const used: [string, string | undefined][] = []
    const { renewal } = createRecorded(async (_, refreshToken, tenant) => {
      used.push([refreshToken, tenant])
      await new Promise((resolve) => setImmediate(resolve))
      return createTokens(`a${used.length + 1}`, 900, `r${used.length + 1}`)
    })
    renewal.set(createTokens('a1', 10))
    const results = await Promise.all([
      renewal.getAccessToken(),
      renewal.getAccessToken(),
      renewal.switchTenant('globex'),
      renewal.getAccessToken(),
    ])
    expect(used).toEqual([
      ['r1', undefined],
      ['r2', 'globex'],
    ])
    expect(results.slice(2)).toEqual([true, 'a3'])
    expect(renewal.get()?.refreshToken).toBe('r3')
  })

  test('tokens that arrive after the sign-out are discarded', async () => {
    let answer = (_tokens: Tokens) => {}
    const { renewal, changes } = createRecorded(() => new Promise((resolve) => (answer = resolve)))
    renewal.set(createTokens('a1', 10))
    const pending = renewal.getAccessToken()
    renewal.set(undefined)
    answer(createTokens('a2', 900))
    await expect(pending).rejects.toMatchObject({ name: 'SignedOutError' })
    expect(changes.at(-1)).toBeUndefined()
  })

  test('a refused refresh token signs out, a refused tenant does not', async () => {
    const { renewal } = createRecorded(() => Promise.reject(refusedGrant()))
    renewal.set(createTokens('a1', 10))
    expect(await renewal.switchTenant('globex')).toBe(false)
    expect(renewal.get()?.accessToken).toBe('a1')
    await expect(renewal.getAccessToken()).rejects.toMatchObject({ name: 'SignedOutError' })
    expect(renewal.get()).toBeUndefined()
  })

  test('while the connection is down, the token is used until it expires', async () => {
    const { renewal } = createRecorded(() => Promise.reject(new TypeError('Failed to fetch')))
    renewal.set(createTokens('a1', 10))
    expect(await renewal.getAccessToken()).toBe('a1')
    renewal.set(createTokens('a1', -1))
    await expect(renewal.getAccessToken()).rejects.toMatchObject({ name: 'NetworkError' })
    expect(renewal.get()).toBeDefined()
  })

  test('a token that the service refused is renewed once, or ends the sign-in', async () => {
    const { renewal } = createRecorded(async () => createTokens('a2', 900, undefined))
    renewal.set(createTokens('a1', 900))
    expect(await Promise.all([renewal.replaceToken('a1'), renewal.replaceToken('a1')])).toEqual(['a2', 'a2'])
    expect(await renewal.replaceToken('a1')).toBe('a2')
    renewal.set({ ...createTokens('a2', 900), refreshToken: undefined })
    await expect(renewal.replaceToken('a2')).rejects.toMatchObject({ name: 'SignedOutError' })
    expect(renewal.get()).toBeUndefined()
  })
})

describe('a value that several components show', () => {
  test('is loaded once, and again for another key', async () => {
    let loads = 0
    const resource = createResource(async () => ++loads, { maxAgeMs: 60_000 })
    resource.ensureFresh('mia acme')
    resource.ensureFresh('mia acme')
    await expect.poll(() => resource.getState().status).toBe('ready')
    resource.ensureFresh('mia acme')
    expect(loads).toBe(1)
    resource.ensureFresh('mia globex')
    expect(resource.getState()).toMatchObject({ key: 'mia globex', status: 'loading', value: undefined })
    await expect.poll(() => resource.getState()).toMatchObject({ key: 'mia globex', value: 2 })
  })

  test('an answer for the previous key is discarded', async () => {
    const answers: ((value: string) => void)[] = []
    const resource = createResource(() => new Promise<string>((resolve) => answers.push(resolve)), { maxAgeMs: 0 })
    resource.ensureFresh('acme')
    resource.ensureFresh('globex')
    answers[1]?.('of globex')
    answers[0]?.('of acme')
    await expect.poll(() => resource.getState()).toMatchObject({ key: 'globex', value: 'of globex' })
  })

  test('keeps the last value when a later load fails, and shows the error when there is none', async () => {
    const results: (() => Promise<string>)[] = [
      () => Promise.reject(new Error('down')),
      () => Promise.resolve('value'),
      () => Promise.reject(new Error('down again')),
    ]
    let loads = 0
    const resource = createResource(() => (results[loads++] as () => Promise<string>)(), { maxAgeMs: 0 })
    resource.ensureFresh('acme')
    await expect.poll(() => resource.getState().error?.message).toBe('down')
    resource.ensureFresh('acme')
    await expect.poll(() => resource.getState()).toMatchObject({ status: 'ready', value: 'value', error: undefined })
    resource.ensureFresh('acme')
    await expect.poll(() => loads).toBe(3)
    expect(resource.getState()).toMatchObject({ status: 'ready', value: 'value' })
  })
})

test.each<[string, unknown, string]>([
  ['a failed connection', new TypeError('Failed to fetch'), 'NetworkError'],
  ['a timeout', new DOMException('', 'TimeoutError'), 'NetworkError'],
  ['a denied consent', deny('access_denied'), 'AccessDeniedError'],
  ['another refusal', deny('invalid_scope'), 'SignInError'],
  ['a refused code', refusedGrant(), 'SignInError'],
  ['an error that is explained already', signedOutError(), 'SignedOutError'],
  ['anything else', 'text', 'SignInError'],
])('%s is explained with advice', (_, cause, name) => {
  const facts = { issuer: 'https://id.example.com', clientId: 'spa', origin: ORIGIN, request: 'tokens' } as const
  const error = toAuthError(cause, facts)
  expect(error).toBeInstanceOf(AuthError)
  expect(error.name).toBe(name)
  expect(error.message).toMatch(/\S/)
  expect(error.advice).toMatch(/\.$/)
})

function deny(error: string): oauth.AuthorizationResponseError {
  return new oauth.AuthorizationResponseError('refused', { cause: new URLSearchParams({ error }) })
}
