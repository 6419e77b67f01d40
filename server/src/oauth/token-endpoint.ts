import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import type { ClientKind } from '../db/tables.ts'
import { OAuthError } from '../errors.ts'
import { authenticateClient, type TokenRequester } from './client-auth.ts'
import { invalidProof } from './dpop/proof.ts'
import { readClientProof } from './dpop/request-proof.ts'
import { exchangeCode } from './grants/authorization-code.ts'
import { grantClientCredentials } from './grants/client-credentials.ts'
import { exchangeDeviceCode } from './grants/device-code.ts'
import { refresh } from './grants/refresh-token.ts'
import { exchangeToken } from './grants/token-exchange.ts'
import { countTokenRequest } from './metrics.ts'
import { loggingRefusals } from './refusals.ts'
import { DEVICE_CODE_GRANT, TOKEN_EXCHANGE_GRANT, type TokenForm, type TokenResponse } from './schema.ts'

interface Grant {
  kinds: ClientKind[]
  exchange(ctx: Ctx, requester: TokenRequester, form: TokenForm): Promise<TokenResponse>
}

const GRANTS = new Map<string, Grant>([
  ['authorization_code', { kinds: ['SPA', 'WEB'], exchange: exchangeCode }],
  ['refresh_token', { kinds: ['SPA', 'WEB'], exchange: refresh }],
  [DEVICE_CODE_GRANT, { kinds: ['SPA', 'WEB'], exchange: exchangeDeviceCode }],
  [TOKEN_EXCHANGE_GRANT, { kinds: ['WEB', 'MACHINE'], exchange: exchangeToken }],
  ['client_credentials', { kinds: ['MACHINE'], exchange: grantClientCredentials }],
])

/** The token endpoint. Checks that apply to every grant type are made here. */
export const answerTokenRequest = (ctx: Ctx, request: FastifyRequest, form: TokenForm): Promise<TokenResponse> =>
  loggingRefusals(request, form.client_id, () =>
    countTokenRequest(ctx, form.grant_type, () => exchange(ctx, request, form)),
  )

async function exchange(ctx: Ctx, request: FastifyRequest, form: TokenForm): Promise<TokenResponse> {
  // RFC 6749 §2.3.1: credentials must not be in the URL, where logs and proxies see them.
  if (request.url.includes('?')) {
    throw new OAuthError('invalid_request', 'The parameters belong in the body.')
  }
  if (form.grant_type === undefined) {
    throw new OAuthError('invalid_request', 'The parameter grant_type is missing.')
  }
  const grant = GRANTS.get(form.grant_type)
  if (!grant) throw new OAuthError('unsupported_grant_type', 'This grant_type is not supported.')
  const authenticated = await authenticateClient(ctx, request, form)
  if (!grant.kinds.includes(authenticated.client.kind)) {
    const { kind } = authenticated.client
    throw new OAuthError('unauthorized_client', `A client of kind ${kind} may not use this grant_type.`, {
      facts: { grantType: form.grant_type, kinds: grant.kinds },
    })
  }
  const proof = readClientProof(ctx, request, authenticated.client)
  if (!proof && authenticated.client.requireDpop) {
    throw invalidProof('This client must send a DPoP proof with every token request.')
  }
  return grant.exchange(ctx, { ...authenticated, proof }, form)
}
