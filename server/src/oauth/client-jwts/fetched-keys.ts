import { outgoingNetworks } from '../../applications/clients/authentication-rules.ts'
import type { Ctx } from '../../context.ts'
import type { ClientOrigin } from '../../db/tables.ts'
import { createFetchCache, type FetchCache, UnusableResponse } from '../../lib/outgoing/fetch-cache.ts'
import { findPublicKeyProblem, type Jwk } from '../../lib/public-keys.ts'

const MAX_BYTES = 64 * 1024
/** Of one client. Each costs time when it is fetched, and memory. */
const MAX_KEYS = 50
/** More key sets of clients that no administrator registered are not fetched at the same time. */
const MAX_PENDING = 20

interface Caches {
  admin: FetchCache<Jwk[]>
  outside: FetchCache<Jwk[]>
}

const caches = new WeakMap<Ctx, Caches>()

/** A client of a stranger must not change what is cached for the clients of administrators, even at the same address. */
function cacheOf(ctx: Ctx, origin: ClientOrigin): FetchCache<Jwk[]> {
  const known = caches.get(ctx) ?? { admin: createCache(ctx, 'ADMIN'), outside: createCache(ctx, 'REGISTRATION') }
  caches.set(ctx, known)
  return origin === 'ADMIN' ? known.admin : known.outside
}

const createCache = (ctx: Ctx, origin: ClientOrigin): FetchCache<Jwk[]> =>
  createFetchCache<Jwk[]>({
    config: outgoingNetworks(ctx.config, origin),
    ...(origin !== 'ADMIN' && { maxPending: MAX_PENDING }),
    now: () => ctx.now(),
    accept: 'application/jwk-set+json, application/json',
    maxBytes: MAX_BYTES,
    parse: parseKeys,
    onFailure(error, jwksUri) {
      ctx.log.warn({ err: error, jwksUri }, 'the keys of a client cannot be fetched')
      return []
    },
  })

/**
 * The public keys that a client publishes. They are fetched again when they are too old, and once when the wanted key is
 * not among them: the client may have a new one. Empty if they cannot be fetched.
 */
export const getFetchedKeys = (
  ctx: Ctx,
  { jwksUri, origin }: { jwksUri: string; origin: ClientOrigin },
  isWanted: (key: Jwk) => boolean,
): Promise<Jwk[]> => cacheOf(ctx, origin).get(jwksUri, (keys) => keys.some(isWanted))

function parseKeys(body: Buffer): Jwk[] {
  const set = JSON.parse(body.toString('utf8')) as { keys?: unknown } | null
  if (!Array.isArray(set?.keys)) throw new UnusableResponse('is not a JWK Set')
  // Keys for other purposes may be published in the same place.
  const keys = (set.keys.slice(0, MAX_KEYS) as unknown[]).filter(
    (key) => findPublicKeyProblem(key, { allowUnknownMembers: true }) === undefined,
  )
  return keys.map((key) => pickReadMembers(key as Jwk))
}

/** The members that are read later. Others, such as certificates, may be long. */
const pickReadMembers = ({ kty, crv, x, y, n, e, kid, alg }: Jwk): Jwk => ({ kty, crv, x, y, n, e, kid, alg })
