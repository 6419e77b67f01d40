import type { FastifyRequest } from 'fastify'
import { credentialIdsOf, findClient } from '../applications/clients.ts'
import { isAcceptedDocumentUrl } from '../applications/documents/url.ts'
import type { Ctx } from '../context.ts'
import type { CacheEntry } from '../db/cache.ts'
import { AppError, OAuthError } from '../errors.ts'
import { requireSameOrigin } from '../http/request/csrf.ts'
import { type Authenticator, type Caller, COOKIE_PERSON, type Person } from '../http/routing/callers.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { SIGNING_KEYS } from '../keys/key-ring.ts'
import { isId } from '../lib/ids.ts'
import { fingerprintOf } from '../lib/secrets.ts'
import { findActingSession } from '../sessions/browser-session.ts'
import { findGraceEnd, lacksSecondFactor } from '../tenants/mfa-policy.ts'
import { type AccessClaims, expiryOf, jtisOf, latestIssueTime, toAccessClaims } from './access-claims.ts'
import { findActors } from './actors.ts'
import { dpopChallenge, type PresentedToken, readPresentedToken, requirePossession } from './dpop/possession.ts'
import { grantOrCredentialIdOf } from './issue-tokens.ts'
import { findGrantResource, scopesOpenTo } from './resources.ts'
import { parseScope } from './scopes.ts'
import { findLiveGrant, isRevoked, type LiveGrantRow } from './store.ts'
import { findClientTarget, findPersonTarget } from './token-target.ts'

/** An access token whose session, user, membership and client are all still active. */
export interface LiveToken {
  claims: AccessClaims
  scopes: string[]
  /** Undefined for the token of a machine client. */
  grant: LiveGrantRow | undefined
  caller: Caller
  /** The application that the token is for, or that owns the resource it is for. */
  applicationId: string
  /** The token is for a resource (RFC 8707), so this service does not accept it itself. */
  forResource: boolean
  /** Its expiry, or the end of the grace period for setting up a second factor. */
  endsAt: Date
}

/** Verifies a token that a caller presents to this service. A token for a resource is refused. */
export async function findLiveToken(ctx: Ctx, token: string): Promise<LiveToken | undefined> {
  const live = await findTokenOfAnyAudience(ctx, token)
  return live?.forResource === false ? live : undefined
}

/** Verifies a token by the current state of the database, for a new token that is issued on the strength of it. */
export async function findTokenUncached(ctx: Ctx, token: string): Promise<LiveToken | undefined> {
  const live = (await loadLiveToken(ctx, token))?.value
  return live && live.endsAt > ctx.now() ? live : undefined
}

/**
 * Verifies a token. The result is cached until the database announces a change of anything it depends on, so a token in
 * use costs no statement.
 */
export async function findTokenOfAnyAudience(ctx: Ctx, token: string): Promise<LiveToken | undefined> {
  const live = await ctx.cache.getOrLoad(`access:${fingerprintOf(token)}`, () => loadLiveToken(ctx, token))
  return live && live.endsAt > ctx.now() ? live : undefined
}

async function loadLiveToken(ctx: Ctx, token: string): Promise<CacheEntry<LiveToken> | undefined> {
  const claims = toAccessClaims(await ctx.signer.verify('at+jwt', token))
  if (!claims || expiryOf(claims) <= ctx.now()) return undefined
  return claims.sid === undefined ? loadMachineToken(ctx, claims) : loadPersonToken(ctx, claims)
}

interface ScopeList {
  scopes: string[]
}

/** The token's scopes without those that one of its clients or resources has lost. */
const scopesOf = ({ scope }: AccessClaims, holders: (ScopeList | undefined)[]) =>
  holders.reduce(
    (left, holder) => (holder ? left.filter((granted) => holder.scopes.includes(granted)) : left),
    parseScope(scope),
  )

async function loadPersonToken(ctx: Ctx, claims: AccessClaims): Promise<CacheEntry<LiveToken> | undefined> {
  const { jti, tenant_id, operatorId } = claims
  if (operatorId !== undefined && !ctx.config.supportAccess) return undefined
  const grantId = grantOrCredentialIdOf(jti)
  if (!isId(grantId)) return undefined
  const [issuedAt, jtis] = [latestIssueTime(claims), jtisOf(claims)]
  const grant = await findLiveGrant(ctx.db, { grantId, tenantId: tenant_id ?? null, jtis, issuedAt })
  if (!grant || !isCurrent(grant, claims) || !isAccepted(ctx, grant)) return undefined
  const granted = findGrantResource(grant, grant.application_id)
  const actors = await findActors(ctx, claims)
  const endsAt = findExpiry(ctx, grant, claims)
  if (granted === null || !actors || !endsAt) return undefined
  const target = await findPersonTarget(ctx, { grant, granted, actors, claims })
  if (!target) return undefined
  const { applicationId, resource } = target
  const open = scopesOpenTo({ scopes: grant.client_scopes, origin: grant.client_origin }, granted)
  const scopes = scopesOf(claims, [{ scopes: open }, ...actors, granted, resource])
  const caller = toCaller(grant, claims)
  return {
    value: { claims, scopes, grant, caller, applicationId, forResource: resource !== undefined, endsAt },
    subjects: [
      // A withdrawn key invalidates every token that it signed.
      SIGNING_KEYS,
      `grant:${grantId}`,
      `session:${grant.session_id}`,
      `user:${grant.user_id}`,
      `client:${grant.client_uuid}`,
      `application:${grant.application_id}`,
      ...jtis.map((id) => `token:${id}`),
      ...(tenant_id === undefined ? [] : [`member:${tenant_id}:${grant.user_id}`, `tenant:${tenant_id}`]),
      ...(grant.resource_id === null ? [] : [`resource:${grant.resource_id}`]),
      ...actors.flatMap((actor) => [`client:${actor.id}`, `application:${actor.applicationId}`]),
      ...(resource?.id === undefined ? [] : [`resource:${resource.id}`]),
    ],
  }
}

const isCurrent = (grant: LiveGrantRow, claims: AccessClaims): boolean =>
  grant.user_id === claims.sub &&
  grant.session_id === claims.sid &&
  // An exchanged token is of its actor.
  (claims.actors.length > 0 || grant.client_id === claims.client_id) &&
  !grant.disabled &&
  !grant.client_disabled &&
  grant.revoked === null &&
  // The grant may have switched to another tenant since this token was issued.
  (claims.tenant_id === undefined || grant.role !== null) &&
  isTenantActive({ suspendedAt: grant.tenant_suspended_at, reactivatedAt: grant.tenant_reactivated_at }, claims)

/** Whether the operator accepts the host of a client that is described by a document. */
const isAccepted = ({ config }: Ctx, { client_origin, client_id }: LiveGrantRow): boolean =>
  client_origin !== 'DOCUMENT' || isAcceptedDocumentUrl(config, client_id)

/** Undefined if the tenant requires a second factor, the grant has none, and there is no grace period. */
function findExpiry(ctx: Ctx, grant: LiveGrantRow, claims: AccessClaims): Date | undefined {
  const expiry = expiryOf(claims)
  if (!lacksSecondFactor(grant.mfa_policy, grant.amr)) return expiry
  const graceEnd = findGraceEnd(ctx, grant, grant.session_id)
  if (!graceEnd) return undefined
  return graceEnd < expiry ? graceEnd : expiry
}

/** The suspension of the token's tenant; nulls if it was never suspended or the token is for no tenant. */
interface Suspension {
  suspendedAt: Date | null
  reactivatedAt: Date | null
}

/** A suspension also invalidates tokens issued before it ended: one of them may have been the reason for it. */
const isTenantActive = ({ suspendedAt, reactivatedAt }: Suspension, claims: AccessClaims): boolean =>
  suspendedAt === null && (reactivatedAt === null || reactivatedAt < latestIssueTime(claims))

async function loadMachineToken(ctx: Ctx, claims: AccessClaims): Promise<CacheEntry<LiveToken> | undefined> {
  const { jti, client_id, tenant_id } = claims
  const client = await findClient(ctx, client_id)
  const target = client && (await findClientTarget(ctx, client, claims))
  const credentialId = grantOrCredentialIdOf(jti)
  const alive =
    client &&
    target &&
    !client.disabled &&
    client.tenantId === tenant_id &&
    (client.suspension === undefined || isTenantActive(client.suspension, claims)) &&
    // A token is valid only as long as the credential that obtained it.
    credentialIdsOf(client).includes(credentialId) &&
    !(await isRevoked(ctx.db, jti))
  if (!alive) return undefined
  const { applicationId, resource } = target
  const scopes = scopesOf(claims, [client, resource])
  const caller: Caller = { kind: 'machine', clientId: client_id, tenantId: tenant_id, scopes }
  return {
    value: {
      claims,
      scopes,
      grant: undefined,
      caller,
      applicationId,
      forResource: resource !== undefined,
      endsAt: expiryOf(claims),
    },
    subjects: [
      SIGNING_KEYS,
      `client:${client.id}`,
      `application:${client.applicationId}`,
      `token:${jti}`,
      ...(tenant_id === undefined ? [] : [`tenant:${tenant_id}`]),
      ...(resource === undefined ? [] : [`resource:${resource.id}`]),
    ],
  }
}

/** Authenticates a caller by access token or, if the route allows it, by session cookie. */
export const authenticate: Authenticator = async (ctx, exchange, { cookies }) => {
  const { request } = exchange
  if (cookies && request.headers.authorization === undefined) return authenticateBrowser(ctx, exchange)
  const presented = readPresentedToken(request)
  const live = presented && (await findLiveToken(ctx, presented.token))
  if (!live) throw unauthorized(request, presented)
  try {
    await requirePossession(ctx, exchange, { ...presented, claims: live.claims })
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    throw new AppError('UNAUTHORIZED', { message: error.message, headers: error.headers })
  }
  // Clients that no administrator registered get claims about the user, and tokens for resources that are open to them.
  if (live.grant && live.grant.client_origin !== 'ADMIN') throw new AppError('FORBIDDEN')
  if (live.claims.operatorId !== undefined) request.operatorId = live.claims.operatorId
  return live.caller
}

function toCaller(grant: LiveGrantRow, claims: AccessClaims): Person {
  const { client_id: clientId, tenant_id: tenantId, actors, operatorId } = claims
  const { user_id: userId, session_id: sessionId, is_super_admin: isSuperAdmin, role, amr } = grant
  // Who acts for a user may not manage the account or the tenant of the user, nor the instance.
  const trusted = grant.trusted && actors.length === 0
  return {
    kind: 'person',
    userId,
    sessionId,
    clientId,
    // An operator who acts as a member has no rights on the instance through them.
    superAdmin: isSuperAdmin && operatorId === undefined,
    amr,
    trusted,
    tenantId,
    tenantRole: role ?? undefined,
    ...(operatorId !== undefined && tenantId !== undefined && { support: { operatorId, tenantId } }),
  }
}

async function authenticateBrowser(ctx: Ctx, exchange: Exchange): Promise<Caller> {
  const session = await findActingSession(ctx, exchange)
  if (!session) throw unauthorized(exchange.request)
  requireSameOrigin(ctx, exchange.request)
  const { id: sessionId, userId, superAdmin, amr, support } = session
  return { ...COOKIE_PERSON, userId, sessionId, superAdmin, amr, ...(support && { support }) }
}

function unauthorized({ headers }: FastifyRequest, presented?: PresentedToken): AppError {
  const bearer = headers.authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"'
  const isDpop = presented?.scheme === 'DPoP'
  const challenge = isDpop ? dpopChallenge('invalid_token', 'The access token is not valid.') : bearer
  return new AppError('UNAUTHORIZED', { headers: { 'WWW-Authenticate': challenge } })
}
