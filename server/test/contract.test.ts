import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Operations } from 'latchkey-sdk/types'
import { Type } from 'typebox'
import { expect, expectTypeOf, test } from 'vitest'
import { surface } from '../src/app.ts'
import { generatedDocs } from '../src/cli/generated-docs.ts'
import { loadConfig } from '../src/config.ts'
import { ERRORS, OAUTH_ERRORS } from '../src/errors.ts'
import { COMMON_ERRORS, impliedErrors } from '../src/http/errors.ts'
import { describeApi } from '../src/http/openapi.ts'
import { createCompilers } from '../src/http/validation.ts'

const docs = generatedDocs()
const { routes } = surface(loadConfig('demo', {}))

test.each(Object.entries(docs))('docs/%s is what "npm run docs" writes', (name, text) => {
  const path = fileURLToPath(new URL(`../../docs/${name}`, import.meta.url))
  expect(readFileSync(path, 'utf8')).toBe(text)
})

test('every error code is documented and thrown by some route', () => {
  const declared = new Set([
    ...COMMON_ERRORS,
    ...routes.flatMap((route) => [...route.errors, ...impliedErrors(route)]),
  ])
  expect(Object.keys(ERRORS).filter((code) => !declared.has(code as keyof typeof ERRORS))).toEqual([])
  for (const code of Object.keys(ERRORS)) expect(docs['errors.md']).toContain(`\`${code}\``)
})

test('every OAuth code is answered by some route or by a redirect to the client', () => {
  const declared = new Set<string>(routes.flatMap((route) => route.oauthErrors ?? []))
  const redirected = [
    ...['unsupported_response_type', 'access_denied', 'login_required', 'interaction_required'],
    ...['consent_required', 'request_not_supported', 'request_uri_not_supported'],
  ]
  const ours = ['server_error', 'temporarily_unavailable']
  expect(Object.keys(OAUTH_ERRORS).sort()).toEqual([...new Set([...declared, ...redirected, ...ours])].sort())
})

test('every route stands in the API description once, under a name of its own', () => {
  const { paths } = JSON.parse(docs['openapi.json'] ?? '') as {
    paths: Record<string, Record<string, { operationId: string; responses: object }>>
  }
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  expect(operations).toHaveLength(routes.length)
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(routes.length)
  // Any of them may be asked with too much, and while the database is away.
  for (const { operationId, responses } of operations) {
    expect(Object.keys(responses), operationId).toEqual(expect.arrayContaining(['431', '503']))
  }
})

test('a title names one schema, so that no route is described by the fields of another', () => {
  const byTitle = new Map<string, Set<string>>()
  for (const { body, query, params, reply } of routes) {
    for (const { title, ...schema } of findTitled([body, query, params, reply])) {
      // Names that differ in case alone would be one file in some languages.
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

test('two schemas under one title cannot be described', () => {
  const route = routes.find(({ path }) => path === '/api/oauth/revoke')
  if (!route) throw new Error('no such route')
  const body = Type.Object({ other: Type.String() }, { title: 'RevokeTokenRequest' })
  const other = { ...route, path: '/other', body }
  expect(() => describeApi([route, other], 'http://localhost')).toThrow(/one title/)
})

test('the description gives each of the two revocations its own body, in the document and in the SDK', () => {
  const { paths, components } = JSON.parse(docs['openapi.json'] ?? '') as Description
  const fieldsOf = (path: string) => {
    const [media = { schema: { $ref: '' } }] = Object.values(paths[path]?.post?.requestBody?.content ?? {})
    return Object.keys(components.schemas[media.schema.$ref.split('/').at(-1) ?? '']?.properties ?? {})
  }
  expect(fieldsOf('/api/oauth/revoke')).toEqual(['token', 'token_type_hint', 'client_id', 'client_secret'])
  expect(fieldsOf('/api/integration/licenses/revoke')).toEqual(['userId', 'applicationId'])
  expectTypeOf<Operations['POST /api/oauth/revoke']['body']>().toHaveProperty('token')
  expectTypeOf<Operations['POST /api/oauth/revoke']['body']>().not.toHaveProperty('userId')
  expectTypeOf<Operations['POST /api/integration/licenses/revoke']['body']>().toHaveProperty('userId')
})

const LICENSES = '/api/integration/licenses'

test('every applicationId is described as what it is: the id of an application, required where it cannot be left out', () => {
  const { paths, components } = JSON.parse(docs['openapi.json'] ?? '') as Description
  const id = expect.objectContaining({ type: 'string', format: 'uuid' })
  const parameter = (path: string, method: 'get' | 'post') =>
    paths[path]?.[method]?.parameters.find(({ name }) => name === 'applicationId')
  for (const path of ['check', 'feature', 'type', 'explain'].map((name) => `${LICENSES}/${name}`)) {
    expect(parameter(path, 'get'), path).toMatchObject({ in: 'query', required: true, schema: id })
  }
  expect(parameter('/api/licensing/license-types', 'get')).toMatchObject({ required: true, schema: id })
  // In a POST it may stand in the address or in the body.
  for (const path of [`${LICENSES}/check`, `${LICENSES}/feature`]) {
    expect(parameter(path, 'post'), path).toMatchObject({ in: 'query', required: false, schema: id })
  }
  const { schemas } = components
  for (const name of ['GrantRequest', 'RevokeRequest', 'NewLicenseType']) {
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

test('every schema of a route can be used, though none is compiled before somebody comes', () => {
  const { validator, serializer } = createCompilers()
  for (const { method, path: url, body, query, params, reply } of routes) {
    for (const [httpPart, schema] of Object.entries({ body, querystring: query, params }))
      if (schema) expect(validator({ schema, method, url, httpPart })).toBeTypeOf('function')
    for (const [httpStatus, schema] of Object.entries(reply))
      expect(serializer({ schema, method, url, httpStatus })).toBeTypeOf('function')
  }
})

test('every number a caller may send has an upper bound', () => {
  const unbounded = routes.flatMap((route) =>
    [route.body, route.query, route.params].flatMap((schema) =>
      findNumbers(schema)
        .filter((number) => number.maximum === undefined)
        .map(() => `${route.method} ${route.path}`),
    ),
  )
  expect(unbounded).toEqual([])
})

test('every number in an address is read in decimal digits alone', () => {
  const { validator } = createCompilers()
  const read = (
    { method, path: url, query: schema }: (typeof routes)[number],
    name: string,
    text: string,
  ) => {
    const validate = validator({ schema: schema ?? {}, method, url, httpPart: 'querystring' })
    validate({ [name]: text })
    return (validate.errors ?? []).some(({ instancePath }) => instancePath === `/${name}`)
      ? 'refused'
      : 'read'
  }
  const numbers = routes.flatMap((route) => {
    const { properties = {} } = (route.query ?? {}) as { properties?: Record<string, { type?: string }> }
    return Object.entries(properties).flatMap(([name, { type }]) =>
      type === 'integer' ? [{ route, name }] : [],
    )
  })
  expect(numbers.length).toBeGreaterThan(10)
  for (const { route, name } of numbers) {
    const where = `${route.path} ${name}`
    expect(read(route, name, '7'), where).toBe('read')
    for (const text of ['0x10', '1e1', ' 7', '+7', '07', '7.0'])
      expect(read(route, name, text), where).toBe('refused')
  }
})

function findNumbers(schema: unknown): { maximum?: number }[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type } = schema as { type?: unknown }
  const own = type === 'integer' || type === 'number' ? [schema] : []
  return [...own, ...Object.values(schema).flatMap(findNumbers)]
}
