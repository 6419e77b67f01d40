import type { Config } from '../config.ts'
import type { Ctx } from '../context.ts'
import { isConnectionError } from '../db/connection-errors.ts'
import { type ClientFeatures, findClientFeatures } from './client-features-store.ts'
import type { ProviderMetadata } from './schema.ts'

/**
 * The provider metadata as JSON (OpenID Connect Discovery §3, RFC 8414 §2). It lists an optional feature only while a
 * client may use it. It is cached until the features of clients change.
 */
export const describeProvider = async (ctx: Ctx): Promise<string> =>
  (await ctx.cache.getOrLoad('provider-metadata', async () => {
    const value = JSON.stringify(toMetadata(ctx.config, await loadFeatures(ctx)))
    return { value, subjects: ['client-features'] }
  })) ?? ''

const lastFeatures = new WeakMap<Ctx, ClientFeatures>()

/** Applications start with this document, so it is also answered while the database is unreachable. */
async function loadFeatures(ctx: Ctx): Promise<ClientFeatures> {
  try {
    const features = await findClientFeatures(ctx.db)
    lastFeatures.set(ctx, features)
    return features
  } catch (error) {
    if (!isConnectionError(error)) throw error
    return lastFeatures.get(ctx) ?? { formPost: false }
  }
}

export const toMetadata = ({ baseUrl }: Config, { formPost }: ClientFeatures): ProviderMetadata => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/api/oauth/token`,
  userinfo_endpoint: `${baseUrl}/api/oauth/userinfo`,
  jwks_uri: `${baseUrl}/api/oauth/jwks`,
  end_session_endpoint: `${baseUrl}/api/oauth/logout`,
  revocation_endpoint: `${baseUrl}/api/oauth/revoke`,
  introspection_endpoint: `${baseUrl}/api/oauth/introspect`,
  scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
  response_types_supported: ['code'],
  response_modes_supported: ['query', ...(formPost ? ['form_post'] : [])],
  grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  // Stated explicitly: without it a client may send its secret in the body.
  introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
  revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
  code_challenge_methods_supported: ['S256', 'plain'],
  claims_supported: [
    'iss',
    'sub',
    'aud',
    'exp',
    'iat',
    'auth_time',
    'nonce',
    'at_hash',
    'sid',
    'amr',
    'acr',
    'name',
    'given_name',
    'family_name',
    'middle_name',
    'nickname',
    'picture',
    'website',
    'gender',
    'birthdate',
    'zoneinfo',
    'locale',
    'updated_at',
    'email',
    'email_verified',
  ],
  ui_locales_supported: ['en'],
  request_uri_parameter_supported: false,
  authorization_response_iss_parameter_supported: true,
})
