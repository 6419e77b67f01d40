import type { Client } from '../applications/clients.ts'
import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import { hashSecret, newSecret } from '../lib/secrets.ts'
import { lacksSecondFactor } from '../tenants/mfa-policy.ts'
import { limitClaims, NO_CLAIMS } from './claims-parameter.ts'
import { consentScopesOf } from './consent-scopes.ts'
import type { GrantRow, NewRefreshToken, TokenRow } from './grants/store.ts'
import { lifetimeOf, type Subject } from './issue-tokens.ts'
import { findGrantResource, scopesOpenTo, scopesWithin } from './resources.ts'

/** Returns the subject of a stored grant. Throws invalid_grant if the user may no longer act. */
export function toSubject(client: Client, grant: GrantRow): Subject {
  if (grant.user_disabled) throw invalidGrant('The account is disabled.')
  const { tenant_id, tenant_slug, role } = grant
  if (tenant_id !== null && (role === null || tenant_slug === null)) {
    throw invalidGrant('The user is not an active member of the tenant.')
  }
  if (grant.tenant_suspended_at !== null) throw invalidGrant('The tenant is suspended.')
  if (lacksSecondFactor(grant.mfa_policy, grant.amr)) {
    throw invalidGrant('The tenant requires a second factor; sign in again.')
  }
  const resource = findGrantResource(grant, client.applicationId)
  if (resource === null) throw invalidGrant('The client may no longer use the resource.')
  const open = scopesOpenTo(client, resource)
  const scopes = grant.scopes.filter((scope) => open.includes(scope))
  const { operator_id, session_ends_at } = grant
  return {
    client,
    resource,
    grantId: grant.id,
    sessionId: grant.session_id,
    userId: grant.user_id,
    // The granted scopes without those that the client or the resource has lost.
    scopes: scopesWithin(scopes, resource),
    authTime: grant.auth_time,
    amr: grant.amr,
    claims: limitClaims(grant.requested_claims ?? NO_CLAIMS, client.scopes),
    user: grant,
    tenant: tenant_id && tenant_slug && role ? { id: tenant_id, slug: tenant_slug, roles: [role] } : undefined,
    operator: operator_id && session_ends_at ? { id: operator_id, endsAt: session_ends_at } : undefined,
  }
}

/**
 * Whether the user has consented to all that the grant gives. One for an application that was trusted when it was made,
 * or for another tenant, may lack it.
 */
export function isConsented(client: Client, grant: TokenRow): boolean {
  if (client.trusted) return true
  const resource = findGrantResource(grant, client.applicationId) ?? undefined
  const open = scopesOpenTo(client, resource)
  const scopes = scopesWithin(grant.scopes, resource).filter((scope) => open.includes(scope))
  const claims = limitClaims(grant.requested_claims ?? NO_CLAIMS, client.scopes)
  const consented = grant.consented_scopes
  return consented !== null && consentScopesOf({ scopes, claims, resource }).every((scope) => consented.includes(scope))
}

/** `facts` are logged only. */
export const invalidGrant = (description: string, facts?: Record<string, unknown>): OAuthError =>
  new OAuthError('invalid_grant', description, facts && { facts })

/** Creates a refresh token and its row. It expires no later than the grant. */
export function createRefreshToken(
  ctx: Ctx,
  client: Client,
  grantExpiresAt: Date,
): { token: string; row: NewRefreshToken } {
  const token = newSecret()
  return { token, row: { hash: hashSecret(token), expiresAt: refreshTokenExpiry(ctx, client, grantExpiresAt) } }
}

/** When a refresh token expires that is issued or used now. */
export function refreshTokenExpiry(ctx: Ctx, client: Client, grantExpiresAt: Date): Date {
  const idleExpiry = ctx.now().getTime() + lifetimeOf(ctx, client, 'refreshTokenIdle') * 1000
  return new Date(Math.min(idleExpiry, grantExpiresAt.getTime()))
}
