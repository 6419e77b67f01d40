import type { Ctx } from '../../context.ts'
import type { GrantRow } from './store.ts'

const MOST = 20_000

interface Recent {
  /** By the hash of the token. */
  grants: Map<string, GrantRow>
  /** By the id of the grant. */
  hashes: Map<string, string>
}

/**
 * What hung on the refresh tokens that were given out here, as it was then; of each grant, on the last one. Whoever
 * comes back with one saves the look into six tables: the statement that uses the token up checks that nothing of it
 * has changed, and if something has, or another node gave the token out, it is looked up as ever.
 */
const recent = new WeakMap<Ctx, Recent>()

function recentOf(ctx: Ctx): Recent {
  const known = recent.get(ctx) ?? { grants: new Map(), hashes: new Map() }
  recent.set(ctx, known)
  return known
}

export function rememberGrant(ctx: Ctx, hash: Buffer, grant: GrantRow): void {
  const known = recentOf(ctx)
  const key = hash.toString('base64url')
  // A token before may have been used at another node.
  forget(known, known.hashes.get(grant.id))
  known.grants.set(key, grant)
  known.hashes.set(grant.id, key)
  // A map keeps what it was given in order: the first was given out before all others.
  const [oldest] = known.grants.size > MOST ? known.grants.keys() : []
  forget(known, oldest)
}

/** Given once: a token is good once. */
export function takeGrant(ctx: Ctx, hash: Buffer): GrantRow | undefined {
  return forget(recentOf(ctx), hash.toString('base64url'))
}

function forget({ grants, hashes }: Recent, key: string | undefined): GrantRow | undefined {
  const grant = key === undefined ? undefined : grants.get(key)
  if (key === undefined || !grant) return undefined
  grants.delete(key)
  hashes.delete(grant.id)
  return grant
}

/** How many are known here. */
export const countRecent = (ctx: Ctx): number => recentOf(ctx).grants.size
