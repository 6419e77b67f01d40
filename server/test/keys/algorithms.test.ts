import { createPrivateKey, createPublicKey, randomUUID, sign } from 'node:crypto'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  describeSigningKeys,
  ensureSigningKeys,
  maintainSigningKeys,
  replaceSigningKeys,
  rotateSigningKeys,
} from '../../src/keys/signing-keys.ts'
import { listSigningKeys } from '../../src/keys/store.ts'
import type { SigningAlgorithm } from '../../src/lib/signer.ts'
import { FULL, rounds } from '../support/rounds.ts'
import { DAY, MINUTE, type Node, type Nodes, openNodes } from './node.ts'

let nodes: Nodes
beforeAll(async () => {
  nodes = await openNodes()
})
afterAll(() => nodes.close())
afterEach(async () => {
  await nodes.db.deleteFrom('token_keys').execute()
  await nodes.db.deleteFrom('applications').where('built_in', '=', false).execute()
})

const FURTHER = ['PS256', 'ES256', 'EdDSA'] as const
const iss = 'http://localhost:3000'
const claims = { iss, sub: 'ann', iat: 1_900_000_000, exp: 1_900_000_900 }

async function useAlgorithm(signing_algorithm: SigningAlgorithm): Promise<void> {
  const id = randomUUID()
  const now = new Date()
  const row = { id, slug: id, name: id, signing_algorithm, created_at: now, updated_at: now }
  await nodes.db.insertInto('applications').values(row).execute()
}

/** A node whose applications use the algorithms, after the keys for them became active. */
async function startWith(...algorithms: SigningAlgorithm[]): Promise<Node> {
  const node = nodes.start()
  for (const algorithm of algorithms) await useAlgorithm(algorithm)
  await nodes.ensureKeys(node)
  nodes.advance(15 * MINUTE)
  return node
}

const keySetOf = async (node: Node) =>
  JSON.parse(await node.signer.publishedKeys()) as { keys: Record<string, string>[] }
const publishedFor = async (node: Node, algorithm: string) =>
  (await keySetOf(node)).keys.filter(({ alg }) => alg === algorithm)
const statesFor = async (node: Node, algorithm: string) =>
  (await describeSigningKeys(node)).filter((key) => key.algorithm === algorithm).map(({ state }) => state)
const countOf = async (algorithm: string) =>
  (await listSigningKeys(nodes.db)).filter((key) => key.algorithm === algorithm).length

const TEXT = expect.stringMatching(/^[\w-]+$/)
const MEMBERS = {
  PS256: { kty: 'RSA', n: TEXT, e: 'AQAB' },
  ES256: { kty: 'EC', crv: 'P-256', x: TEXT, y: TEXT },
  EdDSA: { kty: 'OKP', crv: 'Ed25519', x: TEXT },
}

test.each(FURTHER)('%s: jose verifies the token with the published keys', async (algorithm) => {
  const node = await startWith(algorithm)
  const token = await node.signer.sign('at+jwt', claims, algorithm)
  const [key] = await publishedFor(node, algorithm)
  expect(key).toEqual({ ...MEMBERS[algorithm], kid: TEXT, use: 'sig', alg: algorithm })
  expect(decodeProtectedHeader(token)).toEqual({ alg: algorithm, typ: 'at+jwt', kid: key?.kid })
  const { payload } = await jwtVerify(token, createLocalJWKSet(await keySetOf(node)), {
    algorithms: [algorithm],
    currentDate: new Date(1_900_000_000_000),
  })
  expect(payload).toEqual(claims)
  expect(await nodes.start().signer.verify('at+jwt', token)).toEqual(claims)
  // RS256 goes on for other applications, with another key.
  expect(await publishedFor(node, 'RS256')).toHaveLength(1)
  expect(await node.signer.verify('at+jwt', await node.signer.sign('at+jwt', claims))).toEqual(claims)
})

test('a key is created only for an algorithm that is used, and published before it signs', async () => {
  const node = nodes.start()
  await ensureSigningKeys(node)
  expect((await keySetOf(node)).keys.map(({ alg }) => alg)).toEqual(['RS256'])
  await useAlgorithm('ES256')
  await ensureSigningKeys(node)
  await ensureSigningKeys(node)
  nodes.advance(MINUTE)
  expect(await publishedFor(node, 'ES256')).toHaveLength(1)
  expect(await statesFor(node, 'ES256')).toEqual(['upcoming'])
  nodes.advance(14 * MINUTE - 1)
  expect(await node.signer.chooseAlgorithm(['ES256', 'PS256'])).toBe('RS256')
  await expect(node.signer.sign('JWT', claims, 'ES256')).rejects.toThrow('no signing key for ES256')
  nodes.advance(1)
  expect(await node.signer.chooseAlgorithm(['ES256'])).toBe('ES256')
  expect(await node.signer.chooseAlgorithm(['PS256', 'ES256'])).toBe('ES256')
  expect(await statesFor(node, 'ES256')).toEqual(['signing'])
  expect([await countOf('PS256'), await countOf('EdDSA')]).toEqual([0, 0])
})

test('nodes that need a key at the same time create one', async () => {
  for (const _ of rounds(5)) {
    await nodes.db.deleteFrom('token_keys').execute()
    await useAlgorithm('EdDSA')
    const node = nodes.start()
    await Promise.all(
      Array.from({ length: FULL ? 20 : 4 }, (_, index) =>
        index % 2 === 0 ? ensureSigningKeys(node) : rotateSigningKeys(node, { immediately: false }),
      ),
    )
    expect(await countOf('EdDSA')).toBe(1)
  }
})

test('each algorithm is rotated at the age of its own newest key', async () => {
  const config = { keyRotationDays: 30 }
  const node = await startWith()
  nodes.advance(20 * DAY)
  await useAlgorithm('ES256')
  const started = nodes.start({ config })
  await maintainSigningKeys(started)
  nodes.advance(10 * DAY)
  await maintainSigningKeys(started)
  expect([await statesFor(node, 'RS256'), await statesFor(node, 'ES256')]).toEqual([
    ['upcoming', 'signing'],
    ['signing'],
  ])
  const old = await started.signer.sign('JWT', claims, 'ES256')
  nodes.advance(20 * DAY)
  await maintainSigningKeys(started)
  expect(await statesFor(node, 'ES256')).toEqual(['upcoming', 'signing'])
  nodes.advance(15 * MINUTE)
  const next = await nodes.start().signer.sign('JWT', claims, 'ES256')
  expect(decodeProtectedHeader(next).kid).not.toBe(decodeProtectedHeader(old).kid)
  expect(await nodes.start().signer.verify('JWT', old)).toEqual(claims)
})

test('a rotation covers every algorithm in use', async () => {
  const node = await startWith('ES256', 'EdDSA')
  nodes.advance(MINUTE)
  const rotations = await rotateSigningKeys(node, { immediately: true })
  expect(rotations.map(({ algorithm, isNew }) => [algorithm, isNew])).toEqual([
    ['RS256', true],
    ['ES256', true],
    ['EdDSA', true],
  ])
  for (const algorithm of ['RS256', 'ES256', 'EdDSA'])
    expect(await statesFor(node, algorithm)).toEqual(['signing', 'published'])
})

test('after a leak no earlier key is left, also of an algorithm that is not used any more', async () => {
  const node = await startWith('ES256', 'PS256')
  const tokens = await Promise.all(
    (['RS256', 'ES256', 'PS256'] as const).map((algorithm) => node.signer.sign('at+jwt', claims, algorithm)),
  )
  await nodes.db.deleteFrom('applications').where('signing_algorithm', '=', 'PS256').execute()
  const replaced = await replaceSigningKeys(node)
  expect(replaced.map(({ algorithm }) => algorithm)).toEqual(['RS256', 'ES256'])
  const other = nodes.start()
  for (const token of tokens) expect(await other.signer.verify('at+jwt', token)).toBeUndefined()
  expect((await keySetOf(other)).keys.map(({ kid }) => kid).sort()).toEqual(replaced.map(({ kid }) => kid).sort())
  expect(await other.signer.chooseAlgorithm(['ES256'])).toBe('ES256')
  expect(await other.signer.chooseAlgorithm(['PS256'])).toBe('RS256')
})

test('an earlier program, which knows only RS256, sees and creates only such keys', async () => {
  const node = await startWith('ES256')
  const before = await node.signer.sign('JWT', claims, 'ES256')
  const { rows } = await sql<{ kid: string }>`select * from signing_keys order by activates_at desc`.execute(nodes.db)
  expect(rows.map(({ kid }) => kid)).toEqual((await publishedFor(node, 'RS256')).map(({ kid }) => kid))
  await sql`
    insert into signing_keys (kid, public_jwk, sealed_private_key, created_at, activates_at)
    select 'next', public_jwk, sealed_private_key, created_at, activates_at + interval '1 minute' from signing_keys
  `.execute(nodes.db)
  expect(await countOf('RS256')).toBe(2)
  await sql`update signing_keys set sealed_private_key = null where kid = 'next'`.execute(nodes.db)
  await sql`delete from signing_keys`.execute(nodes.db)
  expect([await countOf('RS256'), await countOf('ES256')]).toEqual([0, 1])
  expect(await nodes.start().signer.verify('JWT', before)).toEqual(claims)
})

describe('a token is accepted only with the algorithm of the key that its kid names', () => {
  const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const PSS = { padding: 6, saltLength: -1 }
  const P1363 = { dsaEncoding: 'ieee-p1363' } as const

  async function open() {
    const node = await startWith(...FURTHER)
    const keys = new Map(
      (await listSigningKeys(nodes.db)).map(({ algorithm, kid, sealed_private_key, public_jwk }) => [
        algorithm,
        {
          kid,
          key: createPrivateKey(nodes.sealer.unseal('signing-key', sealed_private_key ?? Buffer.alloc(0))),
          publicKey: createPublicKey({ key: public_jwk, format: 'jwk' }),
        },
      ]),
    )
    const get = (algorithm: SigningAlgorithm) => {
      const key = keys.get(algorithm)
      if (!key) throw new Error(`no key for ${algorithm}`)
      return key
    }
    const input = (alg: string, kid: string) => `${base64url({ alg, typ: 'at+jwt', kid })}.${base64url(claims)}`
    const signWith = (text: string, by: SigningAlgorithm, options: object = {}) => {
      const hash = by === 'EdDSA' ? null : 'sha256'
      return `${text}.${sign(hash, Buffer.from(text), { key: get(by).key, ...options }).toString('base64url')}`
    }
    const verifies = async (token: string) => (await node.signer.verify('at+jwt', token)) !== undefined
    return { get, input, signWith, verifies }
  }

  test('every pair of a header and a kid', async () => {
    const { get, input, signWith, verifies } = await open()
    const optionsOf = { RS256: {}, PS256: PSS, ES256: P1363, EdDSA: {} }
    for (const header of ['RS256', ...FURTHER] as const) {
      for (const named of ['RS256', ...FURTHER] as const) {
        const text = input(header, get(named).kid)
        const isRight = header === named
        expect(await verifies(signWith(text, named, optionsOf[named])), `${header} with the kid of ${named}`).toBe(
          isRight,
        )
        // The signature is right for the header, but by the key of another kid.
        if (!isRight) expect(await verifies(signWith(text, header, optionsOf[header]))).toBe(false)
      }
    }
    // The RSA key of RS256 as a key for PS256.
    expect(await verifies(signWith(input('PS256', get('RS256').kid), 'RS256', PSS))).toBe(false)
    expect(await verifies(signWith(input('RS256', get('PS256').kid), 'PS256'))).toBe(false)
    expect(await verifies(signWith(input('PS256', get('PS256').kid), 'PS256'))).toBe(false)
    expect(await verifies(signWith(input('PS256', get('PS256').kid), 'PS256', { ...PSS, saltLength: 20 }))).toBe(false)
  })

  test('HMAC with a public key as the secret, and no signature', async () => {
    const { get, input, verifies } = await open()
    for (const algorithm of ['RS256', ...FURTHER] as const) {
      const { kid, publicKey } = get(algorithm)
      const [pem, der] = [{ type: 'spki', format: 'pem' } as const, { type: 'spki', format: 'der' } as const]
      for (const secret of [Buffer.from(publicKey.export(pem)), publicKey.export(der)]) {
        const token = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid }).sign(secret)
        expect(await verifies(token)).toBe(false)
      }
      for (const none of ['none', 'None', 'NONE', '']) {
        expect(await verifies(`${input(none, kid)}.`)).toBe(false)
        expect(await verifies(`${input(none, kid)}.AA`)).toBe(false)
      }
      expect(await verifies(`${input(algorithm, kid)}.AA`)).toBe(false)
    }
  })

  test('ES256 signatures of zeros, in DER, or of another length', async () => {
    const { get, input, signWith, verifies } = await open()
    const text = input('ES256', get('ES256').kid)
    expect(await verifies(signWith(text, 'ES256', P1363))).toBe(true)
    expect(await verifies(signWith(text, 'ES256'))).toBe(false)
    expect(await verifies(`${text}.${Buffer.alloc(64).toString('base64url')}`)).toBe(false)
    expect(await verifies(`${signWith(text, 'ES256', P1363)}AA`)).toBe(false)
    // RFC 8037 §3.1 registers EdDSA; its later name is not the one of our key.
    expect(await verifies(signWith(input('Ed25519', get('EdDSA').kid), 'EdDSA'))).toBe(false)
  })
})
