import type { FastifyRequest } from 'fastify'
import { type Client, findClient, mayUseAlgorithm } from '../../applications/clients.ts'
import type { Ctx } from '../../context.ts'
import { hashSecret } from '../../lib/secrets.ts'
import { checkHeader, type DecodedJwt, decodeJwt, type JwtProblem } from '../client-jwts/jwt.ts'
import { verifySignature } from '../client-jwts/keys.ts'
import { invalidClient, type Refusal, recordFailure, refuseWhenBlocked } from '../client-refusals.ts'
import { checkClaims } from './claims.ts'
import { insertUsedAssertion } from './store.ts'

/** The parameters of RFC 7521 §4.2. */
export interface AssertionForm {
  client_id?: string | undefined
  client_assertion?: string | undefined
  client_assertion_type?: string | undefined
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
/** Other kinds of signed JWT must not pass as an assertion. */
const TYPES = ['jwt', 'client-authentication+jwt']

export const hasAssertion = ({ client_assertion, client_assertion_type }: AssertionForm): boolean =>
  client_assertion !== undefined || client_assertion_type !== undefined

/**
 * Authenticates a client by an assertion that its key signed: private_key_jwt (RFC 7523, OpenID Connect Core §9). The
 * caller is not told what is wrong with an assertion; the log is.
 */
export async function authenticateByAssertion(
  ctx: Ctx,
  request: FastifyRequest,
  form: AssertionForm,
): Promise<{ client: Client; credentialId: string }> {
  const decoded = readAssertion(form)
  const client = 'problem' in decoded ? undefined : await findClient(ctx, String(decoded.claims.sub))
  refuseWhenBlocked(ctx, request, client)
  const result = 'problem' in decoded ? decoded : await verifyAssertion(ctx, client, decoded)
  if (client && !('problem' in result)) return { client, credentialId: result.credentialId }
  await recordFailure(ctx, request, { client, reason: reasonOf(client) })
  // An id that does not exist may be a secret in the wrong field.
  const facts = { ...(client && { clientId: client.clientId }), ...('problem' in result && result) }
  throw invalidClient(false, { status: 401, ...facts })
}

const reasonOf = (client: Client | undefined): Refusal['reason'] => {
  if (!client) return 'unknown_client'
  return client.tokenEndpointAuthMethod === 'private_key_jwt' ? 'wrong_assertion' : 'wrong_method'
}

/** The assertion, if it names one client. Nothing else of it is checked. */
function readAssertion(form: AssertionForm): DecodedJwt | JwtProblem {
  const { client_id, client_assertion: text, client_assertion_type: type } = form
  if (type !== ASSERTION_TYPE) return { problem: 'wrong_assertion_type', assertionType: type }
  if (text === undefined) return { problem: 'no_assertion' }
  const decoded = decodeJwt(text)
  if (!decoded) return { problem: 'malformed_assertion' }
  const { iss, sub } = decoded.claims
  if (typeof sub !== 'string') return { problem: 'no_subject' }
  if (iss !== sub) return { problem: 'wrong_issuer' }
  return client_id === undefined || client_id === sub ? decoded : { problem: 'other_client_id' }
}

async function verifyAssertion(
  ctx: Ctx,
  client: Client | undefined,
  { text, header, claims }: DecodedJwt,
): Promise<{ credentialId: string } | JwtProblem> {
  if (!client) return { problem: 'unknown_client' }
  if (client.tokenEndpointAuthMethod !== 'private_key_jwt') return { problem: 'wrong_method' }
  const checkedHeader = checkHeader(header, TYPES)
  if ('problem' in checkedHeader) return checkedHeader
  if (!mayUseAlgorithm(client, checkedHeader.alg)) return { problem: 'wrong_algorithm', algorithm: checkedHeader.alg }
  const usedOnce = checkClaims(claims, { issuer: ctx.config.baseUrl, now: ctx.now() })
  if ('problem' in usedOnce) return usedOnce
  const verified = await verifySignature(ctx, client, { text, header: checkedHeader })
  if ('problem' in verified) return verified
  // Last, so that only the client itself can use up a jti.
  const hash = hashSecret(`${client.id}:${usedOnce.jti}`)
  if (await insertUsedAssertion(ctx.db, { hash, expires_at: usedOnce.expiresAt })) return verified
  return { problem: 'used_before' }
}
