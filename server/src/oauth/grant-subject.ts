import type { Client } from '../applications/clients.ts'
import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import { hashSecret, newSecret } from '../lib/secrets.ts'
import { lacksSecondFactor } from '../tenants/mfa-policy.ts'
import type { GrantRow, NewRefreshToken } from './grants/store.ts'
import { lifetimeOf, type Subject } from './tokens.ts'

/** The subject of a stored grant, if its person may still act; otherwise invalid_grant. */
export function toSubject(client: Client, grant: GrantRow): Subject {
  if (grant.user_disabled) throw invalidGrant('The account is disabled.')
  const { tenant_id, tenant_slug, role } = grant
  if (tenant_id !== null && (role === null || tenant_slug === null)) {
    throw invalidGrant('The person is no active member of the tenant.')
  }
  if (grant.tenant_suspended_at !== null) throw invalidGrant('The tenant is suspended.')
  if (lacksSecondFactor(grant.mfa_policy, grant.amr)) {
    throw invalidGrant('The tenant requires a second factor; sign in again.')
  }
  return {
    client,
    grantId: grant.id,
    sessionId: grant.session_id,
    userId: grant.user_id,
    // What the client was allowed then, as far as it still is.
    scopes: grant.scopes.filter((scope) => client.scopes.includes(scope)),
    authTime: grant.auth_time,
    amr: grant.amr,
    tenant:
      tenant_id && tenant_slug && role ? { id: tenant_id, slug: tenant_slug, roles: [role] } : undefined,
  }
}

export const invalidGrant = (description: string): OAuthError => new OAuthError('invalid_grant', description)

/** A refresh token and what is kept of it. It never outlives the grant. */
export function makeRefreshToken(
  ctx: Ctx,
  client: Client,
  grantEnds: Date,
): { token: string; kept: NewRefreshToken } {
  const token = newSecret()
  const idleEnd = ctx.now().getTime() + lifetimeOf(ctx, client, 'refreshTokenIdle') * 1000
  return {
    token,
    kept: { hash: hashSecret(token), expiresAt: new Date(Math.min(idleEnd, grantEnds.getTime())) },
  }
}
