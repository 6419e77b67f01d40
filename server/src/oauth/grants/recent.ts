import type { Ctx } from '../../context.ts'
import type { GrantRow } from './store.ts'

const MOST = 20_000

/**
 * What hung on the refresh tokens that were given out here, as it was then. Whoever comes back with one saves the
 * look into six tables: the statement that uses the token up checks that nothing of it has changed, and if
 * something has, or another node gave the token out, it is looked up as ever.
 */
const recent = new WeakMap<Ctx, Map<string, GrantRow>>()

function recentOf(ctx: Ctx): Map<string, GrantRow> {
  const known = recent.get(ctx) ?? new Map<string, GrantRow>()
  recent.set(ctx, known)
  return known
}

export function rememberGrant(ctx: Ctx, hash: Buffer, grant: GrantRow): void {
  const known = recentOf(ctx)
  known.set(hash.toString('base64url'), grant)
  // A map keeps what it was given in order: the first was given out before all others.
  const [oldest] = known.size > MOST ? known.keys() : []
  if (oldest !== undefined) known.delete(oldest)
}

/** Given once: a token is good once. */
export function takeGrant(ctx: Ctx, hash: Buffer): GrantRow | undefined {
  const key = hash.toString('base64url')
  const grant = recentOf(ctx).get(key)
  if (grant) recentOf(ctx).delete(key)
  return grant
}
