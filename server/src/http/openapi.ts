import { isDeepStrictEqual } from 'node:util'
import { type TSchema, Type } from 'typebox'
import { ERRORS, type ErrorCode, OAUTH_ERRORS } from '../errors.ts'
import { groupBy } from '../lib/group-by.ts'
import { VERSION } from '../lib/version.ts'
import { COOKIES } from './callers.ts'
import type { Route } from './define-route.ts'
import { impliedErrors } from './errors.ts'
import { CHECKED_BY_HANDLER, ErrorBody, OAuthErrorBody } from './schema.ts'

type Json = Record<string, unknown>

/** The OpenAPI 3.1 description of the given routes. The same routes give the same text. */
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
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    paths,
    components: {
      schemas: Object.fromEntries(sorted),
      responses,
      securitySchemes: {
        accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        sessionCookie: { type: 'apiKey', in: 'cookie', name: 'latchkey_session' },
      },
    },
  }
}

function describeOperation(route: Route, components: Map<string, unknown>): Json {
  const refer = (schema: TSchema) => reference(schema, components)
  return {
    operationId: operationId(route),
    tags: [route.tag],
    summary: route.summary,
    ...(route.caller !== 'anyone' && {
      security: [
        { accessToken: [] },
        ...(COOKIES.includes(route.caller) ? [{ sessionCookie: [] }] : []),
        // An empty one: it goes without as well.
        ...(route.caller === 'visitor' ? [{}] : []),
      ],
    }),
    parameters: [
      ...parameters(route.params, 'path'),
      ...parameters(route.query, 'query'),
      ...(route.idempotent ? [IDEMPOTENCY_KEY] : []),
      ...Object.entries(route.requestHeaders).map(([name, description]) => ({
        ...{ name, in: 'header', required: false, description, schema: { type: 'string' } },
      })),
    ],
    ...(route.body && {
      requestBody: {
        required: !Type.IsOptional(route.body),
        content: { [MEDIA_TYPES[route.bodyType ?? 'json']]: { schema: refer(route.body) } },
      },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.reply).map(([status, schema]) => [
          status,
          {
            description: 'Success',
            ...describeHeaders(route),
            content: describeContent(route, refer(schema)),
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

/** What any route may answer, whatever it is asked. */
function describeCommonResponses(components: Map<string, unknown>): Json {
  const headers = {
    'Retry-After': { description: 'After how many seconds to try again', schema: { type: 'integer' } },
  }
  const content = (schema: TSchema) => ({ 'application/json': { schema: reference(schema, components) } })
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

const describeContent = ({ streams = ['application/json'] }: Route, schema: unknown): Json =>
  Object.fromEntries(streams.map((type) => [type.replace(/;.*/, ''), { schema }]))

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

/** `GET /api/tenants/:id/members` becomes `getApiTenantsIdMembers`: stable, and a valid name in any language. */
function operationId({ method, path }: Route): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter(Boolean)
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

function parameters(schema: TSchema | undefined, where: 'path' | 'query'): Json[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, TSchema & { description?: string }>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: where,
    // What has a default may be left out.
    required: where === 'path' || (required.includes(name) && !('default' in property)),
    ...(property.description && { description: property.description }),
    schema: withoutMark(property),
  }))
}

/** Errors by status. Those that any route may answer stand in the list of errors only. */
function describeErrors(route: Route, schema: unknown): Json {
  const own = [...inputErrors(route), ...impliedErrors(route), ...route.errors]
  const byStatus = groupBy(own, (code) => ERRORS[code][0])
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

const inputErrors = ({ body, query }: Route): ErrorCode[] =>
  body ? BODY_ERRORS : query ? ['VALIDATION_FAILED'] : []

const BODY_ERRORS: ErrorCode[] = [
  'INVALID_REQUEST',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'VALIDATION_FAILED',
]

function withoutMark(schema: object): Json {
  const { [CHECKED_BY_HANDLER]: _, ...described } = schema as Json
  return described
}

/** A schema with a title is described once, under that name, and referred to wherever it stands. */
function reference(schema: unknown, components: Map<string, unknown>): unknown {
  if (Array.isArray(schema)) return schema.map((member) => reference(member, components))
  if (typeof schema !== 'object' || schema === null) return schema
  const { title, ...rest } = withoutMark(schema)
  const content = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, reference(value, components)]),
  )
  if (typeof title !== 'string') return content
  const known = components.get(title) ?? content
  // Otherwise a route would be described by the fields of another.
  if (!isDeepStrictEqual(known, content)) throw new Error(`two schemas have the one title ${title}`)
  components.set(title, content)
  return { $ref: `#/components/schemas/${title}` }
}
