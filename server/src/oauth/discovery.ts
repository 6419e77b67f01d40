import { PERSONAL_SCOPES } from '../applications/clients/rules.ts'
import type { Config } from '../config.ts'
import type { Ctx } from '../context.ts'
import { isConnectionError } from '../db/connection-errors.ts'
import { LANGUAGES } from '../languages/languages.ts'
import { KEY_ALGORITHMS } from '../lib/public-keys.ts'
import { DEFAULT_ALGORITHM } from '../lib/signer.ts'
import { type ClientFeatures, findClientFeatures } from './client-features-store.ts'
import { PROOF_ALGORITHMS } from './dpop/keys.ts'
import { DEVICE_CODE_GRANT, type ProviderMetadata, TOKEN_EXCHANGE_GRANT } from './schema.ts'
import { EMAIL_CLAIMS, PROFILE_CLAIMS } from './user-claims.ts'

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
    const used = await findClientFeatures(ctx.db)
    // A client that registers itself must know what it can choose.
    const isOpen = ctx.config.clientRegistration !== 'off'
    const features = {
      ...used,
      privateKeyJwt: used.privateKeyJwt || isOpen,
      backchannelLogout: used.backchannelLogout || isOpen,
    }
    lastFeatures.set(ctx, features)
    return features
  } catch (error) {
    if (!isConnectionError(error)) throw error
    return lastFeatures.get(ctx) ?? NO_FEATURES
  }
}

export const NO_FEATURES: ClientFeatures = {
  formPost: false,
  pushedRequests: false,
  dpop: false,
  furtherAlgorithms: [],
  deviceFlow: false,
  tokenExchange: false,
  privateKeyJwt: false,
  requestObjects: false,
  backchannelLogout: false,
}

const SECRET_METHODS = ['client_secret_basic', 'client_secret_post']
const keyMethods = ({ privateKeyJwt }: ClientFeatures): string[] => (privateKeyJwt ? ['private_key_jwt'] : [])

const KEY_AUTHENTICATION = {
  token_endpoint_auth_signing_alg_values_supported: KEY_ALGORITHMS,
  introspection_endpoint_auth_signing_alg_values_supported: KEY_ALGORITHMS,
  revocation_endpoint_auth_signing_alg_values_supported: KEY_ALGORITHMS,
}

const REQUEST_OBJECTS = {
  request_parameter_supported: true,
  request_object_signing_alg_values_supported: KEY_ALGORITHMS,
}

export const toMetadata = (
  { baseUrl, clientDocuments, clientRegistration }: Pick<Config, 'baseUrl' | 'clientDocuments' | 'clientRegistration'>,
  features: ClientFeatures,
): ProviderMetadata => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}/oauth/authorize`,
  token_endpoint: `${baseUrl}/api/oauth/token`,
  userinfo_endpoint: `${baseUrl}/api/oauth/userinfo`,
  jwks_uri: `${baseUrl}/api/oauth/jwks`,
  end_session_endpoint: `${baseUrl}/api/oauth/logout`,
  revocation_endpoint: `${baseUrl}/api/oauth/revoke`,
  introspection_endpoint: `${baseUrl}/api/oauth/introspect`,
  ...(clientRegistration !== 'off' && { registration_endpoint: `${baseUrl}/api/oauth/register` }),
  ...(features.pushedRequests && { pushed_authorization_request_endpoint: `${baseUrl}/api/oauth/par` }),
  ...(features.deviceFlow && { device_authorization_endpoint: `${baseUrl}/api/oauth/device_authorization` }),
  scopes_supported: PERSONAL_SCOPES,
  response_types_supported: ['code'],
  response_modes_supported: ['query', ...(features.formPost ? ['form_post'] : [])],
  grant_types_supported: [
    'authorization_code',
    'refresh_token',
    'client_credentials',
    ...(features.deviceFlow ? [DEVICE_CODE_GRANT] : []),
    ...(features.tokenExchange ? [TOKEN_EXCHANGE_GRANT] : []),
  ],
  token_endpoint_auth_methods_supported: [...SECRET_METHODS, 'none', ...keyMethods(features)],
  // Stated explicitly: without it a client may send its secret in the body.
  introspection_endpoint_auth_methods_supported: ['client_secret_basic', ...keyMethods(features)],
  revocation_endpoint_auth_methods_supported: [...SECRET_METHODS, 'none', ...keyMethods(features)],
  ...(features.privateKeyJwt && KEY_AUTHENTICATION),
  ...(features.backchannelLogout && { backchannel_logout_supported: true, backchannel_logout_session_supported: true }),
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [DEFAULT_ALGORITHM, ...features.furtherAlgorithms],
  code_challenge_methods_supported: ['S256', 'plain'],
  ...(features.dpop && { dpop_signing_alg_values_supported: [...PROOF_ALGORITHMS] }),
  ...(clientDocuments.mode !== 'off' && { client_id_metadata_document_supported: true }),
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
    ...PROFILE_CLAIMS,
    ...EMAIL_CLAIMS,
  ],
  ui_locales_supported: [...LANGUAGES],
  ...(features.requestObjects && REQUEST_OBJECTS),
  request_uri_parameter_supported: false,
  authorization_response_iss_parameter_supported: true,
})
