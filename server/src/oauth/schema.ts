import { type Static, Type } from 'typebox'

const Parameter = (description: string) => Type.Optional(Type.String({ description }))

/** The parameters of the token endpoint. Which are required depends on the grant type. */
export const TokenForm = Type.Object(
  {
    grant_type: Parameter('authorization_code, refresh_token or client_credentials'),
    client_id: Parameter('The client, unless the Authorization header names it'),
    client_secret: Parameter('For confidential and machine clients, unless sent with HTTP Basic'),
    code: Parameter('The code from the authorization endpoint'),
    redirect_uri: Parameter('The same as in the authorization request'),
    code_verifier: Parameter('The PKCE verifier, when a challenge was sent'),
    refresh_token: Parameter('The refresh token, good for one use'),
    scope: Parameter('Space-separated scopes; with a refresh token not wider than granted'),
    tenant: Parameter('With a refresh token: the slug of another tenant to switch to'),
  },
  { title: 'TokenRequest' },
)
export type TokenForm = Static<typeof TokenForm>

export const TokenResponse = Type.Object(
  {
    access_token: Type.String({ description: 'A JWT' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds until the access token expires' }),
    refresh_token: Type.Optional(Type.String()),
    id_token: Type.Optional(Type.String({ description: 'A JWT; present when openid was granted' })),
    scope: Type.String({ description: 'The granted scopes, space-separated' }),
  },
  { title: 'TokenResponse' },
)
export type TokenResponse = Static<typeof TokenResponse>

export const RevokeForm = Type.Object(
  {
    token: Type.String(),
    token_type_hint: Parameter('refresh_token or access_token; a wrong hint does no harm'),
    client_id: Parameter('The client the token was issued to'),
    client_secret: Parameter('Not needed; a wrong one keeps anything from happening'),
  },
  { title: 'RevokeTokenRequest' },
)

export const SuccessResponse = Type.Object({ success: Type.Boolean() }, { title: 'SuccessResponse' })

export const IntrospectForm = Type.Object(
  { token: Parameter('The token to look at'), token_type_hint: Parameter('refresh_token or access_token') },
  { title: 'IntrospectTokenRequest' },
)

export const IntrospectionResponse = Type.Object(
  {
    active: Type.Boolean(),
    iss: Type.Optional(Type.String()),
    sub: Type.Optional(Type.String()),
    aud: Type.Optional(Type.String({ description: 'The application; only for access tokens' })),
    client_id: Type.Optional(Type.String()),
    scope: Type.Optional(Type.String()),
    token_type: Type.Optional(Type.String({ description: 'Bearer; only for access tokens' })),
    exp: Type.Optional(Type.Integer({ description: 'Seconds since 1970' })),
    iat: Type.Optional(Type.Integer({ description: 'Seconds since 1970' })),
    jti: Type.Optional(Type.String({ description: 'Only for access tokens' })),
    tenant_id: Type.Optional(Type.String()),
    tenant_roles: Type.Optional(
      Type.Array(Type.String(), { description: "The user's current role; empty for a machine client" }),
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

const PublicKey = Type.Object({
  kty: Type.String(),
  kid: Type.String(),
  use: Type.String(),
  alg: Type.String(),
  n: Type.String(),
  e: Type.String(),
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
    scopes_supported: StringArray,
    response_types_supported: StringArray,
    response_modes_supported: StringArray,
    grant_types_supported: StringArray,
    token_endpoint_auth_methods_supported: StringArray,
    introspection_endpoint_auth_methods_supported: StringArray,
    revocation_endpoint_auth_methods_supported: StringArray,
    subject_types_supported: StringArray,
    id_token_signing_alg_values_supported: StringArray,
    code_challenge_methods_supported: StringArray,
    claims_supported: StringArray,
    ui_locales_supported: StringArray,
    request_uri_parameter_supported: Type.Boolean(),
    authorization_response_iss_parameter_supported: Type.Boolean(),
  },
  { title: 'ProviderMetadata' },
)
export type ProviderMetadata = Static<typeof ProviderMetadata>
