import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { isClientId } from '../../applications/clients/rules.ts'
import { findRegistrationToken, type RegistrationToken } from '../../applications/registration-tokens/service.ts'
import type { Ctx } from '../../context.ts'
import { OAuthError } from '../../errors.ts'
import { hashSecret } from '../../lib/secrets.ts'
import { readPresentedToken } from '../dpop/possession.ts'
import { findRegistration, type Registration } from './store.ts'

/** The token of an operator, as it was sent and as it is stored. */
export interface PresentedRegistrationToken {
  text: string
  token: RegistrationToken
}

/**
 * The registration token of the request. Undefined without one, if anybody may register. An invalid one is always
 * refused, because the client expects what the token allows.
 */
export async function requireRegistrationToken(
  ctx: Ctx,
  request: FastifyRequest,
): Promise<PresentedRegistrationToken | undefined> {
  if (request.headers.authorization === undefined) {
    if (ctx.config.clientRegistration === 'open') return undefined
    throw missingToken()
  }
  const text = readBearer(request)
  const token = text === undefined ? undefined : await findRegistrationToken(ctx, text)
  if (text === undefined || !token) throw invalidToken()
  return { text, token }
}

/**
 * The registration of a client, for its registration access token (RFC 7592 §2). Unknown clients, those of operators,
 * disabled ones, and wrong tokens are answered alike.
 */
export async function requireRegistration(
  ctx: Ctx,
  request: FastifyRequest,
  clientId: string,
): Promise<Registration & { accessToken: string }> {
  if (request.headers.authorization === undefined) throw missingToken()
  const accessToken = readBearer(request)
  const registration = isClientId(clientId) ? await findRegistration(ctx.db, clientId) : undefined
  const hash = hashSecret(accessToken ?? '')
  const matches = timingSafeEqual(hash, registration?.accessTokenHash ?? Buffer.alloc(hash.length))
  if (accessToken === undefined || !registration || !matches || registration.disabled) throw invalidToken()
  return { ...registration, accessToken }
}

function readBearer(request: FastifyRequest): string | undefined {
  const presented = readPresentedToken(request)
  return presented?.scheme === 'Bearer' ? presented.token : undefined
}

/** RFC 6750 §3.1: without a token the challenge has no error code. */
const missingToken = () => refuse('Send a token as Authorization: Bearer.', 'Bearer')

export const invalidToken = () => {
  const description = 'The token is not valid.'
  return refuse(description, `Bearer error="invalid_token", error_description="${description}"`)
}

const refuse = (description: string, challenge: string) =>
  new OAuthError('invalid_token', description, { headers: { 'WWW-Authenticate': challenge } })
