import type { Ctx } from '../context.ts'
import { whenThere } from '../lib/eventual.ts'
import { restOn, restUntil } from '../lib/grounds.ts'
import type { Signer } from '../lib/signer.ts'
import { openJws, readJws, signJws } from './jws.ts'
import { KEYS, type KeyRing, openKeyRing, type SigningKey } from './key-ring.ts'
import { findSigning, placeInTime } from './timeline.ts'

/** Signs and recognises tokens with the keys of the database. */
export function createSigner(deps: Pick<Ctx, 'config' | 'db' | 'now' | 'keys' | 'changes'>): Signer {
  const ring = openKeyRing(deps)
  const publish = createPublisher(deps.changes)
  return {
    async sign(type, claims) {
      const key = findSigning(await ring.keys(), deps.now())
      if (!key) throw new Error('there is no signing key yet')
      return signJws(type, claims, key.kid, key.privateKey())
    },
    async verify(type, token) {
      const jws = readJws(type, token)
      const key = jws && (await findKey(ring, jws.kid))
      // An ID token may come back long after it expired; no access token lives as long as its key is published.
      if (!key || (type === 'at+jwt' && isRetired(await ring.keys(), key, deps.now()))) return undefined
      const claims = openJws(jws, key.publicKey)
      return claims?.iss === deps.config.baseUrl ? claims : undefined
    },
    publishedKeys: () => whenThere(ring.keys(), (keys) => publish(keys, deps.now())),
  }
}

async function findKey(ring: KeyRing, kid: string): Promise<SigningKey | undefined> {
  const has = (key: SigningKey) => key.kid === kid
  // Another node may have begun to sign with a key that we have not heard of yet.
  return (await ring.keys()).find(has) ?? (await ring.latestKeys()).find(has)
}

const isRetired = (keys: readonly SigningKey[], { kid }: SigningKey, now: Date): boolean =>
  placeInTime(keys, now).some(({ key, state }) => key.kid === kid && state === 'retired')

/** The JWK Set as text (RFC 7517 §5), written anew when there are other keys or one of them retires. */
function createPublisher(changes: Ctx['changes']) {
  let last: { keys: readonly SigningKey[]; until: Date; text: string; isGone: boolean } | undefined
  changes.subscribe((subject) => {
    if (last && (subject === undefined || subject === KEYS)) last.isGone = true
  })
  return (keys: readonly SigningKey[], now: Date): string => {
    if (!last || last.keys !== keys || now >= last.until) last = { ...publishedOf(keys, now), isGone: false }
    restOn(last)
    restUntil(last.until)
    return last.text
  }
}

/** Later than anything that is known to happen. */
const NEVER = 8.64e15

function publishedOf(keys: readonly SigningKey[], now: Date) {
  const shown = placeInTime(keys, now).filter(({ state }) => state !== 'retired')
  const jwks = shown.map(({ key: { kid, public_jwk } }) => {
    const { kty, n, e } = public_jwk
    return { kty, kid, use: 'sig', alg: 'RS256', n, e }
  })
  const until = new Date(Math.min(...shown.map(({ retiresAt }) => retiresAt?.getTime() ?? NEVER)))
  return { keys, until, text: JSON.stringify({ keys: jwks }) }
}
