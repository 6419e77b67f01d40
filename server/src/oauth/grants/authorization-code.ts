import type { Ctx } from '../../context.ts'
import { OAuthError } from '../../errors.ts'
import { hashSecret } from '../../lib/secrets.ts'
import type { AuthenticatedClient } from '../client-auth.ts'
import { createRefreshToken, invalidGrant, toSubject } from '../grant-subject.ts'
import { findLicenseClaim, issueTokens, lifetimeOf } from '../issue-tokens.ts'
import { TOKEN_REUSE } from '../metrics.ts'
import { matchesChallenge } from '../pkce.ts'
import type { TokenForm, TokenResponse } from '../schema.ts'
import { endGrant } from './end-grant.ts'
import { findGrantByCode, type GrantRow, redeemCode } from './store.ts'

/** The authorization code grant (RFC 6749 §4.1.3, RFC 7636 §4.5). */
export async function exchangeCode(
  ctx: Ctx,
  authenticated: AuthenticatedClient,
  form: TokenForm,
): Promise<TokenResponse> {
  const { client } = authenticated
  if (form.code === undefined) throw new OAuthError('invalid_request', 'The parameter code is missing.')
  if (form.redirect_uri === undefined) {
    throw new OAuthError('invalid_request', 'The parameter redirect_uri is missing.')
  }
  const grant = await findGrantByCode(ctx.db, hashSecret(form.code))
  if (!grant || grant.client_id !== client.id) {
    throw invalidGrant('The code is not valid.', { problem: grant ? 'issued to another client' : 'unknown code' })
  }
  requireBinding(grant, form)
  if (grant.code_used_at !== null) throw await endReplayedGrant(ctx, authenticated, grant)
  const now = ctx.now()
  if (grant.code_expires_at <= now) throw invalidGrant('The code has expired.')
  const subject = toSubject(client, grant)
  const hasRefreshToken = subject.scopes.includes('offline_access')
  const lifetime = lifetimeOf(ctx, client, hasRefreshToken ? 'refreshToken' : 'accessToken')
  const expiresAt = new Date(now.getTime() + lifetime * 1000)
  const refresh = hasRefreshToken ? createRefreshToken(ctx, client, expiresAt) : undefined
  const redemption = { grantId: grant.id, now, expiresAt, refreshToken: refresh?.row }
  const license = await findLicenseClaim(ctx, subject)
  if (!(await redeemCode(ctx.db, redemption))) throw await endReplayedGrant(ctx, authenticated, grant)
  return issueTokens(ctx, subject, { refreshToken: refresh?.token, nonce: grant.nonce, license })
}

/** A failed check does not use up the code: the caller may not be the client that the code was issued to. */
function requireBinding(grant: GrantRow, { redirect_uri, code_verifier }: TokenForm): void {
  if (redirect_uri !== grant.redirect_uri) {
    throw invalidGrant('The redirect_uri is not the one of the authorization request.', {
      redirectUri: redirect_uri,
      expected: grant.redirect_uri,
    })
  }
  const { code_challenge, code_challenge_method } = grant
  if (code_challenge === null || code_challenge_method === null) {
    // RFC 9700 §4.8.2: a verifier without a challenge indicates a PKCE downgrade attack.
    if (code_verifier !== undefined) throw invalidGrant('No code_challenge was sent for this code.')
    return
  }
  if (code_verifier === undefined) throw invalidGrant('The parameter code_verifier is missing.')
  if (!matchesChallenge(code_verifier, code_challenge, code_challenge_method)) {
    throw invalidGrant('The code_verifier does not match.')
  }
}

/** RFC 6749 §4.1.2: a code used twice may have been stolen, so its tokens are revoked. */
async function endReplayedGrant(
  ctx: Ctx,
  { client, request }: AuthenticatedClient,
  grant: GrantRow,
): Promise<OAuthError> {
  await endGrant(ctx, { action: 'session.token_reused', grant, client, kind: 'code', request })
  ctx.metrics.count(TOKEN_REUSE, { kind: 'authorization_code' })
  await ctx.changes.waitUntilCurrent()
  return invalidGrant('The code was used before.')
}
