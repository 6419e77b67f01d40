import { type Static, Type } from 'typebox'

const Parameter = (description: string) => Type.Optional(Type.String({ description }))

/** What the token endpoint takes. Which of them are needed depends on the grant. */
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

export const TokenReply = Type.Object(
  {
    access_token: Type.String({ description: 'A JWT' }),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds until the access token expires' }),
    refresh_token: Type.Optional(Type.String()),
    id_token: Type.Optional(Type.String({ description: 'A JWT; present when openid was granted' })),
    scope: Type.String({ description: 'The granted scopes, space-separated' }),
  },
  { title: 'TokenReply' },
)
export type TokenReply = Static<typeof TokenReply>

export const RevokeForm = Type.Object(
  {
    token: Type.String(),
    token_type_hint: Parameter('refresh_token or access_token; a wrong hint does no harm'),
    client_id: Parameter('The client the token was issued to'),
    client_secret: Parameter('Not needed; a wrong one keeps anything from happening'),
  },
  { title: 'RevokeTokenRequest' },
)

export const Success = Type.Object({ success: Type.Boolean() }, { title: 'Success' })

export const IntrospectForm = Type.Object(
  { token: Parameter('The token to look at'), token_type_hint: Parameter('refresh_token or access_token') },
  { title: 'IntrospectRequest' },
)

export const IntrospectReply = Type.Object(
  {
    active: Type.Boolean(),
    sub: Type.Optional(Type.String()),
    client_id: Type.Optional(Type.String()),
    scope: Type.Optional(Type.String()),
    exp: Type.Optional(Type.Integer({ description: 'Seconds since 1970' })),
    iat: Type.Optional(Type.Integer({ description: 'Seconds since 1970' })),
    tenant_id: Type.Optional(Type.String()),
  },
  { title: 'IntrospectReply' },
)
export type IntrospectReply = Static<typeof IntrospectReply>

/** RFC 6750 §2.2. */
export const UserInfoForm = Type.Object(
  { access_token: Parameter('The access token, unless the Authorization header has it') },
  { title: 'UserInfoRequest' },
)

const Claim = Type.Optional(Type.String())

export const UserInfo = Type.Object(
  {
    sub: Type.String(),
    ...{ name: Claim, given_name: Claim, family_name: Claim, middle_name: Claim, nickname: Claim },
    ...{ picture: Claim, website: Claim, gender: Claim, birthdate: Claim },
    ...{ zoneinfo: Claim, locale: Claim },
    updated_at: Type.Optional(Type.Integer({ description: 'Seconds since 1970' })),
    email: Claim,
    email_verified: Type.Optional(Type.Boolean()),
  },
  { title: 'UserInfo' },
)
export type UserInfo = Static<typeof UserInfo>

const PublicKey = Type.Object({
  ...{ kty: Type.String(), kid: Type.String(), use: Type.String(), alg: Type.String() },
  ...{ n: Type.String(), e: Type.String() },
})
export const KeySet = Type.Object({ keys: Type.Array(PublicKey) }, { title: 'KeySet' })

const Texts = Type.Array(Type.String())
export const Discovery = Type.Object(
  {
    issuer: Type.String(),
    authorization_endpoint: Type.String(),
    token_endpoint: Type.String(),
    userinfo_endpoint: Type.String(),
    jwks_uri: Type.String(),
    end_session_endpoint: Type.String(),
    revocation_endpoint: Type.String(),
    introspection_endpoint: Type.String(),
    scopes_supported: Texts,
    response_types_supported: Texts,
    response_modes_supported: Texts,
    grant_types_supported: Texts,
    token_endpoint_auth_methods_supported: Texts,
    introspection_endpoint_auth_methods_supported: Texts,
    revocation_endpoint_auth_methods_supported: Texts,
    subject_types_supported: Texts,
    id_token_signing_alg_values_supported: Texts,
    code_challenge_methods_supported: Texts,
    claims_supported: Texts,
    ui_locales_supported: Texts,
    request_uri_parameter_supported: Type.Boolean(),
    authorization_response_iss_parameter_supported: Type.Boolean(),
  },
  { title: 'Discovery' },
)
export type Discovery = Static<typeof Discovery>
