import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { expect, test } from 'vitest'
import { listRoutes } from '../../src/app.ts'
import { documentedConfig, generatedDocs } from '../../src/cli/generated-docs.ts'
import { createExample } from '../../src/http/docs/examples.ts'
import { toMetadata } from '../../src/oauth/discovery.ts'

interface Media {
  schema: object
  example?: unknown
}

interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security: object[]
  parameters: { name: string; in: string; schema: Record<string, unknown> }[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

const description = JSON.parse(generatedDocs()['openapi.json'] ?? '') as {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object>; securitySchemes: object }
}
const operations = Object.values(description.paths).flatMap((methods) => Object.values(methods))
const { routes } = listRoutes(documentedConfig())

test('every operation has a method name, a tag with a description, a description and a security requirement', () => {
  const tags = new Map(description.tags.map((tag) => [tag.name, tag.description]))
  for (const { operationId, ...operation } of operations) {
    expect(operationId).toMatch(/^[a-z]+(?:[A-Z][a-z]+)*$/)
    expect(operation.description, operationId).toMatch(/\.$/)
    expect(
      operation.tags.map((tag) => tags.get(tag)),
      operationId,
    ).toEqual([expect.stringMatching(/\.$/)])
    for (const requirement of operation.security) {
      expect(Object.keys(description.components.securitySchemes)).toEqual(
        expect.arrayContaining(Object.keys(requirement)),
      )
    }
  }
})

test('a route without authentication says so, and every other one names its credentials', () => {
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    const security = description.paths[path]?.[route.method.toLowerCase()]?.security
    if (route.caller === 'anyone' && !route.authenticatedBy) expect(security, path).toEqual([])
    else expect(security?.length, path).toBeGreaterThan(0)
  }
})

test('every body has an example that is valid', () => {
  for (const { operationId, body, reply, streams } of routes) {
    const replies = streams ? [] : Object.values(reply)
    for (const schema of [...(body ? [body] : []), ...replies]) {
      const example = createExample(schema)
      expect(Check(schema, example), `${operationId}: ${JSON.stringify(example)}`).toBe(true)
    }
  }
  for (const { operationId, requestBody, responses } of operations) {
    const success = Object.entries(responses).filter(([status]) => status.startsWith('2'))
    for (const content of [requestBody?.content, ...success.map(([, response]) => response.content)]) {
      const json = content?.['application/json'] ?? content?.['application/x-www-form-urlencoded']
      if (json) expect(json.example, operationId).toBeDefined()
    }
  }
})

test('the example of the provider metadata has the real endpoints', () => {
  const { paths } = description
  const media = paths['/.well-known/openid-configuration']?.get?.responses['200']?.content?.['application/json']
  const example = media?.example as Record<string, string>
  const provider = toMetadata(
    { ...documentedConfig(), baseUrl: example.issuer ?? '' },
    {
      formPost: false,
      pushedRequests: true,
      dpop: false,
      furtherAlgorithms: [],
      deviceFlow: true,
      tokenExchange: false,
      privateKeyJwt: false,
      requestObjects: false,
      backchannelLogout: false,
    },
  )
  const endpoints = Object.entries(provider).filter(([name]) => /_endpoint$|_uri$/.test(name))
  expect(endpoints.length).toBeGreaterThan(5)
  expect(example).toMatchObject(Object.fromEntries(endpoints))
})

test('no example is only the name of its field', () => {
  const schemas = routes.flatMap(({ body, query, reply }) => [body, query, ...Object.values(reply)])
  expect(schemas.flatMap((schema) => findPlaceholders(schema))).toEqual([])
})

function findPlaceholders(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {}, items, anyOf = [] } = schema as { properties?: object; items?: object; anyOf?: object[] }
  const own = Object.entries(properties).filter(([name, property]) => createExample(property, name) === name)
  return [
    ...own.map(([name]) => name),
    ...[...Object.values(properties), items, ...anyOf].flatMap((inner) => findPlaceholders(inner)),
  ]
}

test('no schema has a name that generated clients use themselves', () => {
  const titles = Object.keys(description.components.schemas)
  // Go clients name the constructor of a type X `NewX`; the others are types of a language or of its runtime.
  const taken = ['Error', 'Event', 'Object', 'Map', 'Set', 'Date', 'Response', 'Request', 'Configuration', 'String']
  expect(titles.filter((title) => taken.includes(title) || /^New[A-Z]/.test(title))).toEqual([])
  expect(titles.filter((title) => !/^[A-Z][a-z]*(?:[A-Z][a-z]*)*$/.test(title))).toEqual([])
})

test('every parameter and every field has a type', () => {
  const untyped = operations.flatMap(({ operationId, parameters }) =>
    parameters.filter(({ schema }) => !isTyped(schema)).map(({ name }) => `${operationId}.${name}`),
  )
  expect(untyped).toEqual([])
  const fields = Object.entries(description.components.schemas).flatMap(([title, schema]) => findUntyped(schema, title))
  // Their content depends on the error, the event or the tenant; an address in a bulk request may be anything.
  const free = /\.(?:details|settings|data)$|^BulkInvite\w+\.\w+\.email$/
  expect(fields.filter((field) => !free.test(field))).toEqual([])
})

const isTyped = (schema: object): boolean =>
  ['type', '$ref', 'anyOf', 'const', 'enum', 'allOf'].some((key) => key in schema)

function findUntyped(schema: unknown, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {}, items } = schema as { properties?: Record<string, object>; items?: object }
  const own = Object.entries(properties).filter(([, property]) => !isTyped(property))
  return [
    ...own.map(([name]) => `${path}.${name}`),
    ...Object.entries(properties).flatMap(([name, property]) => findUntyped(property, `${path}.${name}`)),
    ...findUntyped(items, path),
  ]
}

test('an example has every field, and the value of a field that has one', () => {
  const schema = Type.Object({
    kind: Type.Literal('person'),
    email: Type.String(),
    ids: Type.Array(Type.String({ format: 'uuid' })),
  })
  expect(createExample(schema)).toEqual({
    kind: 'person',
    email: 'mia@acme.test',
    ids: [expect.stringMatching(/^[0-9a-f-]{36}$/)],
  })
})
