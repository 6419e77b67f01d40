// Generates src/types.ts from docs/openapi.json. `npm run docs` runs it; a test fails if the file is stale.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const OPENAPI_FILE = new URL('../../../docs/openapi.json', import.meta.url)
const TYPES_FILE = new URL('../src/types.ts', import.meta.url)

const HEADER = `// Generated from docs/openapi.json by sdk/client/bin/generate.mjs. Do not edit.\n`

const FORM_TYPE = 'application/x-www-form-urlencoded'

export function generate(description) {
  const schemas = Object.entries(description.components.schemas).sort(([a], [b]) => (a < b ? -1 : 1))
  const routes = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const operations = routes.map(({ method, path, operation }) => toOperation(method, path, operation))
  const forms = routes.filter(({ operation }) => FORM_TYPE in (operation.requestBody?.content ?? {}))
  const idempotent = routes.filter(({ operation }) =>
    operation.parameters.some(({ name }) => name === 'Idempotency-Key'),
  )
  const codes = description.components.schemas.ErrorResponse.properties.error['x-known-values']
  return [
    HEADER,
    ...schemas.map(([name, schema]) => `export type ${name} = ${toType(schema)}\n`),
    '/** The input and reply types of each route. */',
    'export interface Operations {',
    ...operations,
    '}',
    '',
    '/** Routes with a form-encoded body. All others take JSON. */',
    ...toConstant('FORM_OPERATIONS', forms),
    '/** Routes that accept an Idempotency-Key. */',
    ...toConstant('IDEMPOTENT_OPERATIONS', idempotent),
    '/** The codes of error responses. A newer service may have more. */',
    'export type ErrorCode =',
    ...codes.map((code) => `  | '${code}'`),
    '',
  ].join('\n')
}

const toConstant = (name, routes) => [
  `export const ${name}: readonly (keyof Operations)[] = [`,
  ...routes.map(({ method, path }) => `  '${method.toUpperCase()} ${path}',`),
  ']',
  '',
]

function toOperation(method, path, { summary, parameters = [], requestBody, responses }) {
  const parametersIn = (location) => parameters.filter((parameter) => parameter.in === location)
  const parts = [
    ['path', toParameters(parametersIn('path'))],
    ['query', toParameters(parametersIn('query'))],
    ['body', toBody(requestBody)],
    ['reply', toReply(responses)],
  ]
  const lines = parts.filter(([, type]) => type !== undefined).map(([name, type]) => `    ${name}: ${type}`)
  return [`  /** ${summary} */`, `  '${method.toUpperCase()} ${path}': {`, ...lines, '  }'].join('\n')
}

function toParameters(parameters) {
  if (parameters.length === 0) return undefined
  return `{ ${parameters
    .map(({ name, required, schema }) => `${name}${required ? '' : '?'}: ${toType(schema)}`)
    .join('; ')} }`
}

function toBody(requestBody) {
  if (!requestBody) return undefined
  const [{ schema }] = Object.values(requestBody.content)
  return requestBody.required ? toType(schema) : `${toType(schema)} | undefined`
}

/** The type of a successful response. Other content types than JSON are strings. */
function toReply(responses) {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const types = successes.map(([, { content }]) => {
    const json = content?.['application/json']
    return json ? toType(json.schema) : content ? 'string' : 'undefined'
  })
  return types.length === 0 ? 'undefined' : [...new Set(types)].join(' | ')
}

function toType(schema) {
  if (schema.$ref) return schema.$ref.split('/').at(-1)
  if ('const' in schema) return toLiteral(schema.const)
  if (schema.enum) return schema.enum.map(toLiteral).join(' | ')
  if (schema.anyOf) return schema.anyOf.map(toUnionMember).join(' | ')
  if (schema.oneOf) return schema.oneOf.map(toUnionMember).join(' | ')
  if (schema.allOf) return schema.allOf.map(toUnionMember).join(' & ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => toType({ ...schema, type })).join(' | ')
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
      return `${toUnionMember(schema.items ?? {})}[]`
    case 'object':
      return toObject(schema)
    default:
      return 'unknown'
  }
}

const toLiteral = (value) => (typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value))

function toUnionMember(schema) {
  const type = toType(schema)
  return / [|&] /.test(type) && !type.startsWith('{') ? `(${type})` : type
}

function toObject({ properties = {}, required = [], additionalProperties, patternProperties }) {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const key = /^\w+$/.test(name) ? name : `'${name}'`
    return `${key}${required.includes(name) ? '' : '?'}: ${toType(schema)}`
  })
  const indexType = toIndexType(additionalProperties, patternProperties)
  if (fields.length === 0) return `Record<string, ${indexType || 'unknown'}>`
  const object = `{ ${fields.join('; ')} }`
  return indexType ? `${object} & Record<string, ${indexType}>` : object
}

function toIndexType(additionalProperties, patternProperties) {
  const [pattern] = Object.values(patternProperties ?? {})
  if (pattern) return toType(pattern)
  if (additionalProperties === true) return 'unknown'
  return additionalProperties && toType(additionalProperties)
}

export const readDescription = () => JSON.parse(readFileSync(OPENAPI_FILE, 'utf8'))
export const readTypes = () => readFileSync(TYPES_FILE, 'utf8')

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(TYPES_FILE, generate(readDescription()))
