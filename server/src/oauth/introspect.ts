import type { FastifyRequest } from 'fastify'
import { type Client, findClient } from '../applications/clients.ts'
import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import { type Eventual, whenThere } from '../lib/eventual.ts'
import { hashSecret } from '../lib/secrets.ts'
import { findLiveToken, type LiveToken } from './access-tokens.ts'
import { type AuthenticatedClient, authenticateBy, invalidClient, readBasic } from './client-auth.ts'
import { toSubject } from './grant-subject.ts'
import { findGrantByRefreshToken, type GrantRow } from './grants/store.ts'
import type { IntrospectReply } from './schema.ts'
import type { Subject } from './tokens.ts'

const INACTIVE: IntrospectReply = { active: false }

/** Tells a resource server about a token (RFC 7662). What it may not see looks like a token that does not exist. */
export const introspect = (
  ctx: Ctx,
  request: FastifyRequest,
  token: string | undefined,
): Eventual<IntrospectReply> =>
  whenThere(authenticateResource(ctx, request), (caller) => {
    if (token === undefined) throw new OAuthError('invalid_request', 'The parameter token is missing.')
    // A JWT has dots; a refresh token has none.
    return token.includes('.')
      ? describeAccessToken(ctx, caller, token)
      : describeRefreshToken(ctx, caller, token)
  })

/** Only HTTP Basic with a secret will do, and the refusal is a 401 here (RFC 7662 §2.3). */
function authenticateResource(ctx: Ctx, request: FastifyRequest): Eventual<Client> {
  try {
    const basic = readBasic(request)
    if (!basic) throw invalidClient(true)
    const authenticated = authenticateBy(ctx, request, { ...basic, method: 'basic' })
    return authenticated instanceof Promise
      ? authenticated.then(requireSecret).catch(refuse)
      : requireSecret(authenticated)
  } catch (error) {
    return refuse(error)
  }
}

function requireSecret({ client, secretId }: AuthenticatedClient): Client {
  if (secretId === undefined) throw invalidClient(true)
  return client
}

function refuse(error: unknown): never {
  throw error instanceof OAuthError ? invalidClient(true, 401) : error
}

/** Where a token is good. */
interface Reach {
  applicationId: string
  tenantId: string | undefined
}

/**
 * A client sees the tokens of its own application; a machine that is bound to a tenant, of these the tokens for that
 * tenant; and a machine of the whole instance sees all.
 */
function maySee(caller: Client, { applicationId, tenantId }: Reach): boolean {
  if (caller.kind === 'MACHINE' && caller.tenantId === undefined) return true
  const isOwnTenant = caller.tenantId === undefined || caller.tenantId === tenantId
  return caller.applicationId === applicationId && isOwnTenant
}

const describeAccessToken = (ctx: Ctx, caller: Client, token: string): Eventual<IntrospectReply> =>
  whenThere(findLiveToken(ctx, token), (live) =>
    live && maySee(caller, reachOf(live)) ? describe(live) : INACTIVE,
  )

const reachOf = ({ claims }: LiveToken): Reach => ({ applicationId: claims.aud, tenantId: claims.tenant_id })

/** What was told of a token before is told again, for as long as it is known to be alive. */
const descriptions = new WeakMap<LiveToken, IntrospectReply>()

function describe(live: LiveToken): IntrospectReply {
  const told = descriptions.get(live)
  if (told) return told
  const { sub, client_id, exp, iat, tenant_id } = live.claims
  const scope = live.scopes.join(' ')
  const tenant = tenant_id === undefined ? {} : { tenant_id }
  const description = { active: true, sub, client_id, scope, exp, iat, ...tenant }
  descriptions.set(live, description)
  return description
}

async function describeRefreshToken(ctx: Ctx, caller: Client, token: string): Promise<IntrospectReply> {
  const grant = await findGrantByRefreshToken(ctx.db, hashSecret(token))
  if (!grant || grant.token_used_at !== null || grant.token_expires_at <= ctx.now()) return INACTIVE
  const client = await findClient(ctx, grant.client_name)
  if (!client || client.disabled) return INACTIVE
  const tenantId = grant.tenant_id ?? undefined
  if (!maySee(caller, { applicationId: client.applicationId, tenantId })) return INACTIVE
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
