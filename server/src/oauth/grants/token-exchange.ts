import type { Client } from '../../applications/clients.ts'
import type { Resource } from '../../applications/resources.ts'
import type { Ctx } from '../../context.ts'
import { OAuthError } from '../../errors.ts'
import { MAX_ACTORS } from '../access-claims.ts'
import { mayExchange } from '../actors.ts'
import type { TokenRequester } from '../client-auth.ts'
import { invalidProof } from '../dpop/proof.ts'
import { type AccessSubject, grantOrCredentialIdOf, issueExchangedToken } from '../issue-tokens.ts'
import { findLicenseOfSubject } from '../license-claim.ts'
import { invalidTarget, requireResource } from '../resources.ts'
import { ACCESS_TOKEN_TYPE, type TokenForm, type TokenResponse } from '../schema.ts'
import { parseScope } from '../scopes.ts'
import type { LiveGrantRow } from '../store.ts'
import { findTokenUncached, type LiveToken } from '../verify-access-token.ts'

/**
 * Token exchange (RFC 8693): a service that received the access token of a user gets one for another API, to act there
 * for the user. The client itself is the actor. The new token refers to the grant of the subject token and so ends with
 * it.
 */
export async function exchangeToken(
  ctx: Ctx,
  { client, proof }: TokenRequester,
  form: TokenForm,
): Promise<TokenResponse> {
  requirePermission(client)
  const { live, grant } = await requireSubject(ctx, client, requireSubjectToken(form))
  const resource = await findTarget(ctx, { client, live, requested: requestedTarget(form) })
  const scopes = chooseScopes(form.scope, { client, live, resource })
  // Otherwise whoever steals the new token could use it without a key.
  if (live.claims.jkt !== undefined && !proof) {
    throw invalidProof('The subject token is bound to a key, so this request must have a DPoP proof.')
  }
  const subject = toSubject({ client, live, grant }, { resource, scopes })
  const license = await findLicenseOfSubject(ctx, subject)
  return issueExchangedToken(ctx, subject, { exchanged: live, license, proof })
}

function requirePermission(client: Client): void {
  if (mayExchange(client)) return
  const problem = client.tokenExchange ? 'third-party application' : 'tokenExchange is off'
  throw new OAuthError('unauthorized_client', 'This client may not exchange tokens.', { facts: { problem } })
}

/** Errors of the request and of the subject token are invalid_request (RFC 8693 §2.2.2). */
const invalidRequest = (description: string, facts?: Record<string, unknown>) =>
  new OAuthError('invalid_request', description, facts && { facts })

function requireSubjectToken(form: TokenForm): string {
  const { subject_token, subject_token_type, requested_token_type = ACCESS_TOKEN_TYPE } = form
  if (form.actor_token !== undefined || form.actor_token_type !== undefined) {
    throw invalidRequest('An actor_token is not supported: the client that authenticates is the actor.')
  }
  if (subject_token === undefined) throw invalidRequest('The parameter subject_token is missing.')
  if (subject_token_type !== ACCESS_TOKEN_TYPE) {
    throw invalidRequest(`The subject_token_type must be ${ACCESS_TOKEN_TYPE}.`, {
      subjectTokenType: subject_token_type,
    })
  }
  if (requested_token_type !== ACCESS_TOKEN_TYPE) {
    throw invalidRequest(`The requested_token_type must be ${ACCESS_TOKEN_TYPE}.`, {
      requestedTokenType: requested_token_type,
    })
  }
  return subject_token
}

interface SubjectToken {
  live: LiveToken
  grant: LiveGrantRow
}

/** Only the rightful recipient may exchange a token, so that a token for one API is of no use at another. */
async function requireSubject(ctx: Ctx, client: Client, token: string): Promise<SubjectToken> {
  const live = await findTokenUncached(ctx, token)
  const problem = live ? findProblem(client, live) : 'not valid'
  if (!live?.grant || problem !== undefined) {
    throw invalidRequest('The subject_token is not one that this client can exchange.', {
      problem,
      ...(live && { audience: live.claims.aud, application: live.applicationId, expected: client.applicationId }),
    })
  }
  if (live.claims.actors.length >= MAX_ACTORS) {
    throw invalidRequest(`A token can be exchanged ${MAX_ACTORS} times in a row.`)
  }
  return { live, grant: live.grant }
}

function findProblem({ applicationId, tenantId }: Client, { grant, applicationId: owner, claims }: LiveToken) {
  if (!grant) return 'of a machine'
  if (owner !== applicationId) return 'for another application'
  return tenantId === undefined || tenantId === claims.tenant_id ? undefined : 'for another tenant'
}

/** `audience` is another name for `resource`: both name the API of the new token. */
function requestedTarget({ resource, audience }: TokenForm): string | undefined {
  if (resource !== undefined && audience !== undefined && resource !== audience) {
    throw invalidTarget('The parameters resource and audience name different APIs.', { resource, audience })
  }
  return resource ?? audience
}

/** The resource of the new token; undefined for the application of the client, from a token for this application. */
async function findTarget(
  ctx: Ctx,
  { client, live, requested }: { client: Client; live: LiveToken; requested: string | undefined },
): Promise<Resource | undefined> {
  if (requested !== undefined) return requireResource(ctx, client, requested)
  // This service accepts a token for the application but not one for a resource.
  if (live.forResource) throw invalidTarget('The subject_token is for a resource, so the request must name one too.')
  return undefined
}

/** The scopes of the subject token that the client and the resource list too, or those of them that are requested. */
function chooseScopes(
  requested: string | undefined,
  { client, live, resource }: { client: Client; live: LiveToken; resource: Resource | undefined },
): string[] {
  const allowed = live.scopes
    .filter((scope) => scope !== 'offline_access' && client.scopes.includes(scope))
    .filter((scope) => !resource || resource.scopes.includes(scope))
  const wanted = parseScope(requested)
  if (wanted.some((scope) => !allowed.includes(scope))) {
    throw new OAuthError('invalid_scope', 'The subject_token, the client or the resource lacks one of these scopes.', {
      facts: {
        scope: requested,
        subjectScope: live.scopes,
        clientScope: client.scopes,
        resourceScope: resource?.scopes,
      },
    })
  }
  return wanted.length === 0 ? allowed : wanted
}

function toSubject(
  { client, live, grant }: SubjectToken & { client: Client },
  { resource, scopes }: { resource: Resource | undefined; scopes: string[] },
): AccessSubject {
  const { tenant_id } = live.claims
  const { tenant_slug, role } = grant
  return {
    client,
    grantId: grantOrCredentialIdOf(live.claims.jti),
    sessionId: grant.session_id,
    userId: grant.user_id,
    scopes,
    resource,
    authTime: grant.auth_time,
    amr: grant.amr,
    tenant: tenant_id && tenant_slug && role ? { id: tenant_id, slug: tenant_slug, roles: [role] } : undefined,
    // The new token takes the operator and the expiry from the subject token.
    operator: undefined,
  }
}
