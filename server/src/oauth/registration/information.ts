import type { StoredClient } from '../../applications/clients/registration.ts'
import type { Ctx } from '../../context.ts'
import type { ClientInformation } from './schema.ts'

/** What a client learns of its registration (RFC 7591 §3.2.1). Secrets are stored as hashes, so they are shown only once. */
export const toInformation = (
  { config }: Ctx,
  client: StoredClient,
  {
    accessToken,
    clientSecret,
    postsSecret,
  }: { accessToken: string; clientSecret?: string | null; postsSecret: boolean },
): ClientInformation => ({
  client_id: client.clientId,
  client_id_issued_at: Math.floor(client.createdAt.getTime() / 1000),
  ...(clientSecret && { client_secret: clientSecret, client_secret_expires_at: 0 }),
  registration_access_token: accessToken,
  registration_client_uri: `${config.baseUrl}/api/oauth/register/${client.clientId}`,
  redirect_uris: client.redirectUris,
  token_endpoint_auth_method: toAuthMethod(client, postsSecret),
  grant_types: ['authorization_code', ...(client.scopes.includes('offline_access') ? ['refresh_token'] : [])],
  response_types: ['code'],
  client_name: client.name,
  scope: client.scopes.join(' '),
  ...(client.postLogoutRedirectUris.length > 0 && { post_logout_redirect_uris: client.postLogoutRedirectUris }),
  ...(client.jwks && { jwks: client.jwks }),
  ...(client.jwksUri !== null && { jwks_uri: client.jwksUri }),
  ...(client.backchannelLogoutUri !== null && {
    backchannel_logout_uri: client.backchannelLogoutUri,
    backchannel_logout_session_required: true,
  }),
  dpop_bound_access_tokens: client.requireDpop,
  require_pushed_authorization_requests: client.requirePushedRequests,
  require_signed_request_object: client.requireSignedRequests,
})

function toAuthMethod({ tokenEndpointAuthMethod }: StoredClient, postsSecret: boolean): string {
  if (tokenEndpointAuthMethod !== 'client_secret') return tokenEndpointAuthMethod
  return postsSecret ? 'client_secret_post' : 'client_secret_basic'
}
