import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestService } from '../../support/service.ts'
import { admin, startDemoService } from '../../support/world.ts'
import { manage, newToken, post, REDIRECT_URI, register } from './calls.ts'

let service: TestService
let url: string
let token: string
beforeAll(async () => {
  service = await startDemoService({ config: { clientRegistration: 'token' } })
  url = service.url
  token = (await newToken(url, { maxUses: 10_000 })).registrationToken
})
afterAll(() => service.close())

const VALID = { redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none' }
const withUri = (uri: unknown, more: object = {}) => ({ ...VALID, redirect_uris: [uri], ...more })
const key = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
const withKeys = (keys: unknown) => ({
  ...VALID,
  token_endpoint_auth_method: 'private_key_jwt',
  jwks: { keys },
})

test('a client with only redirect URIs is confidential, and gets the defaults of RFC 7591', async () => {
  const { status, body } = await post(url, { redirect_uris: [REDIRECT_URI] }, token)
  expect(status).toBe(201)
  expect(body).toEqual({
    client_id: expect.stringMatching(/^lk_/),
    client_id_issued_at: expect.closeTo(Date.now() / 1000, -2),
    client_secret: expect.stringMatching(/^lks_/),
    client_secret_expires_at: 0,
    registration_access_token: expect.stringMatching(/^lka_[\w-]{43}$/),
    registration_client_uri: `${url}/api/oauth/register/${body.client_id}`,
    redirect_uris: [REDIRECT_URI],
    token_endpoint_auth_method: 'client_secret_basic',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    client_name: 'app.example.com',
    scope: 'openid profile email',
    dpop_bound_access_tokens: false,
    require_pushed_authorization_requests: false,
    require_signed_request_object: false,
  })
})

test('the administrator sees the client: third-party, with S256 only, and by its own registration', async () => {
  const { client_id } = await register(url, { client_name: ' Reports ', dpop_bound_access_tokens: true }, token)
  const { clients } = await admin<{ clients: Record<string, unknown>[] }>(
    url,
    `/api/admin/clients?search=${client_id}`,
    undefined,
    'GET',
  )
  expect(clients).toMatchObject([
    {
      origin: 'REGISTRATION',
      name: 'Reports',
      kind: 'SPA',
      pkceMethods: ['S256'],
      requireNonce: false,
      requireDpop: true,
      allowedOrigins: ['https://app.example.com'],
      disabled: false,
    },
  ])
  const application = await admin(url, `/api/admin/applications/${clients[0]?.applicationId}`, undefined, 'GET')
  expect(application).toMatchObject({ name: 'Reports', trusted: false })
})

describe('members', () => {
  test.each<[string, object, object]>([
    ['unknown ones', { logo_uri: 'https://app.example.com/logo.png', shoe_size: 42, 'client_name#ja': 'x' }, {}],
    [
      'null',
      { client_name: null, jwks: null, scope: null, software_statement: null },
      { client_name: 'app.example.com' },
    ],
    ['settings of administrators', { trusted: true, deviceFlow: true, disabled: false, tenantId: 'x' }, {}],
    ['keys that it does not use', { jwks_uri: 'https://app.example.com/keys' }, {}],
  ])('%s are ignored', async (_, more, expected) => {
    const { status, body } = await post(url, { ...VALID, ...more }, token)
    expect(status).toBe(201)
    expect(body).toMatchObject(expected)
    for (const name of ['logo_uri', 'shoe_size', 'trusted', 'jwks_uri']) expect(body).not.toHaveProperty(name)
  })

  test.each<[object, string, string[]]>([
    [{}, 'openid profile email', ['authorization_code']],
    [{ scope: 'openid offline_access' }, 'openid offline_access', ['authorization_code', 'refresh_token']],
    [{ scope: 'openid offline_access', grant_types: ['authorization_code'] }, 'openid', ['authorization_code']],
    [
      { scope: 'openid reports:read admin', grant_types: ['refresh_token', 'authorization_code'] },
      'openid offline_access',
      ['authorization_code', 'refresh_token'],
    ],
    [
      { grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'] },
      'openid profile email',
      ['authorization_code'],
    ],
    [{ scope: '' }, '', ['authorization_code']],
  ])('%j: the scope is "%s"', async (more, scope, grant_types) => {
    expect(await register(url, more, token)).toMatchObject({ scope, grant_types })
  })

  test('a native app with keys may have to sign its requests', async () => {
    const jwks = { keys: [key()] }
    const signs = { token_endpoint_auth_method: 'none', require_signed_request_object: true, jwks }
    expect(await register(url, signs, token)).toMatchObject(signs)
  })

  test.each([
    'http://localhost/callback',
    'http://127.0.0.1:3334/callback',
    'http://[::1]/callback',
    'com.example.app:/callback',
    'cursor.example://anysphere/callback?x=1',
  ])('a native app may have %s', async (uri) => {
    expect((await register(url, { redirect_uris: [uri] }, token)).redirect_uris).toEqual([uri])
  })
})

const LONG = 'x'.repeat(3_000)

const INVALID_URIS: [string, unknown][] = [
  ['a script', withUri('javascript:alert(1)')],
  ['mixed case', withUri('JaVaScRiPt:alert(1)')],
  ['data', withUri('data:text/html,x')],
  ['http elsewhere', withUri('http://app.example.com/callback')],
  ['a fragment', withUri(`${REDIRECT_URI}#x`)],
  ['a wildcard', withUri('https://*.example.com/callback')],
  ['a user', withUri('https://app.example.com@evil.test/callback')],
  ['a relative path', withUri('/callback')],
  ['a backslash', withUri('https://app.example.com\\@evil.test/')],
  ['a space', withUri('https://app.example.com/a b')],
  ['a decimal host', withUri('https://2130706433/callback')],
  ['an IDN', withUri('https://exаmple.com/callback')],
  ['a long URI', withUri(`https://app.example.com/${LONG}`)],
  ['an empty URI', withUri('')],
  ['a number', withUri(42)],
  ['an object', withUri({ uri: REDIRECT_URI })],
  ['no URIs', { ...VALID, redirect_uris: [] }],
  ['a text instead of a list', { ...VALID, redirect_uris: REDIRECT_URI }],
  ['none', { token_endpoint_auth_method: 'none' }],
  ['one twice', { ...VALID, redirect_uris: [REDIRECT_URI, REDIRECT_URI] }],
  ['too many', { ...VALID, redirect_uris: Array.from({ length: 51 }, (_, index) => `${REDIRECT_URI}/${index}`) }],
  [
    'a private scheme for a confidential client',
    withUri('com.example.app:/x', { token_endpoint_auth_method: 'client_secret_basic' }),
  ],
]

const INVALID_METADATA: [string, unknown][] = [
  ['an unknown method', { ...VALID, token_endpoint_auth_method: 'tls_client_auth' }],
  ['a shared secret as key', { ...VALID, token_endpoint_auth_method: 'client_secret_jwt' }],
  ['a method of another type', { ...VALID, token_endpoint_auth_method: ['none'] }],
  ['client credentials', { ...VALID, grant_types: ['client_credentials'] }],
  ['client credentials besides codes', { ...VALID, grant_types: ['authorization_code', 'client_credentials'] }],
  ['passwords', { ...VALID, grant_types: ['authorization_code', 'password'] }],
  ['implicit', { ...VALID, grant_types: ['authorization_code', 'implicit'] }],
  ['refresh tokens alone', { ...VALID, grant_types: ['refresh_token'] }],
  ['no grant type', { ...VALID, grant_types: [] }],
  ['grant types as text', { ...VALID, grant_types: 'authorization_code' }],
  ['the response type token', { ...VALID, response_types: ['token'] }],
  ['the hybrid flow', { ...VALID, response_types: ['code', 'code id_token'] }],
  ['a long name', { ...VALID, client_name: LONG }],
  ['an empty name', { ...VALID, client_name: ' ' }],
  ['a name of two lines', { ...VALID, client_name: 'Reports\nof your bank' }],
  ['a name that runs backwards', { ...VALID, client_name: 'Reports\u202ekcart' }],
  ['a name of another type', { ...VALID, client_name: { en: 'Reports' } }],
  ['a scope of another type', { ...VALID, scope: ['openid'] }],
  ['a scope with quotes', { ...VALID, scope: 'openid "x"' }],
  ['a flag as text', { ...VALID, dpop_bound_access_tokens: 'true' }],
  ['a number as flag', { ...VALID, require_pushed_authorization_requests: 1 }],
  ['a logout URI with a script', { ...VALID, post_logout_redirect_uris: ['javascript:alert(1)'] }],
  ['no keys to sign requests with', { ...VALID, require_signed_request_object: true }],
  ['no keys', { ...VALID, token_endpoint_auth_method: 'private_key_jwt' }],
  ['an empty key set', withKeys([])],
  ['keys of another type', withKeys('x')],
  ['a key set of another type', { ...VALID, token_endpoint_auth_method: 'private_key_jwt', jwks: [] }],
  ['a key that is null', withKeys([null])],
  ['a private key', withKeys([{ ...key(), d: 'AAAA' }])],
  ['a shared key', withKeys([{ kty: 'oct', k: 'AAAA' }])],
  ['too many keys', withKeys(Array.from({ length: 11 }, key))],
  ['keys in two places', { ...withKeys([key()]), jwks_uri: 'https://app.example.com/keys' }],
  [
    'keys over http',
    { ...VALID, token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'http://app.example.com/keys' },
  ],
  [
    'keys in this network',
    { ...VALID, token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://127.0.0.1/keys' },
  ],
  [
    'keys of the cloud',
    { ...VALID, token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://169.254.169.254/' },
  ],
]

const INVALID_REQUESTS: [string, unknown][] = [
  ['a list', '[]'],
  ['null', 'null'],
  ['no JSON', 'redirect_uris=x'],
  ['a member twice', `{"redirect_uris":["${REDIRECT_URI}"],"redirect_uris":["https://evil.test/"]}`],
  [
    'a member twice with an escape',
    `{"redirect_uris":["${REDIRECT_URI}"],"redirect\\u005furis":["https://evil.test/"]}`,
  ],
  ['__proto__', `{"__proto__":{"trusted":true},"redirect_uris":["${REDIRECT_URI}"]}`],
  ['NUL', { ...VALID, client_name: 'a\u0000b' }],
  ['deep nesting', `{"jwks":${'['.repeat(100)}${']'.repeat(100)}}`],
]

describe.each([
  ['invalid_redirect_uri', INVALID_URIS],
  ['invalid_client_metadata', INVALID_METADATA],
  ['invalid_request', INVALID_REQUESTS],
  ['unapproved_software_statement', [['a statement', { ...VALID, software_statement: 'eyJ.e30.x' }]]],
] as [string, [string, unknown][]][])('%s', (error, cases) => {
  test.each(cases)('%s', async (_, metadata) => {
    const before = await countClients()
    const { response, status, body } = await post(url, metadata, token)
    expect([status, body]).toEqual([400, { error, error_description: expect.stringMatching(/^[ !#-[\]-~]+$/) }])
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await countClients()).toBe(before)
  })
})

async function countClients(): Promise<number> {
  const { total } = await service.ctx.db
    .selectFrom('clients')
    .select(({ fn }) => fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

test('a body of more than 64 KiB is refused before it is parsed', async () => {
  const { status, body } = await post(url, { ...VALID, padding: 'x'.repeat(70_000) }, token)
  expect([status, body.error]).toEqual([413, 'invalid_request'])
})

test('a refused request uses nothing of the token', async () => {
  const once = await newToken(url)
  expect((await post(url, withUri('javascript:alert(1)'), once.registrationToken)).status).toBe(400)
  expect((await post(url, VALID, once.registrationToken)).status).toBe(201)
  expect((await post(url, VALID, once.registrationToken)).status).toBe(401)
})

test('an update is checked in the same way', async () => {
  const registered = await register(url, {}, token)
  const update = (body: object) => manage('PUT', registered, { body: { client_id: registered.client_id, ...body } })
  for (const [metadata, error] of [
    [withUri('javascript:alert(1)'), 'invalid_redirect_uri'],
    [{ ...VALID, grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    [{ ...VALID, token_endpoint_auth_method: 'client_secret_basic' }, 'invalid_client_metadata'],
    [{ ...VALID, client_id: 'demo-spa' }, 'invalid_client_metadata'],
    [{ ...VALID, client_id: null }, 'invalid_client_metadata'],
    [{ ...VALID, client_secret: 'x' }, 'invalid_client_metadata'],
    [{ ...VALID, software_statement: 'x' }, 'unapproved_software_statement'],
  ] as const) {
    const { status, body } = await update(metadata)
    expect([status, body.error]).toEqual([400, error])
  }
  const { status, body } = await manage('GET', registered)
  expect([status, body]).toEqual([200, registered])
})
