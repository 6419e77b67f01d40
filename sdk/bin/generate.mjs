// Writes src/types.ts from the description of the API, so that the client knows every route, what it takes and what
// it answers. `npm run docs` runs it; a test fails when the file is stale.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const DESCRIPTION = new URL('../../docs/openapi.json', import.meta.url)
const TYPES = new URL('../src/types.ts', import.meta.url)

const HEAD = `// Made from docs/openapi.json by sdk/bin/generate.mjs: change the routes, not this file.\n`

const FORM = 'application/x-www-form-urlencoded'

export function generate(description) {
  const schemas = Object.entries(description.components.schemas).sort(([a], [b]) => (a < b ? -1 : 1))
  const routes = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const operations = routes.map(({ method, path, operation }) => describeOperation(method, path, operation))
  const forms = routes.filter(({ operation }) => FORM in (operation.requestBody?.content ?? {}))
  return [
    HEAD,
    ...schemas.map(([name, schema]) => `export type ${name} = ${typeOf(schema)}\n`),
    '/** What each route takes and answers. */',
    'export interface Operations {',
    ...operations,
    '}',
    '',
    '/** The routes that take their body in the encoding of HTML forms. All others take JSON. */',
    'export const FORM_OPERATIONS: readonly (keyof Operations)[] = [',
    ...forms.map(({ method, path }) => `  '${method.toUpperCase()} ${path}',`),
    ']',
    '',
  ].join('\n')
}

function describeOperation(method, path, { summary, parameters = [], requestBody, responses }) {
  const at = (place) => parameters.filter((parameter) => parameter.in === place)
  const parts = [
    ['path', toParameters(at('path'))],
    ['query', toParameters(at('query'))],
    ['body', bodyOf(requestBody)],
    ['reply', replyOf(responses)],
  ]
  const lines = parts.filter(([, type]) => type !== undefined).map(([name, type]) => `    ${name}: ${type}`)
  return [`  /** ${summary} */`, `  '${method.toUpperCase()} ${path}': {`, ...lines, '  }'].join('\n')
}

function toParameters(parameters) {
  if (parameters.length === 0) return undefined
  return `{ ${parameters
    .map(({ name, required, schema }) => `${name}${required ? '' : '?'}: ${typeOf(schema)}`)
    .join('; ')} }`
}

function bodyOf(requestBody) {
  if (!requestBody) return undefined
  const [{ schema }] = Object.values(requestBody.content)
  return requestBody.required ? typeOf(schema) : `${typeOf(schema)} | undefined`
}

/** What it answers when it succeeds. What is no JSON is text. */
function replyOf(responses) {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const types = successes.map(([, { content }]) => {
    const json = content?.['application/json']
    return json ? typeOf(json.schema) : content ? 'string' : 'undefined'
  })
  return types.length === 0 ? 'undefined' : [...new Set(types)].join(' | ')
}

function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split('/').at(-1)
  if ('const' in schema) return toLiteral(schema.const)
  if (schema.enum) return schema.enum.map(toLiteral).join(' | ')
  if (schema.anyOf) return schema.anyOf.map(inUnion).join(' | ')
  if (schema.oneOf) return schema.oneOf.map(inUnion).join(' | ')
  if (schema.allOf) return schema.allOf.map(inUnion).join(' & ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ')
  switch (schema.type) {
    case 'string':
      return 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      return `${inUnion(schema.items ?? {})}[]`
    case 'object':
      return objectOf(schema)
    default:
      return 'unknown'
  }
}

const toLiteral = (value) => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value))

function inUnion(schema) {
  const type = typeOf(schema)
  return / [|&] /.test(type) && !type.startsWith('{') ? `(${type})` : type
}

function objectOf({ properties = {}, required = [], additionalProperties, patternProperties }) {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const key = /^\w+$/.test(name) ? name : `'${name}'`
    return `${key}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`
  })
  const rest = restOf(additionalProperties, patternProperties)
  if (fields.length === 0) return `Record<string, ${rest || 'unknown'}>`
  const known = `{ ${fields.join('; ')} }`
  return rest ? `${known} & Record<string, ${rest}>` : known
}

function restOf(additionalProperties, patternProperties) {
  const [pattern] = Object.values(patternProperties ?? {})
  if (pattern) return typeOf(pattern)
  if (additionalProperties === true) return 'unknown'
  return additionalProperties && typeOf(additionalProperties)
}

export const readDescription = () => JSON.parse(readFileSync(DESCRIPTION, 'utf8'))
export const readTypes = () => readFileSync(TYPES, 'utf8')

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(TYPES, generate(readDescription()))
