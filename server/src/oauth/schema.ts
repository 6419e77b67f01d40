import { type Static, Type } from 'typebox'
import { LANGUAGES } from '../languages/languages.ts'

/** The grant_type of the device authorization grant (RFC 8628 §3.4). */
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** The grant_type of a token exchange (RFC 8693 §2.1). */
export const TOKEN_EXCHANGE_GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** The only token type that can be exchanged and requested (RFC 8693 §3). */
export const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'

const Parameter = (description: string) => Type.Optional(Type.String({ description }))

/** RFC 7521 §4.2, for clients with private_key_jwt. */
const assertionParameters = {
  client_assertion: Parameter('A JWT signed by the key of the client, instead of a secret'),
  client_assertion_type: Parameter('With client_assertion: urn:ietf:params:oauth:client-assertion-type:jwt-bearer'),
}

/** The parameters of the token endpoint. Which are required depends on the grant type. */
export const TokenForm = Type.Object(
  {
    grant_type: Parameter(
      'authorization_code, refresh_token, client_credentials or the URN of the device grant or the token exchange',
    ),
    client_id: Parameter('The client, unless the Authorization header names it'),
    client_secret: Parameter('For confidential and machine clients, unless sent with HTTP Basic'),
    ...assertionParameters,
    code: Parameter('The code from the authorization endpoint'),
    redirect_uri: Parameter('The same as in the authorization request'),
    code_verifier: Parameter('The PKCE verifier, when a challenge was sent'),
    refresh_token: Parameter('The refresh token, good for one use'),
    device_code: Parameter('The device code, for the device grant'),
    scope: Parameter('Space-separated scopes; with a refresh token not wider than granted'),
    tenant: Parameter('With a refresh token: the slug of another tenant to switch to'),
    resource: Parameter('The URI of the API that the token is for; once only (RFC 8707)'),
    subject_token: Parameter('For a token exchange: the access token of the user'),
    subject_token_type: Parameter(`With subject_token: ${ACCESS_TOKEN_TYPE}`),
    requested_token_type: Parameter(`For a token exchange, optional: ${ACCESS_TOKEN_TYPE}`),
    audience: Parameter('For a token exchange: the same as resource'),
    actor_token: Parameter('Not supported: the client itself is the actor'),
    actor_token_type: Parameter('Not supported'),
  },
  { title: 'TokenRequest' },
)
export type TokenForm = Static<typeof TokenForm>

/** The parameters of an authorization request, with client authentication as at the token endpoint (RFC 9126 §2.1). */
export const PushedRequestForm = Type.Object(
  {
    client_id: Parameter('The client, unless the Authorization header names it'),
    client_secret: Parameter('For confidential clients, unless sent with HTTP Basic'),
    ...assertionParameters,
    response_type: Parameter('code'),
    redirect_uri: Parameter('One of the redirect URIs of the client'),
    scope: Parameter('Space-separated scopes'),
    state: Parameter('Returned with the response'),
    nonce: Parameter('Returned in the ID token'),
    code_challenge: Parameter('The PKCE challenge'),
    code_challenge_method: Parameter('S256 or plain'),
    resource: Parameter('The URI of the API that the tokens are for; once only (RFC 8707)'),
    request: Parameter('A signed request object with the parameters; others are then ignored (RFC 9101)'),
  },
  {
    title: 'PushedAuthorizationRequest',
    description: 'Every other parameter of an authorization request is accepted too',
    // Also keeps the fields that are not listed.
    patternProperties: { '^': { type: 'string' } },
  },
)
export type PushedRequestForm = Record<string, string | undefined>

export const PushedRequestResponse = Type.Object(
  {
    request_uri: Type.String({ description: 'For the authorization endpoint, good for one authorization' }),
    expires_in: Type.Integer({ description: 'Seconds until the authorization must have begun' }),
  },
  { title: 'PushedAuthorizationResponse' },
)
export type PushedRequestResponse = Static<typeof PushedRequestResponse>

export const TokenResponse = Type.Object(
  {
    access_token: Type.String({ description: 'A JWT' }),
    token_type: Type.Enum(['Bearer', 'DPoP'], { description: 'DPoP: it is bound to the key of the proof' }),
    expires_in: Type.Integer({ description: 'Seconds until the access token expires' }),
    refresh_token: Type.Optional(Type.String()),
    id_token: Type.Optional(Type.String({ description: 'A JWT; present when openid was granted' })),
    scope: Type.String({ description: 'The granted scopes, space-separated' }),
    issued_token_type: Type.Optional(Type.String({ description: `Only of a token exchange: ${ACCESS_TOKEN_TYPE}` })),
  },
  { title: 'TokenResponse' },
)
export type TokenResponse = Static<typeof TokenResponse>

export const DeviceAuthorizationForm = Type.Object(
  {
    client_id: Parameter('The client, unless the Authorization header names it'),
    client_secret: Parameter('For confidential clients, unless sent with HTTP Basic'),
    ...assertionParameters,
    scope: Parameter('Space-separated scopes'),
    tenant: Parameter('The slug of the tenant that the person must sign in to'),
    resource: Parameter('Not supported with this grant: refused with invalid_target'),
  },
  { title: 'DeviceAuthorizationRequest' },
)
export type DeviceAuthorizationForm = Static<typeof DeviceAuthorizationForm>

export const DeviceAuthorizationResponse = Type.Object(
  {
    device_code: Type.String({ description: 'For the token endpoint; secret' }),
    user_code: Type.String({ description: 'What the person types' }),
    verification_uri: Type.String({ description: 'Where the person types it' }),
    verification_uri_complete: Type.String({ description: 'The same page with the code filled in, for a QR code' }),
    expires_in: Type.Integer({ description: 'Seconds until both codes expire' }),
    interval: Type.Integer({ description: 'Seconds to wait between two token requests' }),
  },
  { title: 'DeviceAuthorizationResponse' },
)
export type DeviceAuthorizationResponse = Static<typeof DeviceAuthorizationResponse>

export const RevokeForm = Type.Object(
  {
    token: Type.String(),
    token_type_hint: Parameter('refresh_token or access_token; a wrong hint does no harm'),
    client_id: Parameter('The client the token was issued to'),
    client_secret: Parameter('Not needed; a wrong one keeps anything from happening'),
    ...assertionParameters,
  },
  { title: 'RevokeTokenRequest' },
)

export const SuccessResponse = Type.Object({ success: Type.Boolean() }, { title: 'SuccessResponse' })

export const IntrospectForm = Type.Object(
  {
    token: Parameter('The token to look at'),
    token_type_hint: Parameter('refresh_token or access_token'),
    client_id: Parameter('The client, with client_assertion'),
    client_secret: Parameter('Not accepted here: use HTTP Basic'),
    ...assertionParameters,
  },
  { title: 'IntrospectTokenRequest' },
)
export type IntrospectForm = Static<typeof IntrospectForm>

export const IntrospectionResponse = Type.Object(
  {
    active: Type.Boolean(),
    iss: Type.Optional(Type.String()),
    sub: Type.Optional(Type.String()),
    aud: Type.Optional(Type.String({ description: 'The application or the resource; only for access tokens' })),
    client_id: Type.Optional(Type.String()),
    scope: Type.Optional(Type.String()),
    token_type: Type.Optional(Type.String({ description: 'Bearer or DPoP; only for access tokens' })),
    cnf: Type.Optional(
      Type.Object({ jkt: Type.String() }, { description: 'The thumbprint of the key that the token is bound to' }),
    ),
    exp: Type.Optional(Type.Integer({ description: 'Seconds since 1970' })),
    iat: Type.Optional(Type.Integer({ description: 'Seconds since 1970' })),
    jti: Type.Optional(Type.String({ description: 'Only for access tokens' })),
    act: Type.Optional(
      Type.Object(
        { sub: Type.String(), act: Type.Optional(Type.Record(Type.String(), Type.Unknown())) },
        { description: 'Who acts for the user (RFC 8693 §4.1): a client, and in act the one before it' },
      ),
    ),
    tenant_id: Type.Optional(Type.String()),
    tenant_roles: Type.Optional(
      Type.Array(Type.String(), { description: "The user's current role; empty for a machine client" }),
    ),
    license: Type.Optional(
      Type.Object(
        { type: Type.String(), name: Type.String(), features: Type.Array(Type.String()) },
        { description: 'The license that the user holds now; only for access tokens' },
      ),
    ),
  },
  { title: 'IntrospectionResponse' },
)
export type IntrospectionResponse = Static<typeof IntrospectionResponse>

/** RFC 6750 §2.2. */
export const UserInfoForm = Type.Object(
  { access_token: Parameter('The access token, unless the Authorization header has it') },
  { title: 'UserInfoRequest' },
)

const Claim = Type.Optional(Type.String())

export const UserInfo = Type.Object(
  {
    sub: Type.String(),
    name: Claim,
    given_name: Claim,
    family_name: Claim,
    middle_name: Claim,
    nickname: Claim,
    picture: Claim,
    website: Claim,
    gender: Claim,
    birthdate: Claim,
    zoneinfo: Claim,
    locale: Claim,
    updated_at: Type.Optional(Type.Integer({ description: 'Seconds since 1970' })),
    email: Claim,
    email_verified: Type.Optional(Type.Boolean()),
  },
  { title: 'UserInfo' },
)
export type UserInfo = Static<typeof UserInfo>

const RsaMember = Type.Optional(Type.String({ description: 'Only of RS256 and PS256 keys' }))
const PublicKey = Type.Object({
  kty: Type.String(),
  kid: Type.String(),
  use: Type.String(),
  alg: Type.String(),
  n: RsaMember,
  e: RsaMember,
  crv: Type.Optional(Type.String({ description: 'P-256 (ES256) or Ed25519 (EdDSA)' })),
  x: Type.Optional(Type.String({ description: 'Only of ES256 and EdDSA keys' })),
  y: Type.Optional(Type.String({ description: 'Only of ES256 keys' })),
})
export const JsonWebKeySet = Type.Object({ keys: Type.Array(PublicKey) }, { title: 'JsonWebKeySet' })

const StringArray = Type.Array(Type.String())
export const ProviderMetadata = Type.Object(
  {
    issuer: Type.String(),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    userinfo_endpoint: Type.String(),
    jwks_uri: Type.String(),
    end_session_endpoint: Type.String(),
    revocation_endpoint: Type.String(),
    introspection_endpoint: Type.String(),
    registration_endpoint: Type.Optional(Type.String({ description: 'While clients may register themselves' })),
    pushed_authorization_request_endpoint: Type.Optional(
      Type.String({ description: 'Listed while a client requires pushed requests' }),
    ),
    device_authorization_endpoint: Type.Optional(
      Type.String({ description: 'Only while a client may use the device authorization grant' }),
    ),
    scopes_supported: StringArray,
    response_types_supported: StringArray,
    response_modes_supported: StringArray,
    grant_types_supported: StringArray,
    token_endpoint_auth_methods_supported: StringArray,
    introspection_endpoint_auth_methods_supported: StringArray,
    revocation_endpoint_auth_methods_supported: StringArray,
    token_endpoint_auth_signing_alg_values_supported: Type.Optional(StringArray),
    introspection_endpoint_auth_signing_alg_values_supported: Type.Optional(StringArray),
    revocation_endpoint_auth_signing_alg_values_supported: Type.Optional(StringArray),
    subject_types_supported: StringArray,
    id_token_signing_alg_values_supported: StringArray,
    code_challenge_methods_supported: StringArray,
    dpop_signing_alg_values_supported: Type.Optional(StringArray),
    backchannel_logout_supported: Type.Optional(Type.Boolean()),
    backchannel_logout_session_supported: Type.Optional(Type.Boolean()),
    claims_supported: StringArray,
    ui_locales_supported: Type.Array(Type.String(), { examples: [[...LANGUAGES]] }),
    request_parameter_supported: Type.Optional(
      Type.Boolean({ description: 'Only while a client has keys to sign its authorization requests' }),
    ),
    request_object_signing_alg_values_supported: Type.Optional(StringArray),
    client_id_metadata_document_supported: Type.Optional(Type.Boolean()),
    request_uri_parameter_supported: Type.Boolean(),
    authorization_response_iss_parameter_supported: Type.Boolean(),
  },
  { title: 'ProviderMetadata' },
)
export type ProviderMetadata = Static<typeof ProviderMetadata>
