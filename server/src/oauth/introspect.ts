import type { FastifyRequest } from 'fastify'
import { type Client, findClient } from '../applications/clients.ts'
import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import { hashSecret } from '../lib/secrets.ts'
import { toActClaim } from './access-claims.ts'
import { type AssertionForm, hasAssertion } from './client-assertion/authenticate.ts'
import { authenticateClient, authenticateWith, readBasic } from './client-auth.ts'
import { invalidClient } from './client-refusals.ts'
import { isConsented, toSubject } from './grant-subject.ts'
import { findGrantByRefreshToken, type TokenRow } from './grants/store.ts'
import type { Subject } from './issue-tokens.ts'
import { findLicenseClaim } from './license-claim.ts'
import { loggingRefusals } from './refusals.ts'
import type { IntrospectForm, IntrospectionResponse } from './schema.ts'
import { findTokenOfAnyAudience, type LiveToken } from './verify-access-token.ts'

const INACTIVE: IntrospectionResponse = { active: false }

/** Introspects a token (RFC 7662). A token that the caller may not see is reported as inactive. */
export async function introspect(
  ctx: Ctx,
  request: FastifyRequest,
  { token, ...form }: IntrospectForm,
): Promise<IntrospectionResponse> {
  const caller = await authenticateResource(ctx, request, form)
  if (token === undefined) throw new OAuthError('invalid_request', 'The parameter token is missing.')
  // A JWT has dots; a refresh token has none.
  return token.includes('.') ? describeAccessToken(ctx, caller, token) : describeRefreshToken(ctx, caller, token)
}

/** Requires HTTP Basic with a secret, or an assertion. Failures are a 401 here (RFC 7662 §2.3). */
async function authenticateResource(ctx: Ctx, request: FastifyRequest, form: AssertionForm): Promise<Client> {
  if (hasAssertion(form)) {
    const { client } = await loggingRefusals(request, form.client_id, () =>
      authenticateClient(ctx, request, { ...form }),
    )
    return client
  }
  try {
    const basic = readBasic(request)
    if (!basic) throw invalidClient(true)
    const { client, credentialId } = await authenticateWith(ctx, request, { ...basic, method: 'basic' })
    if (credentialId === undefined) throw invalidClient(true)
    return client
  } catch (error) {
    throw error instanceof OAuthError ? invalidClient(true, { status: 401 }) : error
  }
}

/** The application and tenant that a token is for. A token for a resource is for the application that owns it. */
interface TokenScope {
  applicationId: string
  tenantId: string | undefined
}

/**
 * A client sees the tokens of its application; a machine client that is bound to a tenant, only those for this tenant.
 * A machine client of the whole instance sees all.
 */
function maySee(caller: Client, { applicationId, tenantId }: TokenScope): boolean {
  if (caller.kind === 'MACHINE' && caller.tenantId === undefined) return true
  const isOwnTenant = caller.tenantId === undefined || caller.tenantId === tenantId
  return caller.applicationId === applicationId && isOwnTenant
}

async function describeAccessToken(ctx: Ctx, caller: Client, token: string): Promise<IntrospectionResponse> {
  const live = await findTokenOfAnyAudience(ctx, token)
  if (!live || !maySee(caller, tokenScopeOf(live))) return INACTIVE
  const license = await findCurrentLicense(ctx, live)
  return license ? { ...describe(ctx, live), license } : describe(ctx, live)
}

/** The license that the user holds now, which the claim in the token may not say anymore. */
async function findCurrentLicense(ctx: Ctx, { claims, grant, applicationId }: LiveToken) {
  if (!grant || claims.tenant_id === undefined) return undefined
  return findLicenseClaim(ctx, { applicationId, tenantId: claims.tenant_id, userId: grant.user_id })
}

const tokenScopeOf = ({ applicationId, claims }: LiveToken): TokenScope => ({
  applicationId,
  tenantId: claims.tenant_id,
})

/** Responses are cached for as long as the token is, without the license, which changes more often. */
const descriptions = new WeakMap<LiveToken, IntrospectionResponse>()

function describe({ config }: Ctx, live: LiveToken): IntrospectionResponse {
  const cached = descriptions.get(live)
  if (cached) return cached
  const { sub, aud, client_id, exp, iat, jti, tenant_id, jkt, actors, operatorId } = live.claims
  const act = toActClaim(actors, operatorId)
  const description: IntrospectionResponse = {
    active: true,
    iss: config.baseUrl,
    sub,
    aud,
    client_id,
    scope: live.scopes.join(' '),
    token_type: jkt === undefined ? 'Bearer' : 'DPoP',
    exp,
    iat,
    jti,
    ...(jkt !== undefined && { cnf: { jkt } }),
    ...(act && { act }),
    ...(tenant_id !== undefined && { tenant_id, tenant_roles: live.grant?.role ? [live.grant.role] : [] }),
  }
  descriptions.set(live, description)
  return description
}

async function describeRefreshToken(ctx: Ctx, caller: Client, token: string): Promise<IntrospectionResponse> {
  const grant = await findGrantByRefreshToken(ctx.db, hashSecret(token))
  if (!grant || grant.token_used_at !== null || grant.token_expires_at <= ctx.now()) return INACTIVE
  const client = await findClient(ctx, grant.client_identifier)
  if (!client || client.disabled) return INACTIVE
  const tenantId = grant.tenant_id ?? undefined
  if (!maySee(caller, { applicationId: client.applicationId, tenantId })) return INACTIVE
  const subject = findActiveSubject(client, grant)
  if (!subject) return INACTIVE
  return {
    active: true,
    iss: ctx.config.baseUrl,
    sub: grant.user_id,
    client_id: client.clientId,
    scope: subject.scopes.join(' '),
    exp: Math.floor(grant.token_expires_at.getTime() / 1000),
    iat: Math.floor(grant.token_created_at.getTime() / 1000),
    // Those of confidential clients are bound to the client itself (RFC 9449 §5).
    ...(grant.dpop_jkt !== null && client.kind === 'SPA' && { cnf: { jkt: grant.dpop_jkt } }),
    ...(subject.tenant && { tenant_id: subject.tenant.id, tenant_roles: subject.tenant.roles }),
  }
}

function findActiveSubject(client: Client, grant: TokenRow): Subject | undefined {
  if (!isConsented(client, grant)) return undefined
  try {
    return toSubject(client, grant)
  } catch (error) {
    if (error instanceof OAuthError) return undefined
    throw error
  }
}
