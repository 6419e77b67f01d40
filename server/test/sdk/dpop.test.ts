import { request as sendRequest } from 'node:http'
import { AuthError, createLatchkey, describeResource, type Latchkey, type LatchkeyOptions } from '@latchkey/node'
import { CompactSign, exportJWK, generateKeyPair } from 'jose'
import * as oauth from 'oauth4webapi'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { codeForm, hashOf, type Key, newKey, newProof, type ProofDraft, requestTokens } from '../oauth/dpop/proofs.ts'
import type { TestService } from '../support/service.ts'
import { authorize, obtainTokens, signIn, startDemoService, VERIFIER } from '../support/world.ts'
import { APIS, listen, serveApi, serveExpress } from './protected-apis.ts'

// @latchkey/node checks the proofs of access tokens that are bound to a key (DPoP, RFC 9449).

const ALGS = 'algs="PS256 ES256 EdDSA RS256 Ed25519"'

let service: TestService
let cookie: string
let options: LatchkeyOptions
let key: Key
let other: Key
let token: string
let unbound: string
beforeAll(async () => {
  service = await startDemoService()
  cookie = await signIn(service.url, 'mia@acme.test')
  const { id: applicationId } = await service.ctx.db
    .selectFrom('applications')
    .select('id')
    .where('slug', '=', 'project-manager')
    .executeTakeFirstOrThrow()
  options = { issuer: service.url, applicationId }
  key = await newKey()
  other = await newKey()
  token = await obtainBound(key)
  unbound = (await obtainTokens(service.url, cookie)).access_token
})
afterAll(() => service?.close())

async function obtainBound(holder: Key): Promise<string> {
  const { answer } = await authorize(service.url, cookie)
  const { body } = await requestTokens(service.url, codeForm(answer.code), await newProof(service.url, holder))
  return body.access_token
}

/** Signs in with openid-client, and returns a function that calls an API with the token and proofs of the library. */
async function signInWithLibrary(alg: string) {
  const execute = [oidc.allowInsecureRequests]
  const config = await oidc.discovery(new URL(service.url), 'demo-spa', undefined, oidc.None(), { execute })
  const DPoP = oidc.getDPoPHandle(config, await oidc.randomDPoPKeyPair(alg))
  const { location } = await authorize(service.url, cookie, { dpop_jkt: await DPoP.calculateThumbprint() })
  const checks = { pkceCodeVerifier: VERIFIER, expectedState: 'st', expectedNonce: 'n' }
  const tokens = await oidc.authorizationCodeGrant(config, new URL(location), checks, undefined, { DPoP })
  const call = (url: string, method = 'GET') =>
    oidc.fetchProtectedResource(config, tokens.access_token, new URL(url), method, undefined, undefined, { DPoP })
  return { call, sub: tokens.claims()?.sub }
}

interface Sent {
  scheme?: string
  accessToken?: string
  proofs?: string[]
}

async function send(url: string, { scheme = 'DPoP', accessToken = token, proofs = [] }: Sent) {
  const headers = { authorization: `${scheme} ${accessToken}`, ...(proofs.length > 0 && { dpop: proofs }) }
  return new Promise<{ status: number | undefined; challenge: string | undefined; body: string }>((resolve, reject) => {
    sendRequest(url, { headers }, async (response) => {
      let body = ''
      for await (const chunk of response) body += chunk
      resolve({ status: response.statusCode, challenge: response.headers['www-authenticate'], body })
    })
      .on('error', reject)
      .end()
  })
}

const valid = (url: string) => ({ htm: 'GET', htu: url, ath: hashOf(token) })
const proofFor = (url: string, claims: object = {}, draft: ProofDraft = {}) =>
  newProof(url, key, { ...draft, claims: { ...valid(url), ...claims } })

describe.each(APIS)('in %s', (_name, build) => {
  test('openid-client calls the API with a bound token, through several guards', async () => {
    const url = await serveApi(build, options)
    const { call, sub } = await signInWithLibrary('ES256')
    for (const path of ['/v1/me', '/v1/me?page=2', '/v1/me', '/v1/reports']) {
      const response = await call(url + path)
      expect([path, response.status, await response.json()]).toEqual([path, 200, { id: sub }])
    }
    // The library throws on a challenge.
    await expect(call(`${url}/v1/tasks`, 'POST')).rejects.toMatchObject({
      status: 403,
      cause: [{ scheme: 'dpop', parameters: { error: 'insufficient_scope', algs: expect.any(String) } }],
    })
  })

  test('a proof is accepted once, and not with a second one or for another route', async () => {
    const url = `${await serveApi(build, options)}/v1/me`
    const proof = await proofFor(url)
    expect((await send(url, { proofs: [proof] })).status).toBe(200)
    const two = [await proofFor(url), await proofFor(url)]
    const refused = { status: 401, challenge: `DPoP ${ALGS}, error="invalid_dpop_proof"` }
    for (const proofs of [[proof], two, ['', two[0] ?? ''], [], [await proofFor(url.replace('/me', '/reports'))]])
      expect(await send(url, { proofs })).toMatchObject(refused)
    expect((await send(url, { proofs: two.slice(0, 1) })).status).toBe(200)
  })

  test('a bound token is refused as Bearer, and an unbound one as DPoP', async () => {
    const url = `${await serveApi(build, options)}/v1/me`
    expect(await send(url, { scheme: 'Bearer', proofs: [await proofFor(url)] })).toMatchObject({
      status: 401,
      challenge: `Bearer error="invalid_token", DPoP ${ALGS}`,
    })
    const proofs = [await proofFor(url, { ath: hashOf(unbound) })]
    expect(await send(url, { accessToken: unbound, proofs })).toMatchObject({
      status: 401,
      challenge: `DPoP ${ALGS}, error="invalid_token"`,
    })
    expect((await send(url, { scheme: 'Bearer', accessToken: unbound })).status).toBe(200)
  })
})

test.each(['PS256', 'RS256', 'Ed25519'])('openid-client calls the API with proofs signed with %s', async (alg) => {
  const { call } = await signInWithLibrary(alg)
  expect((await call(`${await serveApi(serveExpress, options)}/v1/me`)).status).toBe(200)
})

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset

type Create = (url: string) => Promise<string>
const withClaims =
  (claims: (url: string) => object): Create =>
  (url) =>
    proofFor(url, claims(url))
const withHeader =
  (header: () => Record<string, unknown> | Promise<Record<string, unknown>>): Create =>
  async (url) =>
    proofFor(url, {}, { header: await header() })
const edited =
  (change: (parts: string[]) => string[]): Create =>
  async (url) =>
    change((await proofFor(url)).split('.')).join('.')
const hmac =
  (jwk: () => object): Create =>
  (url) =>
    newProof(
      url,
      { ...key, alg: 'HS256' },
      {
        header: { jwk: jwk() },
        claims: valid(url),
        signWith: new TextEncoder().encode(JSON.stringify(jwk())),
      },
    )

function withExtension(url: string): Promise<string> {
  const claims = { ...valid(url), iat: seconds(0), jti: crypto.randomUUID() }
  return new CompactSign(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ typ: 'dpop+jwt', alg: key.alg, jwk: key.jwk, crit: ['ext'], ext: 1 })
    .sign(key.privateKey, { crit: { ext: true } })
}

/** Each is valid but for one thing. */
const HOSTILE: [string, Create, string?][] = [
  ['no JWT', async () => 'proof'],
  ['two proofs in one header', async (url) => `${await proofFor(url)}, ${await proofFor(url)}`],
  ['an empty signature', edited(([header = '', payload = '']) => [header, payload, ''])],
  ['a signature with padding', edited(([header = '', payload = '', end = '']) => [header, payload, `${end}==`])],
  ['a changed payload', edited(([header = '', , end = '']) => [header, encode({ htm: 'GET' }), end])],
  ['the alg none', edited(([, payload = '']) => [encode({ typ: 'dpop+jwt', alg: 'none', jwk: key.jwk }), payload, ''])],
  ['a shared key', hmac(() => ({ kty: 'oct', k: Buffer.alloc(32, 1).toString('base64url') }))],
  ['HS256 with the public key as secret', hmac(() => key.jwk)],
  ['the alg ES384', async (url) => newProof(url, await newKey('ES384'), { claims: valid(url) })],
  ['the signature of another key', (url) => proofFor(url, {}, { signWith: other.privateKey })],
  ['the proof of another key', (url) => newProof(url, other, { claims: valid(url) }), 'invalid_token'],
  ['no jwk', withHeader(() => ({ jwk: undefined }))],
  ['a jwk that is a text', withHeader(() => ({ jwk: JSON.stringify(key.jwk) }))],
  ['a private jwk', withHeader(async () => ({ jwk: await exportJWK(key.privateKey) }))],
  ['a jwk with an empty private member', withHeader(() => ({ jwk: { ...key.jwk, d: '' } }))],
  ['a jwk for encryption', withHeader(() => ({ jwk: { ...key.jwk, use: 'enc' } }))],
  ['another spelling of the key', withHeader(() => ({ jwk: { ...key.jwk, x: `${key.jwk.x}=` } })), 'invalid_token'],
  ['an unknown critical extension', withExtension],
  ['the typ JWT', withHeader(() => ({ typ: 'JWT' }))],
  ['the typ at+jwt', withHeader(() => ({ typ: 'at+jwt' }))],
  ['no typ', withHeader(() => ({ typ: undefined }))],
  ['no htm', withClaims(() => ({ htm: undefined }))],
  ['another method', withClaims(() => ({ htm: 'POST' }))],
  ['the method in lower case', withClaims(() => ({ htm: 'get' }))],
  ['no htu', withClaims(() => ({ htu: undefined }))],
  ['another path', withClaims((url) => ({ htu: `${url}/` }))],
  ['another host', withClaims(() => ({ htu: 'https://evil.example/v1/me' }))],
  ['another scheme', withClaims((url) => ({ htu: url.replace('http:', 'https:') }))],
  ['a user in the address', withClaims((url) => ({ htu: url.replace('//', '//user@') }))],
  ['an address with backslashes', withClaims((url) => ({ htu: url.replace('/v1/', '\\v1\\') }))],
  ['an escaped slash', withClaims((url) => ({ htu: url.replace('/me', '%2Fme') }))],
  ['no ath', withClaims(() => ({ ath: undefined }))],
  ['the ath of another token', withClaims(() => ({ ath: hashOf(unbound) }))],
  ['the token itself as ath', withClaims(() => ({ ath: token }))],
  ['no iat', withClaims(() => ({ iat: undefined }))],
  ['an iat that is a text', withClaims(() => ({ iat: String(seconds(0)) }))],
  ['an iat in milliseconds', withClaims(() => ({ iat: Date.now() }))],
  ['a proof from the past', withClaims(() => ({ iat: seconds(-65) }))],
  ['a proof from the future', withClaims(() => ({ iat: seconds(65) }))],
  ['an expired proof', withClaims(() => ({ exp: seconds(-65) }))],
  ['no jti', withClaims(() => ({ jti: undefined }))],
  ['an empty jti', withClaims(() => ({ jti: '' }))],
  ['a jti that is a number', withClaims(() => ({ jti: 7 }))],
  ['a jti of 257 characters', withClaims(() => ({ jti: 'j'.repeat(257) }))],
  ['a proof that is too long', withClaims(() => ({ filler: 'f'.repeat(8 * 1024) }))],
]

describe('a stolen token', () => {
  let url: string
  beforeEach(async () => {
    url = `${await serveApi(serveExpress, options)}/v1/me`
  })

  test.each(HOSTILE)('with %s is refused', async (_, create, code = 'invalid_dpop_proof') => {
    expect(await send(url, { proofs: [await create(url)] })).toMatchObject({
      status: 401,
      challenge: `DPoP ${ALGS}, error="${code}"`,
      body: expect.stringContaining(`"error":"${code}"`),
    })
    expect((await send(url, { proofs: [await proofFor(url)] })).status).toBe(200)
  })

  test('with a proof for the address in the Host header is refused', async () => {
    const proof = await proofFor('http://evil.example/v1/me')
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', authorization: `DPoP ${token}` }
    const status = await new Promise((resolve, reject) => {
      sendRequest(url, { headers: { ...headers, dpop: proof } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })
    expect(status).toBe(401)
  })

  test('with a token that has no valid signature is refused before its proof is looked at', async () => {
    expect(await send(url, { accessToken: `${token}x` })).toMatchObject({
      status: 401,
      challenge: `DPoP ${ALGS}, error="invalid_token"`,
    })
  })
})

test.each<[string, (url: string) => string]>([
  ['a query', (url) => `${url}?a=b`],
  ['a fragment', (url) => `${url}#x`],
  ['the scheme in upper case', (url) => url.replace('http:', 'HTTP:')],
  ['an escaped letter', (url) => url.replace('/me', '/%6de')],
  ['dots', (url) => url.replace('/me', '/x/../me')],
])('%s in the htu makes no difference', async (_, change) => {
  const url = `${await serveApi(serveExpress, options)}/v1/me`
  expect((await send(url, { proofs: [await proofFor(url, { htu: change(url) })] })).status).toBe(200)
})

test('behind a proxy that changes host and path, the proof is for the address that the client called', async () => {
  let target = ''
  const proxy = await listen(({ url = '', headers, method }, response) => {
    const address = target + url.replace('/tasks/', '/')
    sendRequest(address, { method, headers: { ...headers, host: 'internal' } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    }).end()
  })
  target = await serveApi(serveExpress, { ...options, dpop: { baseUrl: `${proxy}/tasks/` } })
  const client: oauth.Client = { client_id: 'demo-spa' }
  const insecure = { [oauth.allowInsecureRequests]: true }
  const DPoP = oauth.DPoP(client, await generateKeyPair('ES256'))
  const issuer = new URL(service.url)
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure))
  const { location } = await authorize(service.url, cookie)
  const parameters = oauth.validateAuthResponse(server, client, new URL(location), 'st')
  const redirectUri = codeForm('').redirect_uri
  const withProof = { ...insecure, DPoP }
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      parameters,
      redirectUri,
      VERIFIER,
      withProof,
    ),
    { expectedNonce: 'n' },
  )
  const call = (url: string) =>
    oauth.protectedResourceRequest(tokens.access_token, 'GET', new URL(url), undefined, undefined, withProof)
  expect((await call(`${proxy}/tasks/v1/me`)).status).toBe(200)
  await expect(call(`${target}/v1/me`)).rejects.toMatchObject({ status: 401 })
})

describe('with a store of their own', () => {
  const used = new Set<string>()
  const asked: [string, number][] = []
  const useOnce = async (id: string, time: number) => {
    asked.push([id, time])
    return !used.has(id) && used.add(id).size > 0
  }

  test('several processes accept a proof once, and store only a hash', async () => {
    const baseUrl = 'https://api.example.com'
    const dpop = { baseUrl, useOnce }
    const nodes = [
      await serveApi(serveExpress, { ...options, dpop }),
      await serveApi(serveExpress, { ...options, dpop }),
    ]
    const proofs = [await proofFor(`${baseUrl}/v1/me`, { jti: 'secret' })]
    const statuses = await Promise.all(nodes.map(async (node) => (await send(`${node}/v1/me`, { proofs })).status))
    expect(statuses.sort()).toEqual([200, 401])
    expect(asked.map(([id, time]) => [id.length, time])).toEqual([
      [43, 120],
      [43, 120],
    ])
    // A proof that is refused otherwise is not stored.
    await send(`${nodes[0]}/v1/me`, { proofs: [await proofFor(`${baseUrl}/v1/other`)] })
    expect(asked).toHaveLength(2)
  })

  test('nobody is let in while the store fails, or does not answer true', async () => {
    const failing = { useOnce: () => Promise.reject(new Error('no connection')) }
    const url = await serveApi(serveExpress, { ...options, dpop: failing })
    const { status, body } = await send(`${url}/v1/me`, { proofs: [await proofFor(`${url}/v1/me`)] })
    expect([status, body]).toEqual([503, expect.stringContaining('"unavailable"')])
    expect(body).not.toContain('no connection')
    const silent = { useOnce: (() => undefined) as never }
    const second = await serveApi(serveExpress, { ...options, dpop: silent })
    expect((await send(`${second}/v1/me`, { proofs: [await proofFor(`${second}/v1/me`)] })).status).toBe(401)
  })
})

describe('the address of the API', () => {
  const refusal = (latchkey: Latchkey, authorization: string | undefined, request?: object) =>
    latchkey
      .authenticate(authorization, request && { method: 'GET', url: '/mcp', headers: {}, ...request })
      .then(() => undefined)
      .catch((error: unknown) => (error instanceof AuthError ? error : Promise.reject(error)))

  test('is that of the resource, whose metadata and challenges state the algorithms', async () => {
    const resource = { uri: 'https://api.example.com/mcp', scopes: ['tasks:read'] }
    const latchkey = createLatchkey({ issuer: service.url, resource })
    expect(describeResource(latchkey).dpop_signing_alg_values_supported).toEqual(ALGS.slice(6, -1).split(' '))
    const rest =
      'scope="tasks:read", resource_metadata="https://api.example.com/.well-known/oauth-protected-resource/mcp"'
    expect((await refusal(latchkey, undefined, {}))?.challenge).toBe(`Bearer ${rest}, DPoP ${ALGS}`)
    expect((await refusal(latchkey, `DPoP ${token}`, {}))?.challenge).toBe(
      `DPoP ${ALGS}, error="invalid_token", ${rest}`,
    )
  })

  test('must be known: without it, or without the request, a token as DPoP is refused', async () => {
    const headers = { dpop: await proofFor('https://api.example.com/mcp') }
    const unknown = createLatchkey(options)
    expect((await refusal(unknown, `DPoP ${token}`, { headers }))?.challenge).toBe('Bearer')
    const known = createLatchkey({ ...options, dpop: { baseUrl: 'https://api.example.com' } })
    expect((await refusal(known, `DPoP ${token}`))?.challenge).toBe('Bearer')
    expect(await refusal(known, `DPoP ${token}`, { headers })).toBeUndefined()
  })

  test.each([
    ['', 'dpop.baseUrl is empty'],
    [undefined, 'dpop.baseUrl is empty'],
    ['api.example.com', 'Set dpop.baseUrl'],
    ['ftp://api.example.com', 'Set dpop.baseUrl'],
  ])('%j is refused', (baseUrl, message) => {
    expect(() => createLatchkey({ ...options, dpop: { baseUrl } as { baseUrl: string } })).toThrow(message)
  })
})
