import type { KeyObject } from 'node:crypto'
import { compactVerify } from 'jose'
import type { Client } from '../../applications/clients.ts'
import type { Ctx } from '../../context.ts'
import { type Jwk, mayVerify, thumbprintOf, toKeyObject } from '../../lib/public-keys.ts'
import { fingerprintOf } from '../../lib/secrets.ts'
import { getFetchedKeys } from './fetched-keys.ts'
import type { DecodedJwt, JwtHeader, JwtProblem } from './jwt.ts'

/** Verifies the signature with a key of the client. Returns the id of the credential (see `credentialIdsOf`). */
export async function verifySignature(
  ctx: Ctx,
  client: Client,
  { text, header }: { text: DecodedJwt['text']; header: JwtHeader },
): Promise<{ credentialId: string } | JwtProblem> {
  const { jwks, jwksUri, origin } = client
  const isWanted = (key: Jwk) => mayVerify(key, header.alg) && (header.kid === undefined || key.kid === header.kid)
  const keys = jwksUri === null ? (jwks?.keys ?? []) : await getFetchedKeys(ctx, { jwksUri, origin }, isWanted)
  const [key, ...others] = keys.filter(isWanted)
  const facts = { algorithm: header.alg, kid: header.kid, keys: keys.map(({ kid }) => kid ?? 'without a kid') }
  if (!key) return { problem: 'unknown_key', ...facts }
  // OpenID Connect Core §10.1: with several keys the header must name one.
  if (others.length > 0) return { problem: 'ambiguous_key', ...facts }
  if (!(await isSignedBy(text, key, header))) return { problem: 'wrong_signature', ...facts }
  return { credentialId: jwksUri === null ? thumbprintOf(key) : fingerprintOf(jwksUri) }
}

async function isSignedBy(text: string, key: Jwk, { alg }: JwtHeader): Promise<boolean> {
  try {
    await compactVerify(text, loadKey(key), { algorithms: [alg] })
    return true
  } catch {
    return false
  }
}

const loadedKeys = new WeakMap<Jwk, KeyObject>()

function loadKey(jwk: Jwk): KeyObject {
  const loaded = loadedKeys.get(jwk) ?? toKeyObject(jwk)
  if (!loaded) throw new Error('not a valid key')
  loadedKeys.set(jwk, loaded)
  return loaded
}
