import { expect, test } from 'vitest'
import { NO_FEATURES, toMetadata } from '../../src/oauth/discovery.ts'

test('while no client uses an optional feature, discovery has exactly these values', () => {
  const url = 'https://id.example.com'
  const { claims_supported, ...metadata } = toMetadata(
    {
      baseUrl: url,
      clientDocuments: { mode: 'off', allowedHosts: [], deniedHosts: [] },
      clientRegistration: 'off',
    },
    NO_FEATURES,
  )
  expect(claims_supported).toEqual(expect.arrayContaining(['sub', 'email', 'name']))
  expect(JSON.parse(JSON.stringify(metadata))).toEqual({
    issuer: url,
    authorization_endpoint: `${url}/oauth/authorize`,
    token_endpoint: `${url}/api/oauth/token`,
    userinfo_endpoint: `${url}/api/oauth/userinfo`,
    jwks_uri: `${url}/api/oauth/jwks`,
    end_session_endpoint: `${url}/api/oauth/logout`,
    revocation_endpoint: `${url}/api/oauth/revoke`,
    introspection_endpoint: `${url}/api/oauth/introspect`,
    scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256', 'plain'],
    ui_locales_supported: ['en', 'de', 'fr', 'es', 'pt-BR', 'ja', 'ar'],
    request_uri_parameter_supported: false,
    authorization_response_iss_parameter_supported: true,
  })
})
