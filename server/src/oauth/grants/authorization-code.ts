import type { Ctx } from '../../context.ts'
import { OAuthError } from '../../errors.ts'
import { hashSecret } from '../../lib/secrets.ts'
import type { AuthenticatedClient, TokenRequester } from '../client-auth.ts'
import { requireProofOfKey } from '../dpop/binding.ts'
import { invalidGrant } from '../grant-subject.ts'
import { TOKEN_REUSE } from '../metrics.ts'
import { matchesChallenge } from '../pkce.ts'
import { requireGrantResource } from '../resources.ts'
import type { TokenForm, TokenResponse } from '../schema.ts'
import { endGrant } from './end-grant.ts'
import { redeem } from './redeem.ts'
import { findGrantByCode, type GrantRow } from './store.ts'

/** The authorization code grant (RFC 6749 §4.1.3, RFC 7636 §4.5). */
export async function exchangeCode(ctx: Ctx, requester: TokenRequester, form: TokenForm): Promise<TokenResponse> {
  const { client, proof } = requester
  if (form.code === undefined) throw new OAuthError('invalid_request', 'The parameter code is missing.')
  if (form.redirect_uri === undefined) {
    throw new OAuthError('invalid_request', 'The parameter redirect_uri is missing.')
  }
  const grant = await findGrantByCode(ctx.db, hashSecret(form.code))
  if (!grant || grant.client_id !== client.id) {
    throw invalidGrant('The code is not valid.', { problem: grant ? 'issued to another client' : 'unknown code' })
  }
  requireBinding(grant, form)
  requireGrantResource(grant, form.resource)
  // Before the key is checked: whoever used the code first may have bound the grant to another key.
  if (grant.code_used_at !== null) throw await endReplayedGrant(ctx, requester, grant)
  requireProofOfKey(grant.dpop_jkt, proof)
  if (grant.code_expires_at <= ctx.now()) throw invalidGrant('The code has expired.')
  const tokens = await redeem(ctx, { client, proof }, grant)
  if (!tokens) throw await endReplayedGrant(ctx, requester, grant)
  return tokens
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
