import type { FastifyRequest } from 'fastify'
import { type Client, credentialIdsOf, findClient } from '../applications/clients.ts'
import { findResource, mayUseResource } from '../applications/resources.ts'
import type { Ctx } from '../context.ts'
import type { CacheEntry } from '../db/cache.ts'
import { AppError, OAuthError } from '../errors.ts'
import { requireSameOrigin } from '../http/request/csrf.ts'
import { type Authenticator, type Caller, COOKIE_PERSON, type Person } from '../http/routing/callers.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { SIGNING_KEYS } from '../keys/key-ring.ts'
import { isId } from '../lib/ids.ts'
import { fingerprintOf } from '../lib/secrets.ts'
import type { Claims } from '../lib/signer.ts'
import { findBrowserSession } from '../sessions/browser-session.ts'
import { findGraceEnd, lacksSecondFactor } from '../tenants/mfa-policy.ts'
import { dpopChallenge, type PresentedToken, readPresentedToken, requirePossession } from './dpop/possession.ts'
import { grantOrCredentialIdOf } from './issue-tokens.ts'
import { findGrantResource, scopesOpenTo } from './resources.ts'
import { parseScope } from './scopes.ts'
import { findLiveGrant, isRevoked, type LiveGrantRow } from './store.ts'

/** The access token claims that this service reads. */
export interface AccessClaims {
  sub: string
  aud: string
  jti: string
  client_id: string
  scope: string
  iat: number
  exp: number
  sid: string | undefined
  tenant_id: string | undefined
  /** The thumbprint of the key that the token is bound to (RFC 9449 §6.1). */
  jkt: string | undefined
}

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

/**
 * Verifies a token. The result is cached until the database announces a change of anything it depends on, so a token in
 * use costs no statement.
 */
export async function findTokenOfAnyAudience(ctx: Ctx, token: string): Promise<LiveToken | undefined> {
  const live = await ctx.cache.getOrLoad(`access:${fingerprintOf(token)}`, () => loadLiveToken(ctx, token))
  return live && live.endsAt > ctx.now() ? live : undefined
}

const expiryOf = ({ exp }: AccessClaims) => new Date(exp * 1000)

async function loadLiveToken(ctx: Ctx, token: string): Promise<CacheEntry<LiveToken> | undefined> {
  const claims = toAccessClaims(await ctx.signer.verify('at+jwt', token))
  if (!claims || expiryOf(claims) <= ctx.now()) return undefined
  return claims.sid === undefined ? loadMachineToken(ctx, claims) : loadPersonToken(ctx, claims)
}

/** Checks the shape: the signature proves only that this service issued the claims. */
export function toAccessClaims(claims: Claims | undefined): AccessClaims | undefined {
  const { sub, aud, jti, client_id, scope, iat, exp, sid, tenant_id, cnf } = claims ?? {}
  const jkt = cnf === undefined ? undefined : (cnf as { jkt?: unknown } | null)?.jkt
  const texts = [sub, aud, jti, client_id, scope, ...(cnf === undefined ? [] : [jkt])].every(
    (claim) => typeof claim === 'string',
  )
  const numbers = [iat, exp].every((claim) => Number.isSafeInteger(claim))
  return texts && numbers
    ? ({ sub, aud, jti, client_id, scope, iat, exp, sid, tenant_id, jkt } as AccessClaims)
    : undefined
}

/** `iat` is rounded down, so the token was issued before this time. */
const latestIssueTime = ({ iat }: AccessClaims) => new Date((iat + 1) * 1000)

/** The token's scopes without those that its client or its resource has lost. */
const scopesOf = ({ scope }: AccessClaims, allowed: string[], resource: { scopes: string[] } | undefined) =>
  parseScope(scope).filter((granted) => allowed.includes(granted) && (!resource || resource.scopes.includes(granted)))

async function loadPersonToken(ctx: Ctx, claims: AccessClaims): Promise<CacheEntry<LiveToken> | undefined> {
  const { jti, tenant_id } = claims
  const grantId = grantOrCredentialIdOf(jti)
  if (!isId(grantId)) return undefined
  const issuedAt = latestIssueTime(claims)
  const grant = await findLiveGrant(ctx.db, { grantId, tenantId: tenant_id ?? null, jti, issuedAt })
  if (!grant || !isCurrent(grant, claims)) return undefined
  const resource = findGrantResource(grant, grant.application_id)
  if (resource === null || claims.aud !== (resource?.uri ?? grant.application_id)) return undefined
  const endsAt = findExpiry(ctx, grant, claims)
  if (!endsAt) return undefined
  const open = scopesOpenTo({ scopes: grant.client_scopes, origin: grant.client_origin }, resource)
  const scopes = scopesOf(claims, open, resource)
  const { applicationId } = resource ?? { applicationId: grant.application_id }
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
      `token:${jti}`,
      ...(tenant_id === undefined ? [] : [`member:${tenant_id}:${grant.user_id}`, `tenant:${tenant_id}`]),
      ...(grant.resource_id === null ? [] : [`resource:${grant.resource_id}`]),
    ],
  }
}

const isCurrent = (grant: LiveGrantRow, claims: AccessClaims): boolean =>
  grant.user_id === claims.sub &&
  grant.session_id === claims.sid &&
  grant.client_id === claims.client_id &&
  !grant.disabled &&
  !grant.client_disabled &&
  grant.revoked === null &&
  // The grant may have switched to another tenant since this token was issued.
  (claims.tenant_id === undefined || grant.role !== null) &&
  isTenantActive({ suspendedAt: grant.tenant_suspended_at, reactivatedAt: grant.tenant_reactivated_at }, claims)

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
  const target = client && (await findMachineTarget(ctx, client, claims))
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
  const scopes = scopesOf(claims, client.scopes, resource)
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

/** What the token of a machine client is for: its own application or a resource; undefined if it may not be used there. */
async function findMachineTarget(ctx: Ctx, client: Client, claims: AccessClaims) {
  const { applicationId } = client
  if (claims.aud === applicationId) return { applicationId, resource: undefined }
  const resource = await findResource(ctx, claims.aud)
  // A resource that was deleted and registered again does not revive old tokens.
  if (!resource || !mayUseResource(client, resource) || resource.createdAt >= latestIssueTime(claims)) return undefined
  return { applicationId: resource.applicationId, resource }
}

/** Authenticates a caller by access token or, if the route allows it, by session cookie. */
export const authenticate: Authenticator = async (ctx, exchange, { cookies }) => {
  const { request } = exchange
  if (cookies && request.headers.authorization === undefined) return authenticateBrowser(ctx, exchange)
  const presented = readPresentedToken(request)
  const live = presented && (await findLiveToken(ctx, presented.token))
  if (!live) throw unauthorized(request, presented)
  try {
    await requirePossession(ctx, exchange, { ...presented, jkt: live.claims.jkt })
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    throw new AppError('UNAUTHORIZED', { message: error.message, headers: error.headers })
  }
  return live.caller
}

function toCaller(grant: LiveGrantRow, { client_id: clientId, tenant_id: tenantId }: AccessClaims): Person {
  const { user_id: userId, session_id: sessionId, is_super_admin: superAdmin, trusted, role, amr } = grant
  return {
    kind: 'person',
    userId,
    sessionId,
    clientId,
    superAdmin,
    amr,
    trusted,
    tenantId,
    tenantRole: role ?? undefined,
  }
}

async function authenticateBrowser(ctx: Ctx, exchange: Exchange): Promise<Caller> {
  const session = await findBrowserSession(ctx, exchange)
  if (!session) throw unauthorized(exchange.request)
  requireSameOrigin(ctx, exchange.request)
  const { id: sessionId, userId, superAdmin, amr } = session
  return { ...COOKIE_PERSON, userId, sessionId, superAdmin, amr }
}

function unauthorized({ headers }: FastifyRequest, presented?: PresentedToken): AppError {
  const bearer = headers.authorization === undefined ? 'Bearer' : 'Bearer error="invalid_token"'
  const isDpop = presented?.scheme === 'DPoP'
  const challenge = isDpop ? dpopChallenge('invalid_token', 'The access token is not valid.') : bearer
  return new AppError('UNAUTHORIZED', { headers: { 'WWW-Authenticate': challenge } })
}
