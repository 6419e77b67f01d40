import type { Ctx } from '../../context.ts'
import { OAuthError } from '../../errors.ts'
import type { TokenRequester } from '../client-auth.ts'
import { invalidClient } from '../client-refusals.ts'
import { issueMachineToken } from '../issue-tokens.ts'
import { requireResource } from '../resources.ts'
import type { TokenForm, TokenResponse } from '../schema.ts'
import { parseScope } from '../scopes.ts'

/**
 * The client credentials grant (RFC 6749 §4.4). Without a scope parameter all allowed scopes are granted; for a resource,
 * those of the resource.
 */
export async function grantClientCredentials(
  ctx: Ctx,
  { client, credentialId, proof }: TokenRequester,
  form: TokenForm,
): Promise<TokenResponse> {
  if (credentialId === undefined) throw invalidClient(false)
  const resource = form.resource === undefined ? undefined : await requireResource(ctx, client, form.resource)
  const allowedScopes = resource ? client.scopes.filter((scope) => resource.scopes.includes(scope)) : client.scopes
  // Some libraries always send openid. It has no meaning without a user.
  const requested = parseScope(form.scope)
  const wanted = requested.filter((scope) => scope !== 'openid')
  if (wanted.some((scope) => !allowedScopes.includes(scope))) {
    const allowed = allowedScopes.join(' ') || 'none'
    throw new OAuthError(
      'invalid_scope',
      `The client is not allowed one of these scopes. It may request: ${allowed}.`,
      {
        facts: { scope: form.scope },
      },
    )
  }
  const scopes = requested.length === 0 ? allowedScopes : wanted
  return issueMachineToken(ctx, { client, credentialId, scopes, audience: resource?.uri, proof })
}
