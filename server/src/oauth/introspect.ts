import type { FastifyRequest } from 'fastify'
import { type Client, findClient } from '../applications/clients.ts'
import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import { hashSecret } from '../lib/secrets.ts'
import { findLiveToken } from './access-tokens.ts'
import { authenticateClient, invalidClient, readBasic } from './client-auth.ts'
import { toSubject } from './grant-subject.ts'
import { findGrantByRefreshToken, type GrantRow } from './grants/store.ts'
import type { IntrospectReply } from './schema.ts'
import type { Subject } from './tokens.ts'

const INACTIVE: IntrospectReply = { active: false }

/** Tells a resource server about a token (RFC 7662). What it may not see looks like a token that does not exist. */
export async function introspect(
  ctx: Ctx,
  request: FastifyRequest,
  token: string | undefined,
): Promise<IntrospectReply> {
  const caller = await authenticateResource(ctx, request)
  if (token === undefined) throw new OAuthError('invalid_request', 'The parameter token is missing.')
  // A JWT has dots; a refresh token has none.
  return token.includes('.')
    ? describeAccessToken(ctx, caller, token)
    : describeRefreshToken(ctx, caller, token)
}

/** Only HTTP Basic with a secret will do, and the refusal is a 401 here (RFC 7662 §2.3). */
async function authenticateResource(ctx: Ctx, request: FastifyRequest): Promise<Client> {
  try {
    if (!readBasic(request)) throw invalidClient(true)
    const { client, secretId } = await authenticateClient(ctx, request, {})
    if (secretId === undefined) throw invalidClient(true)
    return client
  } catch (error) {
    if (error instanceof OAuthError) throw invalidClient(true, 401)
    throw error
  }
}

/** A client sees the tokens of its own application, and a machine of the whole instance sees all. */
const maySee = (caller: Client, applicationId: string): boolean =>
  caller.applicationId === applicationId || (caller.kind === 'MACHINE' && caller.tenantId === undefined)

async function describeAccessToken(ctx: Ctx, caller: Client, token: string): Promise<IntrospectReply> {
  const live = await findLiveToken(ctx, token)
  if (!live || !maySee(caller, live.claims.aud)) return INACTIVE
  const { sub, client_id, exp, iat, tenant_id } = live.claims
  const scope = live.scopes.join(' ')
  return { active: true, sub, client_id, scope, exp, iat, ...(tenant_id !== undefined && { tenant_id }) }
}

async function describeRefreshToken(ctx: Ctx, caller: Client, token: string): Promise<IntrospectReply> {
  const grant = await findGrantByRefreshToken(ctx.db, hashSecret(token))
  if (!grant || grant.token_used_at !== null || grant.token_expires_at <= ctx.now()) return INACTIVE
  const client = await findClient(ctx, grant.client_name)
  if (!client || client.disabled || !maySee(caller, client.applicationId)) return INACTIVE
  const subject = findSubject(client, grant)
  if (!subject) return INACTIVE
  return {
    active: true,
    sub: grant.user_id,
    client_id: client.clientId,
    scope: subject.scopes.join(' '),
    exp: Math.floor(grant.token_expires_at.getTime() / 1000),
    iat: Math.floor(grant.token_created_at.getTime() / 1000),
    ...(grant.tenant_id !== null && { tenant_id: grant.tenant_id }),
  }
}

function findSubject(client: Client, grant: GrantRow): Subject | undefined {
  try {
    return toSubject(client, grant)
  } catch (error) {
    if (error instanceof OAuthError) return undefined
    throw error
  }
}
