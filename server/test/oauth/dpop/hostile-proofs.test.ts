import { generateKeyPairSync } from 'node:crypto'
import { exportJWK } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { TestService } from '../../support/service.ts'
import { startDemoService } from '../../support/world.ts'
import { callWith, hashOf, type Key, MACHINE, newKey, newProof, type ProofDraft, requestTokens } from './proofs.ts'

let service: TestService
let url: string
let key: Key
let other: Key
let rsa: Key

beforeAll(async () => {
  service = await startDemoService()
  url = service.url
  key = await newKey()
  other = await newKey()
  rsa = await newKey('PS256')
})
afterAll(() => service.close())

/** The keys are bound to no account, so the attacker signs well and lies in one point only. */
const seconds = (offset: number) => Math.floor(Date.now() / 1000) + offset

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Replaces parts of a valid proof, so that its signature is wrong. */
async function edited(change: (parts: string[]) => string[]): Promise<string> {
  return change((await newProof(url, key)).split('.')).join('.')
}

async function privateJwk() {
  return { ...key.jwk, d: (await exportJWK(key.privateKey)).d }
}

const withClaims = (claims: Record<string, unknown>) => newProof(url, key, { claims })
const withHeader = (header: Record<string, unknown>, rest: ProofDraft = {}) => newProof(url, key, { header, ...rest })

/** Each is valid but for one thing. */
const CATALOG: [string, () => Promise<string>][] = [
  ['no text', async () => ' '],
  ['no JWT', async () => 'proof'],
  ['a JSON value', async () => '{"htm":"POST"}'],
  ['two parts', () => edited(([header = '', payload = '']) => [header, payload])],
  ['five parts', () => edited((parts) => [...parts, 'a', 'b'])],
  ['an empty signature', () => edited(([header = '', payload = '']) => [header, payload, ''])],
  [
    'a truncated signature',
    () => edited(([header = '', payload = '', end = '']) => [header, payload, end.slice(0, -4)]),
  ],
  ['a signature with padding', () => edited(([header = '', payload = '', end = '']) => [header, payload, `${end}==`])],
  ['a changed payload', () => edited(([header = '', , end = '']) => [header, encode({ htm: 'POST' }), end])],
  ['a payload that is a list', () => edited(([header = '', , end = '']) => [header, encode([1]), end])],
  ['a header that is null', () => edited(([, payload = '', end = '']) => [encode(null), payload, end])],
  ['two proofs in one header', async () => `${await newProof(url, key)}, ${await newProof(url, key)}`],
  [
    'the alg none',
    () => edited(([, payload = '']) => [encode({ typ: 'dpop+jwt', alg: 'none', jwk: key.jwk }), payload, '']),
  ],
  ['a shared key', () => hmacProof({ kty: 'oct', k: Buffer.alloc(32, 1).toString('base64url') })],
  ['HS256 with the public key as secret', () => hmacProof(key.jwk)],
  ['the signature of another key', () => newProof(url, key, { signWith: other.privateKey })],
  [
    'the alg of another kind of key',
    () =>
      edited(([, payload = '', end = '']) => [encode({ typ: 'dpop+jwt', alg: 'EdDSA', jwk: key.jwk }), payload, end]),
  ],
  ['RS256 for a signature with PS256', () => newProof(url, rsa).then((proof) => swapAlg(proof, 'RS256'))],
  ['the alg ES384', async () => newProof(url, await newKey('ES384'))],
  ['the alg RS512', async () => newProof(url, await newKey('RS512'))],
  ['the alg in lower case', () => newProof(url, key).then((proof) => swapAlg(proof, 'es256'))],
  ['the curve of another alg', async () => withHeader({ jwk: (await newKey('ES384')).jwk })],
  ['an RSA key of 1024 bits', smallRsaProof],
  ['an RSA key with the exponent 3', weakExponentProof],
  ['no jwk', () => withHeader({ jwk: undefined })],
  ['a jwk that is a text', () => withHeader({ jwk: JSON.stringify(key.jwk) })],
  ['a jwk that is a list', () => withHeader({ jwk: [key.jwk] })],
  ['a private jwk', async () => withHeader({ jwk: await privateJwk() })],
  ['a jwk with an empty private member', () => withHeader({ jwk: { ...key.jwk, d: '' } })],
  ['a jwk for encryption', () => withHeader({ jwk: { ...key.jwk, use: 'enc' } })],
  ['a jwk for another alg', () => withHeader({ jwk: { ...key.jwk, alg: 'PS256' } })],
  ['a jwk without y', () => withHeader({ jwk: { ...key.jwk, y: undefined } })],
  ['a jwk that is no point of the curve', () => withHeader({ jwk: { ...key.jwk, x: other.jwk.x } })],
  ['another spelling of the key', () => withHeader({ jwk: { ...key.jwk, x: `${key.jwk.x}=` } })],
  ['a jku instead of a jwk', () => withHeader({ jku: 'https://evil.example/keys' })],
  ['a certificate', () => withHeader({ x5c: ['MIIB'] })],
  [
    'a critical extension',
    () =>
      edited(([, payload = '', end = '']) => [
        encode({ typ: 'dpop+jwt', alg: 'ES256', jwk: key.jwk, crit: ['b64'], b64: false }),
        payload,
        end,
      ]),
  ],
  ['the typ JWT', () => withHeader({ typ: 'JWT' })],
  ['the typ at+jwt', () => withHeader({ typ: 'at+jwt' })],
  ['no typ', () => withHeader({ typ: undefined })],
  [
    'the typ as a list',
    () =>
      edited(([, payload = '', end = '']) => [encode({ typ: ['dpop+jwt'], alg: 'ES256', jwk: key.jwk }), payload, end]),
  ],
  ['no htm', () => withClaims({ htm: undefined })],
  ['another method', () => withClaims({ htm: 'GET' })],
  ['the method in lower case', () => withClaims({ htm: 'post' })],
  ['a list of methods', () => withClaims({ htm: ['POST'] })],
  ['no htu', () => withClaims({ htu: undefined })],
  ['another path', () => withClaims({ htu: `${url}/api/oauth/userinfo` })],
  ['a longer path', () => withClaims({ htu: `${url}/api/oauth/token/` })],
  ['another host', () => withClaims({ htu: 'https://evil.example/api/oauth/token' })],
  ['another scheme', () => withClaims({ htu: `${url.replace('http:', 'https:')}/api/oauth/token` })],
  ['another port', () => withClaims({ htu: 'http://127.0.0.1:1/api/oauth/token' })],
  ['a user in the address', () => withClaims({ htu: `${url.replace('//', '//user@')}/api/oauth/token` })],
  ['an address with backslashes', () => withClaims({ htu: `${url}\\api\\oauth\\token` })],
  ['an address with a line break', () => withClaims({ htu: `${url}/api/oauth/\ntoken` })],
  ['a path without host', () => withClaims({ htu: '/api/oauth/token' })],
  ['a list of addresses', () => withClaims({ htu: [`${url}/api/oauth/token`] })],
  ['an escaped slash', () => withClaims({ htu: `${url}/api/oauth%2Ftoken` })],
  ['no iat', () => withClaims({ iat: undefined })],
  ['an iat that is a text', () => withClaims({ iat: String(seconds(0)) })],
  ['an iat in milliseconds', () => withClaims({ iat: Date.now() })],
  ['a proof from the past', () => withClaims({ iat: seconds(-75) })],
  ['a proof from the future', () => withClaims({ iat: seconds(75) })],
  ['an expired proof', () => withClaims({ exp: seconds(-1) })],
  ['an exp that is a text', () => withClaims({ exp: 'never' })],
  ['a proof that is not valid yet', () => withClaims({ nbf: seconds(600) })],
  ['no jti', () => withClaims({ jti: undefined })],
  ['an empty jti', () => withClaims({ jti: '' })],
  ['a jti that is a number', () => withClaims({ jti: 7 })],
  ['a jti of 257 characters', () => withClaims({ jti: 'j'.repeat(257) })],
  ['a proof that is too long', () => withClaims({ filler: 'f'.repeat(8 * 1024) })],
]

function swapAlg(proof: string, alg: string): string {
  const [header = '', payload = '', end = ''] = proof.split('.')
  const decoded = JSON.parse(Buffer.from(header, 'base64url').toString()) as object
  return [encode({ ...decoded, alg }), payload, end].join('.')
}

const hmacProof = (jwk: object) =>
  newProof(url, { ...key, alg: 'HS256' }, { header: { jwk }, signWith: new TextEncoder().encode(JSON.stringify(jwk)) })

/** jose does not sign with such a key, so the signature is made here. */
async function rsaProof(options: { modulusLength: number; publicExponent?: number }): Promise<string> {
  const { createSign } = await import('node:crypto')
  const { publicKey, privateKey } = generateKeyPairSync('rsa', options)
  const jwk = publicKey.export({ format: 'jwk' })
  const payload = { htm: 'POST', htu: `${url}/api/oauth/token`, iat: seconds(0), jti: crypto.randomUUID() }
  const signed = `${encode({ typ: 'dpop+jwt', alg: 'RS256', jwk })}.${encode(payload)}`
  return `${signed}.${createSign('sha256').update(signed).sign(privateKey, 'base64url')}`
}

function smallRsaProof() {
  return rsaProof({ modulusLength: 1024 })
}

function weakExponentProof() {
  return rsaProof({ modulusLength: 2048, publicExponent: 3 })
}

describe('at the token endpoint', () => {
  beforeEach(async () => {
    expect((await requestTokens(url, MACHINE, await newProof(url, key))).body.token_type).toBe('DPoP')
  })

  test.each(CATALOG)('%s is refused', async (_, create) => {
    const { status, body } = await requestTokens(url, MACHINE, await create())
    expect(status).toBe(400)
    expect(body).toEqual({ error: 'invalid_dpop_proof', error_description: expect.any(String) })
  })

  test('two headers are refused', async () => {
    const proofs = [await newProof(url, key), await newProof(url, key)]
    expect((await requestTokens(url, MACHINE, ...proofs)).body.error).toBe('invalid_dpop_proof')
  })

  test('the Host header does not change the address of the service', async () => {
    const { request } = await import('node:http')
    const proof = await newProof(url, key, { claims: { htu: 'http://evil.example/api/oauth/token' } })
    const body = String(new URLSearchParams(MACHINE))
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: 'evil.example', dpop: proof, 'content-type': 'application/x-www-form-urlencoded' }
      request(`${url}/api/oauth/token`, { method: 'POST', headers }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end(body)
    })
    expect(status).toBe(400)
  })
})

test.each(['PS256', 'ES256', 'EdDSA', 'RS256', 'Ed25519'])('a proof with %s is accepted', async (alg) => {
  const { body } = await requestTokens(url, MACHINE, await newProof(url, await newKey(alg)))
  expect(body.token_type).toBe('DPoP')
})

test.each([
  ['a query and a fragment', (address: string) => `${address}?a=b#c`],
  ['another case of scheme and host', (address: string) => address.replace('http://', 'HTTP://')],
  ['unnecessary escapes', (address: string) => address.replace('token', '%74oken')],
  ['dot segments', (address: string) => address.replace('/oauth/', '/x/../oauth/./')],
])('%s in the htu makes no difference', async (_, change) => {
  const proof = await withClaims({ htu: change(`${url}/api/oauth/token`) })
  expect((await requestTokens(url, MACHINE, proof)).status).toBe(200)
})

test.each([-55, 55])('a proof of %d seconds is accepted', async (offset) => {
  expect((await requestTokens(url, MACHINE, await withClaims({ iat: seconds(offset) }))).status).toBe(200)
})

describe('with an access token', () => {
  let token: string
  const path = '/api/oauth/userinfo'
  const valid = () => ({ htm: 'GET', htu: url + path, ath: hashOf(token) })

  beforeAll(async () => {
    token = (await requestTokens(url, MACHINE, await newProof(url, key))).body.access_token
  })

  // A machine is not a user: its valid proof leads to insufficient_scope.
  test('a valid proof is accepted', async () => {
    const { status, challenge } = await callWith(url, path, { scheme: 'DPoP', token, proof: await withClaims(valid()) })
    expect(status).toBe(403)
    expect(challenge).toContain('insufficient_scope')
  })

  test.each<[string, () => Promise<string | undefined>, string]>([
    ['no proof', async () => undefined, 'invalid_dpop_proof'],
    ['no ath', () => withClaims({ ...valid(), ath: undefined }), 'invalid_dpop_proof'],
    ['the ath of another token', () => withClaims({ ...valid(), ath: hashOf('token') }), 'invalid_dpop_proof'],
    ['the token itself as ath', () => withClaims({ ...valid(), ath: token }), 'invalid_dpop_proof'],
    ['the proof of another method', () => withClaims({ ...valid(), htm: 'POST' }), 'invalid_dpop_proof'],
    ['the proof of another route', () => withClaims({ ...valid(), htu: `${url}/api/tenants` }), 'invalid_dpop_proof'],
    ['the proof of another key', () => newProof(url, other, { claims: valid() }), 'invalid_token'],
    ['an old proof', () => withClaims({ ...valid(), iat: seconds(-75) }), 'invalid_dpop_proof'],
  ])('%s is refused', async (_, create, error) => {
    for (const route of [path, '/api/integration/licenses/check']) {
      const proof = await create()
      const { status, challenge } = await callWith(url, route, { scheme: 'DPoP', token, proof })
      expect(status).toBe(401)
      if (route === path) expect(challenge).toContain(`DPoP error="${error}"`)
      else expect(challenge).toContain('DPoP error="invalid_')
    }
  })
})
