import type { Ctx } from '../context.ts'
import { DEFAULT_ALGORITHM, type Signer } from '../lib/signer.ts'
import { toPublicMembers } from './algorithms.ts'
import { parseJws, signJws, verifyJws } from './jws.ts'
import { type KeyRing, openKeyRing, type SigningKey } from './key-ring.ts'
import { findSigningKey, toKeyStates } from './key-states.ts'

/** Signs and verifies tokens with the keys in the database. */
export function createSigner(deps: Pick<Ctx, 'config' | 'db' | 'now' | 'keys' | 'changes'>): Signer {
  const ring = openKeyRing(deps)
  const publish = createKeySetCache()
  return {
    async chooseAlgorithm(wanted) {
      const keys = await ring.keys()
      return wanted.find((algorithm) => findSigningKey(keys, deps.now(), algorithm)) ?? DEFAULT_ALGORITHM
    },
    async sign(type, claims, algorithm = DEFAULT_ALGORITHM) {
      const key = findSigningKey(await ring.keys(), deps.now(), algorithm)
      if (!key) throw new Error(`there is no signing key for ${algorithm} yet`)
      return signJws(type, claims, { kid: key.kid, algorithm, key: key.privateKey() })
    },
    async verify(type, token) {
      const jws = parseJws(type, token)
      const key = jws && (await findKey(ring, jws.kid))
      // An expired ID token is still accepted as a hint. Access tokens expire before their key retires.
      if (!key || (type === 'at+jwt' && isRetired(await ring.keys(), key, deps.now()))) return undefined
      const claims = verifyJws(jws, key)
      return claims?.iss === deps.config.baseUrl ? claims : undefined
    },
    publishedKeys: async () => publish(await ring.keys(), deps.now()),
  }
}

async function findKey(ring: KeyRing, kid: string): Promise<SigningKey | undefined> {
  const has = (key: SigningKey) => key.kid === kid
  // Another node may sign with a key that this node has not read yet.
  return (await ring.keys()).find(has) ?? (await ring.latestKeys()).find(has)
}

const isRetired = (keys: readonly SigningKey[], { kid }: SigningKey, now: Date): boolean =>
  toKeyStates(keys, now).some(({ key, state }) => key.kid === kid && state === 'retired')

/** Caches the serialized JWK Set (RFC 7517 §5) until the keys change or one of them retires. */
function createKeySetCache() {
  let last: { keys: readonly SigningKey[]; until: Date; text: string } | undefined
  return (keys: readonly SigningKey[], now: Date): string => {
    if (!last || last.keys !== keys || now >= last.until) last = toKeySet(keys, now)
    return last.text
  }
}

/** The maximum value of a Date. */
const MAX_DATE_MS = 8.64e15

function toKeySet(keys: readonly SigningKey[], now: Date) {
  const published = toKeyStates(keys, now).filter(({ state }) => state !== 'retired')
  const jwks = published.map(({ key: { kid, algorithm, public_jwk } }) => {
    const { kty, ...members } = toPublicMembers(algorithm, public_jwk)
    return { kty, kid, use: 'sig', alg: algorithm, ...members }
  })
  const until = new Date(Math.min(...published.map(({ retiresAt }) => retiresAt?.getTime() ?? MAX_DATE_MS)))
  return { keys, until, text: JSON.stringify({ keys: jwks }) }
}
