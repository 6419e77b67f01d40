import { isDeepStrictEqual } from 'node:util'
import { type TSchema, Type } from 'typebox'
import { ERRORS, type ErrorCode, OAUTH_ERRORS } from '../../errors.ts'
import { groupBy } from '../../lib/group-by.ts'
import { VERSION } from '../../lib/version.ts'
import { impliedErrors } from '../errors/errors.ts'
import { ACCEPTS_COOKIE } from '../routing/callers.ts'
import type { Route } from '../routing/define-route.ts'
import { CHECKED_BY_HANDLER, ErrorBody, OAuthErrorBody } from '../routing/schema.ts'
import { describeUse, TAGS } from './descriptions.ts'
import { createExample } from './examples.ts'

type Json = Record<string, unknown>

/** The OpenAPI 3.1 description of the given routes. The output is deterministic. */
export function describeApi(routes: Route[], baseUrl: string): Json {
  const components = new Map<string, unknown>()
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route, components) }
  }
  const responses = describeCommonResponses(components)
  const sorted = [...components].sort(([a], [b]) => a.localeCompare(b))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Latchkey',
      version: VERSION,
      description: 'Identity, tenants and licensing for B2B software.',
      contact: { name: 'Latchkey' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: listTags(routes),
    paths,
    components: {
      schemas: Object.fromEntries(sorted),
      responses,
      securitySchemes: {
        accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        clientSecret: { type: 'http', scheme: 'basic', description: 'The id and the secret of a client' },
        registrationToken: { type: 'http', scheme: 'bearer', description: 'A token for the registration of clients' },
        sessionCookie: { type: 'apiKey', in: 'cookie', name: 'latchkey_session' },
      },
    },
  }
}

function describeOperation(route: Route, components: Map<string, unknown>): Json {
  const refer = (schema: TSchema) => toReference(schema, components)
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: describeUse(route),
    security: describeSecurity(route),
    parameters: [
      ...describeParameters(route.params, 'path'),
      ...describeParameters(route.query, 'query'),
      ...(route.idempotent ? [IDEMPOTENCY_KEY] : []),
      ...Object.entries(route.requestHeaders).map(([name, description]) => ({
        name,
        in: 'header',
        required: false,
        description,
        schema: { type: 'string' },
      })),
    ],
    ...(route.body && {
      requestBody: {
        required: !Type.IsOptional(route.body),
        content: {
          [MEDIA_TYPES[route.bodyType ?? 'json']]: { schema: refer(route.body), example: createExample(route.body) },
        },
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.reply).map(([status, schema]) => [
          status,
          {
            description: 'Success',
            ...describeHeaders(route),
            content: describeContent(route, { schema: refer(schema), example: createExample(schema) }),
          },
        ]),
      ),
      ...referToCommonResponses(route),
      ...(route.oauthErrors
        ? describeOAuthErrors(route, refer(OAuthErrorBody))
        : describeErrors(route, refer(ErrorBody))),
    },
  }
}

function listTags(routes: Route[]): Json[] {
  const used = new Set(routes.map(({ tag }) => tag))
  return [...used].map((name) => ({ name, description: TAGS[name] }))
}

function describeSecurity({ caller, authenticatedBy }: Route): Json[] {
  if (authenticatedBy) return OAUTH_SECURITY[authenticatedBy]
  if (caller === 'anyone') return []
  return [
    { accessToken: [] },
    ...(ACCEPTS_COOKIE.includes(caller) ? [{ sessionCookie: [] }] : []),
    // An empty requirement makes authentication optional (OpenAPI 3.1 §4.8.10).
    ...(caller === 'visitor' ? [{}] : []),
  ]
}

const OAUTH_SECURITY: Record<NonNullable<Route['authenticatedBy']>, Json[]> = {
  token: [{ accessToken: [] }],
  client: [{ clientSecret: [] }],
  // A public client has no secret, and a client may send its secret in the form.
  'client-or-form': [{ clientSecret: [] }, {}],
  registration: [{ registrationToken: [] }],
  'registration-or-none': [{ registrationToken: [] }, {}],
}

/** The error responses that every route shares. */
function describeCommonResponses(components: Map<string, unknown>): Json {
  const headers = {
    'Retry-After': { description: 'After how many seconds to try again', schema: { type: 'integer' } },
  }
  const content = (schema: TSchema) => ({ 'application/json': { schema: toReference(schema, components) } })
  const [, unavailable] = ERRORS.UNAVAILABLE
  return {
    HeadersTooLarge: {
      description: `HEADERS_TOO_LARGE: ${ERRORS.HEADERS_TOO_LARGE[1]}`,
      content: content(ErrorBody),
    },
    OAuthUnavailable: { description: 'temporarily_unavailable', headers, content: content(OAuthErrorBody) },
    Unavailable: { description: `UNAVAILABLE: ${unavailable}`, headers, content: content(ErrorBody) },
  }
}

const referToCommonResponses = ({ oauthErrors }: Route): Json => ({
  431: { $ref: '#/components/responses/HeadersTooLarge' },
  503: { $ref: `#/components/responses/${oauthErrors ? 'OAuthUnavailable' : 'Unavailable'}` },
})

function describeHeaders({ replyHeaders }: Route): Json {
  const headers = Object.entries(replyHeaders).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ])
  return headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}
}

const describeContent = ({ streams }: Route, { schema, example }: { schema: unknown; example: unknown }): Json =>
  streams
    ? Object.fromEntries(streams.map((type) => [type.replace(/;.*/, ''), { schema }]))
    : { 'application/json': { schema, example } }

const MEDIA_TYPES = { json: 'application/json', form: 'application/x-www-form-urlencoded' }

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A repeated request with the same key gets the first answer, for a day',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}

const describeOAuthErrors = ({ oauthErrors = [], oauthStatuses }: Route, schema: unknown): Json =>
  Object.fromEntries(
    [...groupBy(oauthErrors, (code) => oauthStatuses[code] ?? OAUTH_ERRORS[code])].map(([status, group]) => [
      String(status),
      { description: group.join(', '), content: { 'application/json': { schema } } },
    ]),
  )

function describeParameters(schema: TSchema | undefined, where: 'path' | 'query'): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema & { description?: string }>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    // A parameter with a default is optional for the caller.
    required: where === 'path' || (required.includes(name) && !('default' in property)),
    ...(property.description && { description: property.description }),
    schema: withoutInternalKeys(property),
  }))
}

/** The route's errors by status, without those that every route shares. */
function describeErrors(route: Route, schema: unknown): Json {
  const errors = [...inputErrors(route), ...impliedErrors(route), ...route.errors]
  const byStatus = groupBy(errors, (code) => ERRORS[code][0])
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      String(status),
      {
        description: codes.map((code) => `${code}: ${ERRORS[code][1]}`).join('\n\n'),
        content: { 'application/json': { schema } },
      },
    ]),
  )
}

const inputErrors = ({ body, query }: Route): ErrorCode[] => (body ? BODY_ERRORS : query ? ['VALIDATION_FAILED'] : [])

const BODY_ERRORS: ErrorCode[] = ['INVALID_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'VALIDATION_FAILED']

function withoutInternalKeys(schema: object): Json {
  const { [CHECKED_BY_HANDLER]: _, ...described } = schema as Json
  return described
}

/** Adds every schema with a title to the components and returns a `$ref` to it. */
function toReference(schema: unknown, components: Map<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((member) => toReference(member, components))
  if (typeof schema !== 'object' || schema === null) return schema
  const { title, ...rest } = withoutInternalKeys(schema)
  const content = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, toReference(value, components)]))
  if (typeof title !== 'string') return content
  const existing = components.get(title) ?? content
  if (!isDeepStrictEqual(existing, content)) {
    throw new Error(`two different schemas have the title ${title}`)
  }
  components.set(title, content)
  return { $ref: `#/components/schemas/${title}` }
}
