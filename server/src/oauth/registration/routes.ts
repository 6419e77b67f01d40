import { Type } from 'typebox'
import type { OAuthErrorCode } from '../../errors.ts'
import { defineRoute, type Route } from '../../http/routing/define-route.ts'
import { deleteClientRegistration, readRegistration, updateClientRegistration } from './manage.ts'
import type { Members } from './metadata.ts'
import { register } from './register.ts'
import { ByClientId, ClientInformation, ClientMetadata, ClientMetadataUpdate } from './schema.ts'

const METADATA_ERRORS: OAuthErrorCode[] = [
  'invalid_request',
  'invalid_redirect_uri',
  'invalid_client_metadata',
  'unapproved_software_statement',
]

const common = {
  tag: 'OAuth and OpenID Connect',
  caller: 'anyone',
  // Clients in browsers register themselves too. No cookie is read.
  crossOrigin: 'everybody',
} as const

const configuration = {
  ...common,
  path: '/api/oauth/register/:clientId',
  authenticatedBy: 'registration',
  params: ByClientId,
} as const

/** They exist only where clients may register themselves. */
export const registrationRoutes: Route[] = [
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/oauth/register',
    operationId: 'registerClient',
    authenticatedBy: 'registration-or-none',
    summary: 'Registers the client that calls (RFC 7591)',
    body: ClientMetadata,
    reply: { 201: ClientInformation },
    errors: ['RATE_LIMITED'],
    oauthErrors: [...METADATA_ERRORS, 'invalid_token', 'temporarily_unavailable'],
    handler: (ctx, { request, body }) => register(ctx, request, body as Members),
  }),
  defineRoute({
    ...configuration,
    method: 'GET',
    operationId: 'getClientRegistration',
    summary: 'Shows a client its registration (RFC 7592)',
    reply: { 200: ClientInformation },
    oauthErrors: ['invalid_token'],
    handler: (ctx, { request, params }) => readRegistration(ctx, request, params.clientId),
  }),
  defineRoute({
    ...configuration,
    method: 'PUT',
    operationId: 'updateClientRegistration',
    summary: 'Replaces the metadata of the client that calls',
    body: ClientMetadataUpdate,
    reply: { 200: ClientInformation },
    errors: ['RATE_LIMITED'],
    oauthErrors: [...METADATA_ERRORS, 'invalid_token', 'access_denied', 'temporarily_unavailable'],
    handler: (ctx, { request, params, body }) =>
      updateClientRegistration(ctx, request, { clientId: params.clientId, members: body as Members }),
  }),
  defineRoute({
    ...configuration,
    method: 'DELETE',
    operationId: 'deleteClientRegistration',
    summary: 'Deletes the client that calls, and its tokens',
    reply: { 204: Type.Null() },
    oauthErrors: ['invalid_token'],
    async handler(ctx, { request, params }) {
      await deleteClientRegistration(ctx, request, params.clientId)
      return null
    },
  }),
]
