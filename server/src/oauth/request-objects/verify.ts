import { type Client, hasKeys, mayUseAlgorithm } from '../../applications/clients.ts'
import type { Ctx } from '../../context.ts'
import {
  checkHeader,
  decodeJwt,
  findTimeProblem,
  isTime,
  type JsonObject,
  type JwtProblem,
  toFact,
} from '../client-jwts/jwt.ts'
import { verifySignature } from '../client-jwts/keys.ts'

/** The type of RFC 9101 §10.8.1, and that of any JWT: OpenID Connect Core §6.1 names no type. */
const TYPES = ['oauth-authz-req+jwt', 'jwt']

/** FAPI 2.0 Message Signing: after nbf. */
const MAX_LIFETIME_SECONDS = 3600

/** A request object that the client signed. */
export interface SignedRequest {
  claims: JsonObject
  /** What is wrong with the claims. */
  claimsProblem: JwtProblem | undefined
}

/** Whether the client may send request objects: those of others cannot be verified. */
export const maySignRequests = (client: Client): boolean => client.kind !== 'MACHINE' && hasKeys(client)

/** Verifies a request object (RFC 9101 §6, OpenID Connect Core §6.3). */
export async function verifyRequestObject(ctx: Ctx, client: Client, text: string): Promise<SignedRequest | JwtProblem> {
  // RFC 7516 §3.1: an encrypted JWT has five parts.
  if (text.split('.', 6).length === 5) return { problem: 'encrypted' }
  const decoded = decodeJwt(text)
  if (!decoded) return { problem: 'malformed' }
  const header = checkHeader(decoded.header, TYPES)
  if ('problem' in header) return header
  if (!mayUseAlgorithm(client, header.alg)) return { problem: 'wrong_algorithm', algorithm: header.alg }
  const verified = await verifySignature(ctx, client, { text, header })
  if ('problem' in verified) return verified
  const { claims } = decoded
  return { claims, claimsProblem: findProblem(ctx, client, claims) }
}

function findProblem(ctx: Ctx, client: Client, claims: JsonObject): JwtProblem | undefined {
  const { iss, sub, aud, client_id } = claims
  const { baseUrl: issuer } = ctx.config
  if (iss !== client.clientId) return { problem: 'wrong_issuer', issuer: toFact(iss) }
  if (client_id !== client.clientId) return { problem: 'other_client_id', objectClientId: toFact(client_id) }
  // RFC 9101 §10.8: an assertion that authenticates the client is no request.
  if (sub === client.clientId) return { problem: 'is_an_assertion' }
  if (![aud].flat().includes(issuer)) return { problem: 'wrong_audience', audience: toFact(aud), expected: issuer }
  // RFC 9101 §4.
  const nested = ['request', 'request_uri'].find((name) => claims[name] !== undefined)
  if (nested !== undefined) return { problem: `has_${nested}` }
  return (
    findTimeProblem(claims, { now: ctx.now(), maxSeconds: MAX_LIFETIME_SECONDS }) ?? findLifetimeProblem(client, claims)
  )
}

/** The time between nbf and exp is limited, so that a request object cannot be made long before it is used. */
function findLifetimeProblem({ requireSignedRequests }: Client, { exp, nbf, iat }: JsonObject): JwtProblem | undefined {
  if (requireSignedRequests && nbf === undefined) return { problem: 'no_nbf' }
  const start = nbf ?? iat
  const isTooLong = isTime(start) && Number(exp) - start > MAX_LIFETIME_SECONDS
  return isTooLong ? { problem: 'lifetime_too_long', expiry: exp, start } : undefined
}
