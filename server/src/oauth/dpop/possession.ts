import type { FastifyRequest } from 'fastify'
import { findClient } from '../../applications/clients.ts'
import type { Ctx } from '../../context.ts'
import { OAuthError, type OAuthErrorCode } from '../../errors.ts'
import { readAuthorization } from '../../http/request/authorization.ts'
import type { Exchange } from '../../http/routing/exchange.ts'
import { PROOF_ALGORITHMS } from './keys.ts'
import { offerNonce } from './nonces.ts'
import { readClientProof } from './request-proof.ts'

/** An access token as it was sent. */
export interface PresentedToken {
  scheme: 'Bearer' | 'DPoP'
  token: string
}

/** The access token of the Authorization header, if any. */
export function readPresentedToken(request: FastifyRequest): PresentedToken | undefined {
  const match = /^(bearer|dpop) +([\w.~+/-]+=*) *$/i.exec(readAuthorization(request) ?? '')
  const [, scheme = '', token] = match ?? []
  return token === undefined ? undefined : { scheme: scheme.toLowerCase() === 'dpop' ? 'DPoP' : 'Bearer', token }
}

/** The key of an accepted proof. Some requests are authenticated twice, before and after their body is read. */
const accepted = new WeakMap<FastifyRequest, string>()

/**
 * RFC 9449 §7: a token that is bound to a key must be sent with the scheme DPoP and a proof of this key, and no other
 * token may be. Throws an error with status 401 and a challenge.
 */
export async function requirePossession(
  ctx: Ctx,
  exchange: Exchange,
  { scheme, token, claims }: PresentedToken & { claims: { jkt: string | undefined; client_id: string } },
): Promise<void> {
  const { jkt, client_id } = claims
  if (jkt === undefined && scheme === 'Bearer') return
  if (jkt === undefined) throw refuse('invalid_token', 'The access token is not bound to a key. Send it as Bearer.')
  if (scheme === 'Bearer') throw refuse('invalid_token', 'The access token is bound to a key. Send it as DPoP.')
  const { request } = exchange
  if (accepted.get(request) === jkt) return
  offerNonce(ctx, exchange)
  try {
    const client = await findClient(ctx, client_id)
    if (!client) throw refuse('invalid_token', 'The access token is not valid.')
    const proof = readClientProof(ctx, request, client, token)
    if (!proof) throw refuse('invalid_dpop_proof', 'The request must have a header DPoP with a proof.')
    if (proof.jkt !== jkt) throw refuse('invalid_token', 'The access token is bound to another key.')
    await proof.use()
  } catch (error) {
    throw error instanceof OAuthError ? refuse(error.code, error.message) : error
  }
  accepted.set(request, jkt)
}

const refuse = (code: OAuthErrorCode, description: string) =>
  new OAuthError(code, description, {
    status: 401,
    headers: { 'WWW-Authenticate': dpopChallenge(code, description) },
  })

/** RFC 9449 §7.1. */
export const dpopChallenge = (code: OAuthErrorCode, description: string): string =>
  `DPoP error="${code}", error_description="${description}", algs="${PROOF_ALGORITHMS.join(' ')}"`
