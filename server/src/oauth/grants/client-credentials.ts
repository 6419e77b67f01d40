import type { Ctx } from '../../context.ts'
import { OAuthError } from '../../errors.ts'
import { type AuthenticatedClient, invalidClient } from '../client-auth.ts'
import { issueMachineToken } from '../issue-tokens.ts'
import type { TokenForm, TokenResponse } from '../schema.ts'
import { parseScope } from '../scopes.ts'

/** The client credentials grant (RFC 6749 §4.4). Without a scope parameter all allowed scopes are granted. */
export async function grantClientCredentials(
  ctx: Ctx,
  { client, secretId }: AuthenticatedClient,
  form: TokenForm,
): Promise<TokenResponse> {
  if (secretId === undefined) throw invalidClient(false)
  // Some libraries always send openid. It has no meaning without a user.
  const requested = parseScope(form.scope)
  const wanted = requested.filter((scope) => scope !== 'openid')
  if (wanted.some((scope) => !client.scopes.includes(scope))) {
    const allowed = client.scopes.join(' ') || 'none'
    throw new OAuthError(
      'invalid_scope',
      `The client is not allowed one of these scopes. It may request: ${allowed}.`,
      {
        facts: { scope: form.scope },
      },
    )
  }
  const scopes = requested.length === 0 ? client.scopes : wanted
  return issueMachineToken(ctx, { client, secretId, scopes })
}
