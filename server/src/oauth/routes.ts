import { Type } from 'typebox'
import type { OAuthErrorCode } from '../errors.ts'
import { defineRoute, type Route } from '../http/routing/define-route.ts'
import { sendCacheable } from './cacheable.ts'
import { authorizeDevice } from './device/authorize-device.ts'
import { describeProvider } from './discovery.ts'
import { offerNonce } from './dpop/nonces.ts'
import { introspect } from './introspect.ts'
import { answerPushedRequest } from './pushed-requests/endpoint.ts'
import { revoke } from './revoke.ts'
import {
  DeviceAuthorizationForm,
  DeviceAuthorizationResponse,
  IntrospectForm,
  IntrospectionResponse,
  JsonWebKeySet,
  ProviderMetadata,
  PushedRequestForm,
  PushedRequestResponse,
  RevokeForm,
  SuccessResponse,
  TokenForm,
  TokenResponse,
  UserInfo,
  UserInfoForm,
} from './schema.ts'
import { answerTokenRequest } from './token-endpoint.ts'
import { PROOF_ERRORS, TOKEN_ERRORS } from './token-errors.ts'
import { answerUserInfo } from './userinfo.ts'

const tag = 'OAuth and OpenID Connect'

const discoveryRoute = (path: string, operationId: string): Route =>
  defineRoute({
    method: 'GET',
    path,
    operationId,
    tag,
    summary: 'What this provider offers, and where',
    caller: 'anyone',
    crossOrigin: 'everybody',
    reply: { 200: ProviderMetadata },
    handler: async (ctx, exchange) => sendCacheable(exchange, await describeProvider(ctx)) as never,
  })

const userInfo = {
  path: '/api/oauth/userinfo',
  tag,
  caller: 'anyone',
  authenticatedBy: 'token',
  crossOrigin: 'registered',
  reply: { 200: UserInfo },
  oauthStatuses: { invalid_dpop_proof: 401, use_dpop_nonce: 401 },
} as const

const userInfoRoutes = [
  defineRoute({
    ...userInfo,
    method: 'GET',
    operationId: 'getUserInfo',
    summary: 'The claims of the token holder, as far as the granted scopes allow',
    oauthErrors: ['invalid_token', 'insufficient_scope', ...PROOF_ERRORS],
    handler: (ctx, exchange) => answerUserInfo(ctx, exchange),
  }),
  defineRoute({
    ...userInfo,
    method: 'POST',
    operationId: 'postUserInfo',
    summary: 'The same, with the token in the header or in a form',
    form: Type.Optional(UserInfoForm),
    ignoresOtherBodies: true,
    oauthErrors: ['invalid_request', 'invalid_token', 'insufficient_scope', ...PROOF_ERRORS],
    handler: (ctx, exchange) => answerUserInfo(ctx, exchange, exchange.body?.access_token),
  }),
]

/** Those of client authentication, of an authorization request, and of a proof. */
const PUSH_ERRORS: OAuthErrorCode[] = [
  'invalid_request',
  'invalid_client',
  'unauthorized_client',
  'unsupported_response_type',
  'invalid_target',
  'request_not_supported',
  'invalid_request_object',
  ...PROOF_ERRORS,
]

export const oauthRoutes: Route[] = [
  discoveryRoute('/.well-known/openid-configuration', 'getOpenidConfiguration'),
  discoveryRoute('/.well-known/oauth-authorization-server', 'getAuthorizationServerMetadata'),
  defineRoute({
    method: 'GET',
    path: '/api/oauth/jwks',
    operationId: 'getJsonWebKeySet',
    tag,
    summary: 'The public keys that verify our tokens',
    caller: 'anyone',
    crossOrigin: 'everybody',
    reply: { 200: JsonWebKeySet },
    handler: async ({ signer }, exchange) => sendCacheable(exchange, await signer.publishedKeys()) as never,
  }),
  defineRoute({
    method: 'POST',
    path: '/api/oauth/token',
    operationId: 'issueToken',
    tag,
    summary: 'Exchange a code, a refresh token, client credentials, a device code or an access token for tokens',
    caller: 'anyone',
    authenticatedBy: 'client-or-form',
    crossOrigin: 'registered',
    form: TokenForm,
    reply: { 200: TokenResponse },
    errors: ['RATE_LIMITED'],
    oauthErrors: TOKEN_ERRORS,
    oauthStatuses: { access_denied: 400 },
    handler: (ctx, { request, reply, body }) => {
      reply.header('Pragma', 'no-cache')
      offerNonce(ctx, { request, reply })
      return answerTokenRequest(ctx, request, body)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/oauth/par',
    operationId: 'pushAuthorizationRequest',
    tag,
    summary: 'Store an authorization request, and get a reference to it for the browser',
    caller: 'anyone',
    authenticatedBy: 'client-or-form',
    crossOrigin: 'registered',
    form: PushedRequestForm,
    reply: { 201: PushedRequestResponse },
    errors: ['RATE_LIMITED'],
    oauthErrors: PUSH_ERRORS,
    oauthStatuses: { invalid_client: 401 },
    handler: (ctx, { request, reply, body }) => {
      offerNonce(ctx, { request, reply })
      return answerPushedRequest(ctx, request, body)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/oauth/device_authorization',
    operationId: 'authorizeDevice',
    tag,
    summary: 'Start the sign-in of a device without a browser',
    caller: 'anyone',
    authenticatedBy: 'client-or-form',
    crossOrigin: 'registered',
    form: DeviceAuthorizationForm,
    reply: { 200: DeviceAuthorizationResponse },
    errors: ['RATE_LIMITED'],
    oauthErrors: ['invalid_request', 'invalid_client', 'unauthorized_client', 'invalid_target'],
    handler: (ctx, { request, body }) => authorizeDevice(ctx, request, body),
  }),
  ...userInfoRoutes,
  defineRoute({
    method: 'POST',
    path: '/api/oauth/revoke',
    operationId: 'revokeToken',
    tag,
    summary: 'End a token; a refresh token takes its family along',
    caller: 'anyone',
    authenticatedBy: 'client-or-form',
    crossOrigin: 'registered',
    form: RevokeForm,
    reply: { 200: SuccessResponse },
    errors: ['RATE_LIMITED'],
    oauthErrors: ['invalid_request', 'invalid_client', 'unauthorized_client'],
    oauthStatuses: { invalid_client: 401 },
    handler: (ctx, { request, body }) => revoke(ctx, request, body),
  }),
  defineRoute({
    method: 'POST',
    path: '/api/oauth/introspect',
    operationId: 'introspectToken',
    tag,
    summary: 'Whether a token that the client may see is alive, and whose it is',
    caller: 'anyone',
    authenticatedBy: 'client',
    form: IntrospectForm,
    reply: { 200: IntrospectionResponse },
    errors: ['RATE_LIMITED'],
    oauthErrors: ['invalid_request', 'invalid_client', 'unauthorized_client'],
    oauthStatuses: { invalid_client: 401 },
    handler: (ctx, { request, body }) => introspect(ctx, request, body),
  }),
]
