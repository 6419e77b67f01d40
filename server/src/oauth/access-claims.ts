import type { Claims } from '../lib/signer.ts'

/** The access token claims that this service reads. `issue-tokens.ts` writes these and others. */
export interface AccessClaims {
  sub: string
  aud: string
  jti: string
  client_id: string
  scope: string
  iat: number
  exp: number
  sid: string | undefined
  tenant_id: string | undefined
  /** The thumbprint of the key that the token is bound to (RFC 9449 §6.1). */
  jkt: string | undefined
  /** The client ids of the claim `act`, the current actor first. Empty for a token that was not exchanged. */
  actors: string[]
  /** The operator who acts as the user: the last actor of the claim `act`. */
  operatorId: string | undefined
}

/** The claim `act` (RFC 8693 §4.1): who acts for the user, and who did so before. */
export type Actor = { sub: string; act?: Actor }

/** How many times in a row a token can be exchanged. */
export const MAX_ACTORS = 5

/** Checks the shape: the signature proves only that this service issued the claims. */
export function toAccessClaims(claims: Claims | undefined): AccessClaims | undefined {
  const { sub, aud, jti, client_id, scope, iat, exp, sid, tenant_id, cnf, act } = claims ?? {}
  const jkt = cnf === undefined ? undefined : (cnf as { jkt?: unknown } | null)?.jkt
  const named = readActors(act)
  // Each exchange adds an actor and a part of the jti. The actor of the first token is an operator.
  const exchanges = typeof jti === 'string' ? jti.split('.').length - 2 : 0
  const actors = named?.slice(0, exchanges)
  const [operatorId] = named?.slice(exchanges) ?? []
  const texts = [sub, aud, jti, client_id, scope, ...(cnf === undefined ? [] : [jkt])].every(
    (claim) => typeof claim === 'string',
  )
  const numbers = [iat, exp].every((claim) => Number.isSafeInteger(claim))
  const isActor =
    actors !== undefined &&
    actors.length === exchanges &&
    (named?.length ?? 0) <= exchanges + 1 &&
    (actors.length === 0 || actors[0] === client_id)
  return texts && numbers && isActor
    ? ({ sub, aud, jti, client_id, scope, iat, exp, sid, tenant_id, jkt, actors, operatorId } as AccessClaims)
    : undefined
}

/** Undefined if the claim is malformed or too deep. */
function readActors(claim: unknown): string[] | undefined {
  const actors: string[] = []
  let act = claim
  while (act !== undefined) {
    const { sub, act: previous } = (act ?? {}) as { sub?: unknown; act?: unknown }
    if (typeof sub !== 'string' || actors.length > MAX_ACTORS) return undefined
    actors.push(sub)
    act = previous
  }
  return actors
}

/** Undefined without actors. */
export const toActClaim = (actors: string[], operatorId?: string): Actor | undefined =>
  [...actors, ...(operatorId === undefined ? [] : [operatorId])].reduceRight<Actor | undefined>(
    (act, sub) => (act ? { sub, act } : { sub }),
    undefined,
  )

export const expiryOf = ({ exp }: AccessClaims) => new Date(exp * 1000)

/** `iat` is rounded down. */
export const earliestIssueTime = ({ iat }: AccessClaims) => new Date(iat * 1000)

/** `iat` is rounded down, so the token was issued before this time. */
export const latestIssueTime = ({ iat }: AccessClaims) => new Date((iat + 1) * 1000)

/** The jti of the token and of those that it was exchanged from. Each begins with the one before. */
export const jtisOf = ({ jti, actors }: AccessClaims): string[] => {
  const parts = jti.split('.')
  return actors.map((_, index) => parts.slice(0, parts.length - 1 - index).join('.')).concat(jti)
}
