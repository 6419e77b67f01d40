import { Type } from 'typebox'
import type { OAuthErrorCode } from '../errors.ts'
import { defineRoute, type Route } from '../http/routing/define-route.ts'
import { sendCacheable } from './cacheable.ts'
import { describeProvider } from './discovery.ts'
import { introspect } from './introspect.ts'
import { revoke } from './revoke.ts'
import {
  IntrospectForm,
  IntrospectionResponse,
  JsonWebKeySet,
  ProviderMetadata,
  RevokeForm,
  SuccessResponse,
  TokenForm,
  TokenResponse,
  UserInfo,
  UserInfoForm,
} from './schema.ts'
import { answerTokenRequest } from './token-endpoint.ts'
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
} as const

const userInfoRoutes = [
  defineRoute({
    ...userInfo,
    method: 'GET',
    operationId: 'getUserInfo',
    summary: 'The claims of the token holder, as far as the granted scopes allow',
    oauthErrors: ['invalid_token', 'insufficient_scope'],
    handler: (ctx, { request }) => answerUserInfo(ctx, request),
  }),
  defineRoute({
    ...userInfo,
    method: 'POST',
    operationId: 'postUserInfo',
    summary: 'The same, with the token in the header or in a form',
    form: Type.Optional(UserInfoForm),
    ignoresOtherBodies: true,
    oauthErrors: ['invalid_request', 'invalid_token', 'insufficient_scope'],
    handler: (ctx, { request, body }) => answerUserInfo(ctx, request, body?.access_token),
  }),
]

const TOKEN_ERRORS: OAuthErrorCode[] = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
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
    summary: 'Exchange a code, a refresh token or client credentials for tokens',
    caller: 'anyone',
    authenticatedBy: 'client-or-form',
    crossOrigin: 'registered',
    form: TokenForm,
    reply: { 200: TokenResponse },
    errors: ['RATE_LIMITED'],
    oauthErrors: TOKEN_ERRORS,
    handler: (ctx, { request, reply, body }) => {
      reply.header('Pragma', 'no-cache')
      return answerTokenRequest(ctx, request, body)
    },
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
    oauthErrors: ['invalid_request'],
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
    oauthErrors: ['invalid_request', 'invalid_client'],
    oauthStatuses: { invalid_client: 401 },
    handler: (ctx, { request, body }) => introspect(ctx, request, body.token),
  }),
]
