import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Operations } from '@latchkey/client/types'
import { Type } from 'typebox'
import { expect, expectTypeOf, test } from 'vitest'
import { listRoutes } from '../src/app.ts'
import { documentedConfig, generatedDocs } from '../src/cli/generated-docs.ts'
import { ERRORS, OAUTH_ERRORS } from '../src/errors.ts'
import { describeApi } from '../src/http/docs/openapi.ts'
import { COMMON_ERRORS, impliedErrors } from '../src/http/errors/errors.ts'
import { createCompilers } from '../src/http/routing/validation.ts'

const docs = generatedDocs()
const { routes } = listRoutes(documentedConfig())

test.each(Object.entries(docs))('docs/%s is what "npm run docs" writes', (name, text) => {
  const path = fileURLToPath(new URL(`../../docs/${name}`, import.meta.url))
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('every error code is documented and declared by a route', () => {
  const declared = new Set([...COMMON_ERRORS, ...routes.flatMap((route) => [...route.errors, ...impliedErrors(route)])])
  expect(Object.keys(ERRORS).filter((code) => !declared.has(code as keyof typeof ERRORS))).toEqual([])
  for (const code of Object.keys(ERRORS)) expect(docs['errors.md']).toContain(`\`${code}\``)
})

test('every OAuth error code is returned by a route or in a redirect to the client', () => {
  const declared = new Set<string>(routes.flatMap((route) => route.oauthErrors ?? []))
  const redirected = [
    'unsupported_response_type',
    'access_denied',
    'login_required',
    'interaction_required',
    'consent_required',
    'unmet_authentication_requirements',
    'request_not_supported',
    'request_uri_not_supported',
    // Shown on a page and logged.
    'invalid_request_uri',
  ]
  const common = ['server_error', 'temporarily_unavailable']
  expect(Object.keys(OAUTH_ERRORS).sort()).toEqual([...new Set([...declared, ...redirected, ...common])].sort())
})

test('every route is in the API description once, with a unique operationId', () => {
  const { paths } = JSON.parse(docs['openapi.json'] ?? '') as {
    paths: Record<string, Record<string, { operationId: string; responses: object }>>
  }
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  expect(operations).toHaveLength(routes.length)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(routes.length)
  // Every route may get too large headers, or be called while the database is unreachable.
  for (const { operationId, responses } of operations) {
    expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(['431', '503']))
  }
})

test('schemas with the same title are equal', () => {
  const byTitle = new Map<string, Set<string>>()
  for (const { body, query, params, reply } of routes) {
    for (const { title, ...schema } of findTitled([body, query, params, reply])) {
      // Generators for some languages create one file per name, case-insensitively.
      const name = title.toLowerCase()
      byTitle.set(name, (byTitle.get(name) ?? new Set()).add(JSON.stringify(schema)))
    }
  }
  expect([...byTitle].filter(([, schemas]) => schemas.size > 1).map(([name]) => name)).toEqual([])
})

function findTitled(schema: unknown): { title: string }[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = 'title' in schema && typeof schema.title === 'string' ? [schema as { title: string }] : []
  return [...own, ...Object.values(schema).flatMap(findTitled)]
}

test('two different schemas with the same title are an error', () => {
  const route = routes.find(({ path }) => path === '/api/oauth/revoke')
  if (!route) throw new Error('no such route')
  const body = Type.Object({ other: Type.String() }, { title: 'RevokeTokenRequest' })
  const other = { ...route, path: '/other', body }
  expect(() => describeApi([route, other], 'http://localhost')).toThrow(/have the title RevokeTokenRequest/)
})

test('the two revocation routes have different bodies in the API description and in the SDK', () => {
  const { paths, components } = JSON.parse(docs['openapi.json'] ?? '') as Description
  const fieldsOf = (path: string) => {
    const [media = { schema: { $ref: '' } }] = Object.values(paths[path]?.post?.requestBody?.content ?? {})
    return Object.keys(components.schemas[media.schema.$ref.split('/').at(-1) ?? '']?.properties ?? {})
  }
  const credentials = ['client_id', 'client_secret', 'client_assertion', 'client_assertion_type']
  expect(fieldsOf('/api/oauth/revoke')).toEqual(['token', 'token_type_hint', ...credentials])
  expect(fieldsOf('/api/integration/licenses/revoke')).toEqual(['userId', 'applicationId'])
  expectTypeOf<Operations['POST /api/oauth/revoke']['body']>().toHaveProperty('token')
  expectTypeOf<Operations['POST /api/oauth/revoke']['body']>().not.toHaveProperty('userId')
  expectTypeOf<Operations['POST /api/integration/licenses/revoke']['body']>().toHaveProperty('userId')
})

const LICENSES = '/api/integration/licenses'

test('every applicationId is described as a UUID, and as required where it is', () => {
  const { paths, components } = JSON.parse(docs['openapi.json'] ?? '') as Description
  const id = expect.objectContaining({ type: 'string', format: 'uuid' })
  const parameter = (path: string, method: 'get' | 'post') =>
    paths[path]?.[method]?.parameters.find(({ name }) => name === 'applicationId')
  for (const path of ['check', 'feature', 'type', 'explain'].map((name) => `${LICENSES}/${name}`)) {
    expect(parameter(path, 'get'), path).toMatchObject({ in: 'query', required: true, schema: id })
  }
  expect(parameter('/api/licensing/license-types', 'get')).toMatchObject({ required: true, schema: id })
  // A POST accepts it in the query or in the body.
  for (const path of [`${LICENSES}/check`, `${LICENSES}/feature`]) {
    expect(parameter(path, 'post'), path).toMatchObject({ in: 'query', required: false, schema: id })
  }
  const { schemas } = components
  for (const name of ['GrantLicenseRequest', 'RevokeLicenseRequest', 'CreateLicenseTypeRequest']) {
    expect(schemas[name], name).toMatchObject({
      properties: { applicationId: id },
      required: expect.arrayContaining(['applicationId']),
    })
  }
  type Bodies = Operations[`POST ${typeof LICENSES}/${'grant' | 'revoke' | 'change'}`]['body']
  expectTypeOf<Bodies['applicationId']>().toEqualTypeOf<string>()
  type Rows = Operations[`POST ${typeof LICENSES}/grant/bulk`]['body']['grants'][number]
  expectTypeOf<Rows['applicationId']>().toEqualTypeOf<string>()
  type Query = Operations[`GET ${typeof LICENSES}/check`]['query']
  expectTypeOf<Query['applicationId']>().toEqualTypeOf<string>()
})

interface Parameter {
  name: string
  in: string
  required: boolean
  schema: object
}

interface Operation {
  parameters: Parameter[]
  requestBody?: { content: Record<string, { schema: { $ref: string } }> }
}

interface Description {
  paths: Record<string, { get?: Operation; post?: Operation }>
  components: { schemas: Record<string, { properties: object }> }
}

test('every schema of a route can be compiled', () => {
  const { validator, serializer } = createCompilers()
  for (const { method, path: url, body, query, params, reply } of routes) {
    for (const [httpPart, schema] of Object.entries({ body, querystring: query, params }))
      if (schema) expect(validator({ schema, method, url, httpPart })).toBeTypeOf('function')
    for (const [httpStatus, schema] of Object.entries(reply))
      expect(serializer({ schema, method, url, httpStatus })).toBeTypeOf('function')
  }
})

test('every number in a request has an upper bound', () => {
  const unbounded = routes.flatMap((route) =>
    [route.body, route.query, route.params].flatMap((schema) =>
      findNumbers(schema)
        .filter((number) => number.maximum === undefined)
        .map(() => `${route.method} ${route.path}`),
    ),
  )
  expect(unbounded).toEqual([])
})

test('every number in a query accepts decimal digits only', () => {
  const { validator } = createCompilers()
  const read = ({ method, path: url, query: schema }: (typeof routes)[number], name: string, text: string) => {
    const validate = validator({ schema: schema ?? {}, method, url, httpPart: 'querystring' })
    validate({ [name]: text })
    return (validate.errors ?? []).some(({ instancePath }) => instancePath === `/${name}`) ? 'refused' : 'read'
  }
  const numbers = routes.flatMap((route) => {
    const { properties = {} } = (route.query ?? {}) as { properties?: Record<string, { type?: string }> }
    return Object.entries(properties).flatMap(([name, { type }]) => (type === 'integer' ? [{ route, name }] : []))
  })
  expect(numbers.length).toBeGreaterThan(10)
  for (const { route, name } of numbers) {
    const where = `${route.path} ${name}`
    expect(read(route, name, '7'), where).toBe('read')
    for (const text of ['0x10', '1e1', ' 7', '+7', '07', '7.0']) expect(read(route, name, text), where).toBe('refused')
  }
})

function findNumbers(schema: unknown): { maximum?: number }[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type } = schema as { type?: unknown }
  const own = type === 'integer' || type === 'number' ? [schema] : []
  return [...own, ...Object.values(schema).flatMap(findNumbers)]
}
