import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { surface } from '../src/app.ts'
import { generatedDocs } from '../src/cli/generated-docs.ts'
import { loadConfig } from '../src/config.ts'
import { ERRORS, OAUTH_ERRORS } from '../src/errors.ts'
import { COMMON_ERRORS, impliedErrors } from '../src/http/errors.ts'
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
})

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

function findNumbers(schema: unknown): { maximum?: number }[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type } = schema as { type?: unknown }
  const own = type === 'integer' || type === 'number' ? [schema] : []
  return [...own, ...Object.values(schema).flatMap(findNumbers)]
}
