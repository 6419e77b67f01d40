import type { FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import type { ClientKind } from '../db/tables.ts'
import { OAuthError } from '../errors.ts'
import { type Eventual, whenThere } from '../lib/eventual.ts'
import { type AuthenticatedClient, authenticateClient } from './client-auth.ts'
import { countTokenRequest } from './figures.ts'
import { exchangeCode } from './grants/authorization-code.ts'
import { grantToMachine } from './grants/client-credentials.ts'
import { refresh } from './grants/refresh-token.ts'
import type { TokenForm, TokenReply } from './schema.ts'

interface Grant {
  kinds: ClientKind[]
  exchange(ctx: Ctx, authenticated: AuthenticatedClient, form: TokenForm): Promise<TokenReply>
}

const GRANTS = new Map<string, Grant>([
  ['authorization_code', { kinds: ['SPA', 'WEB'], exchange: exchangeCode }],
  ['refresh_token', { kinds: ['SPA', 'WEB'], exchange: refresh }],
  ['client_credentials', { kinds: ['MACHINE'], exchange: grantToMachine }],
])

/** The token endpoint: what every grant must pass stands here, so that none can forget it. */
export const answerTokenRequest = (ctx: Ctx, request: FastifyRequest, form: TokenForm): Promise<TokenReply> =>
  countTokenRequest(ctx, form.grant_type, () => exchange(ctx, request, form))

function exchange(ctx: Ctx, request: FastifyRequest, form: TokenForm): Eventual<TokenReply> {
  // RFC 6749 §2.3.1: what is secret must not stand in an address, where logs and proxies see it.
  if (request.url.includes('?')) {
    throw new OAuthError('invalid_request', 'The parameters belong in the body.')
  }
  if (form.grant_type === undefined) {
    throw new OAuthError('invalid_request', 'The parameter grant_type is missing.')
  }
  const grant = GRANTS.get(form.grant_type)
  if (!grant) throw new OAuthError('unsupported_grant_type', 'This grant_type is not supported.')
  return whenThere(authenticateClient(ctx, request, form), (authenticated) => {
    if (!grant.kinds.includes(authenticated.client.kind)) {
      throw new OAuthError('unauthorized_client', 'The client may not use this grant_type.')
    }
    return grant.exchange(ctx, authenticated, form)
  })
}
