import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ensureSigningKeys } from '../../src/keys/signing-keys.ts'
import { listSigningKeys } from '../../src/keys/store.ts'
import { type Node, type Nodes, openNodes } from './node.ts'

let nodes: Nodes
let node: Node
let kid: string
let privateKey: KeyObject
const iss = 'http://localhost:3000'
const claims = { iss, sub: 'ann', aud: 'app', iat: 1_900_000_000, exp: 1_900_000_900 }

beforeAll(async () => {
  nodes = await openNodes()
  node = nodes.start()
  await ensureSigningKeys(node)
  const [key] = await listSigningKeys(nodes.db)
  kid = key?.kid ?? ''
  privateKey = createPrivateKey(nodes.sealer.unseal('signing-key', key?.sealed_private_key ?? Buffer.alloc(0)))
})
afterAll(() => nodes.close())

const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Signs any header and payload, which no library would. */
function forge(header: object, payload: unknown = claims, key: KeyObject = privateKey, hash = 'sha256'): string {
  const signed = `${base64url(header)}.${base64url(payload)}`
  return `${signed}.${sign(hash, Buffer.from(signed), key).toString('base64url')}`
}
const ours = () => ({ alg: 'RS256', typ: 'at+jwt', kid })

test('a token verifies with the published keys in another library, and contains its claims', async () => {
  const token = await node.signer.sign('at+jwt', claims)
  const jwks = JSON.parse(await node.signer.publishedKeys())
  expect(jwks).toEqual({
    keys: [{ kty: 'RSA', kid, use: 'sig', alg: 'RS256', n: expect.any(String), e: 'AQAB' }],
  })
  const { payload } = await jwtVerify(token, createLocalJWKSet(jwks), {
    algorithms: ['RS256'],
    typ: 'at+jwt',
    issuer: iss,
    currentDate: new Date(1_900_000_000_000),
  })
  expect(payload).toEqual(claims)
  expect(decodeProtectedHeader(token)).toEqual({ alg: 'RS256', typ: 'at+jwt', kid })
  expect(await node.signer.verify('at+jwt', token)).toEqual(claims)
  const [key] = jwks.keys
  expect(Buffer.from(key.n, 'base64url').length).toBeGreaterThanOrEqual(256)
})

test('an ID token is not accepted as an access token, nor the reverse', async () => {
  const access = await node.signer.sign('at+jwt', claims)
  const id = await node.signer.sign('JWT', claims)
  expect(await node.signer.verify('JWT', id)).toEqual(claims)
  expect(await node.signer.verify('JWT', access)).toBeUndefined()
  expect(await node.signer.verify('at+jwt', id)).toBeUndefined()
  expect(await node.signer.verify('at+jwt', forge({ ...ours(), typ: 'AT+JWT' }))).toEqual(claims)
  expect(await node.signer.verify('JWT', forge({ ...ours(), typ: 'AT+JWT' }))).toBeUndefined()
})

test('expiry is not checked by verify', async () => {
  const old = await node.signer.sign('JWT', { ...claims, iat: 1, nbf: 4_000_000_000, exp: 2 })
  expect(await node.signer.verify('JWT', old)).toMatchObject({ exp: 2 })
})

test.each<[string, () => string | Promise<string>]>([
  ['no algorithm', () => new UnsecuredJWT(claims).setIssuer(iss).encode()],
  ['alg none under our header', () => `${base64url({ ...ours(), alg: 'none' })}.${base64url(claims)}.`],
  [
    'HS256 with the public key as the secret',
    () => {
      const pem = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' })
      return new SignJWT(claims).setProtectedHeader({ ...ours(), alg: 'HS256' }).sign(Buffer.from(pem))
    },
  ],
  ['RS512 of our own key', () => forge({ ...ours(), alg: 'RS512' }, claims, privateKey, 'sha512')],
  ['RS256 in the header and an RS512 signature', () => forge(ours(), claims, privateKey, 'sha512')],
  ['another key under our kid', () => forge(ours(), claims, stranger.privateKey)],
  ['another key under an unknown kid', () => forge({ ...ours(), kid: 'other' }, claims, stranger.privateKey)],
  ['our key under an unknown kid', () => forge({ ...ours(), kid: 'other' })],
  ['a kid in another case', () => forge({ ...ours(), kid: kid.toUpperCase() })],
  ['a kid that is not a string', () => forge({ ...ours(), kid: [kid] })],
  ['no kid', () => forge({ alg: 'RS256', typ: 'at+jwt' })],
  ['no typ', () => forge({ alg: 'RS256', kid })],
  [
    'an embedded key',
    () => forge({ ...ours(), jwk: stranger.publicKey.export({ format: 'jwk' }) }, claims, stranger.privateKey),
  ],
  ['an embedded key beside our own signature', () => forge({ ...ours(), jwk: {} })],
  ['a key address', () => forge({ ...ours(), jku: 'https://evil.test/jwks' })],
  ['a certificate', () => forge({ ...ours(), x5c: ['MIIB'] })],
  ['a certificate address', () => forge({ ...ours(), x5u: 'https://evil.test/x5u' })],
  ['crit', () => forge({ ...ours(), crit: ['exp'] })],
  ['b64', () => forge({ ...ours(), b64: false })],
  ['another issuer', () => forge(ours(), { ...claims, iss: 'https://other.test' })],
  ['no issuer', () => forge(ours(), { sub: 'ann' })],
  ['a list of issuers', () => forge(ours(), { ...claims, iss: [iss] })],
  ['claims that are a list', () => forge(ours(), [claims])],
  ['claims that are null', () => forge(ours(), null)],
  ['a header that is a list', () => forge(['RS256', 'at+jwt', kid])],
  ['a truncated signature', () => forge(ours()).slice(0, -4)],
  ['changed claims', () => forge(ours()).replace(/\.[^.]+\./, `.${base64url({ ...claims, sub: 'eve' })}.`)],
  ['four parts', () => `${forge(ours())}.x`],
  ['white space', () => ` ${forge(ours())}`],
  ['a line end', () => `${forge(ours())}\n`],
  ['padding', () => `${forge(ours())}==`],
  ['an empty string', () => ''],
  ['dots', () => '..'],
  ['text', () => 'not a token'],
  ['more than 16 KiB', () => forge(ours(), { ...claims, pad: 'x'.repeat(17_000) })],
])('refused: %s', async (_what, make) => {
  expect(await node.signer.verify('at+jwt', await make())).toBeUndefined()
})

test('the event loop is not blocked while 200 tokens are signed', async () => {
  let turns = 0
  let done = false
  const turn = () => {
    turns += 1
    if (!done) setImmediate(turn)
  }
  setImmediate(turn)
  await Promise.all(Array.from({ length: 200 }, () => node.signer.sign('at+jwt', claims)))
  done = true
  // If signing blocked the event loop, there would be only a few turns.
  expect(turns).toBeGreaterThan(20)
})

test('private keys are encrypted in the table', async () => {
  const [row] = await listSigningKeys(nodes.db)
  const sealed = row?.sealed_private_key?.toString('latin1') ?? ''
  expect(sealed).not.toContain('PRIVATE KEY')
  const { d } = privateKey.export({ format: 'jwk' })
  expect(sealed).not.toContain(Buffer.from(d ?? '', 'base64url').toString('latin1'))
  expect(Object.keys(row?.public_jwk ?? {}).sort()).toEqual(['e', 'kty', 'n'])
})
