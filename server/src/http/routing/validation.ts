import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import stringify from 'fast-json-stringify'
import type { FastifyInstance, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import { CHECKED_BY_HANDLER } from './schema.ts'

const AJV_OPTIONS = {
  // Unknown fields are dropped, which prevents mass assignment.
  removeAdditional: 'all',
  useDefaults: true,
  // Report all errors. The number of values in a body is limited, so the work is bounded.
  allErrors: true,
  strict: false,
  // Ajv would coerce more than decimal digits to numbers: 0x10, 1e1, a space and a digit.
  coerceTypes: false,
} as const

/** Compile schemas to functions that validate requests and serialize responses. */
export interface Compilers {
  validator: FastifySchemaCompiler<object>
  serializer: FastifySerializerCompiler<object>
}

type Validate = ReturnType<Compilers['validator']>
type Serialize = ReturnType<Compilers['serializer']>

/** Bodies are never coerced: "5" is not a number. Queries and path parameters are strings and are parsed by type. */
export function createCompilers(): Compilers {
  const ajv = new Ajv(AJV_OPTIONS)
  formats.default(ajv)
  // Ajv caches validators by their schema; fast-json-stringify does not.
  const serializers = new WeakMap<object, Serialize>()
  return {
    validator: ({ schema, httpPart }) => {
      const validate = ajv.compile(relax(schema))
      return httpPart === 'body' ? validate : parseThenValidate(schema, validate)
    },
    serializer: ({ schema }) => {
      const serializer = serializers.get(schema) ?? stringify(schema)
      serializers.set(schema, serializer)
      return serializer
    },
  }
}

interface TextSchema {
  properties?: Record<string, { type?: unknown }>
}

/** Parses strings by their schema type before validation. A value that cannot be parsed stays a string and is rejected. */
function parseThenValidate({ properties = {} }: TextSchema, compiled: Validate): Validate {
  const types = Object.entries(properties).map(([name, { type }]) => [name, type] as const)
  const validate: Validate = (data: Record<string, unknown>) => {
    for (const [name, type] of types) {
      const text = data[name]
      if (typeof text === 'string') data[name] = parseAs(type, text)
    }
    const isValid = compiled(data)
    validate.errors = compiled.errors
    return isValid
  }
  return validate
}

const DECIMAL = /^-?(?:0|[1-9]\d*)$/

function parseAs(type: unknown, text: string): unknown {
  if (type === 'integer') return DECIMAL.test(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}

/** Relaxed schemas by original, so that each is created and compiled once. */
const relaxedSchemas = new WeakMap<object, object>()

function relax(schema: object): object {
  const relaxed = relaxedSchemas.get(schema) ?? (hasHandlerChecks(schema) ? relaxWithin(schema) : schema)
  relaxedSchemas.set(schema, relaxed)
  return relaxed
}

const hasHandlerChecks = (schema: object): boolean => JSON.stringify(schema).includes(`"${CHECKED_BY_HANDLER}"`)

/** Accepts any value, and a missing value, for fields that the handler checks. */
function relaxWithin(schema: object): object {
  if (Array.isArray(schema)) return schema.map(relaxPart)
  const parts = Object.entries(schema).map(([key, part]) => [key, relaxPart(part)])
  const copy: { properties?: object; required?: string[] } = Object.fromEntries(parts)
  const checked = Object.entries(copy.properties ?? {}).flatMap(([name, field]) =>
    CHECKED_BY_HANDLER in field ? [name] : [],
  )
  if (checked.length === 0) return copy
  return {
    ...copy,
    properties: { ...copy.properties, ...Object.fromEntries(checked.map((name) => [name, {}])) },
    required: copy.required?.filter((name) => !checked.includes(name)) ?? [],
  }
}

const relaxPart = (part: unknown): unknown => (typeof part === 'object' && part !== null ? relaxWithin(part) : part)

/** Shared by all apps of a process, because the result depends on the schema alone. */
const compilers = createCompilers()

/** Compiles each schema at its first use: compiling all of them would delay the start. */
export function installValidation(app: FastifyInstance): void {
  app.setValidatorCompiler<object>((schema) => validateLater(() => compilers.validator(schema)))
  app.setSerializerCompiler<object>((schema) => serializeLater(() => compilers.serializer(schema)))
}

function validateLater(compile: () => Validate): Validate {
  let compiled: Validate | undefined
  const validate: Validate = (data: unknown) => {
    compiled ??= compile()
    const isValid = compiled(data)
    // Fastify reads the errors from the function object.
    validate.errors = compiled.errors
    return isValid
  }
  return validate
}

function serializeLater(compile: () => Serialize): Serialize {
  let compiled: Serialize | undefined
  return (data) => {
    compiled ??= compile()
    return compiled(data)
  }
}
