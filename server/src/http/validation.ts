import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import stringify from 'fast-json-stringify'
import type { FastifyInstance, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'
import { CHECKED_BY_HANDLER } from './schema.ts'

const COMMON = {
  // Unknown fields are dropped, so that nothing unasked-for can ever be applied.
  removeAdditional: 'all',
  useDefaults: true,
  // All problems at once; how many values a body may hold is bounded, so the work is too.
  allErrors: true,
  strict: false,
  // What the validator would make numbers of is more than decimal digits: 0x10, 1e1, a space and a digit.
  coerceTypes: false,
} as const

/** What makes functions of schemas: such as judge what comes in, and such as write what leaves. */
export interface Compilers {
  validator: FastifySchemaCompiler<object>
  serializer: FastifySerializerCompiler<object>
}

type Validate = ReturnType<Compilers['validator']>
type Serialize = ReturnType<Compilers['serializer']>

/** Bodies are taken at their word: "5" is no number. Queries and paths are text, and are read as what they mean. */
export function createCompilers(): Compilers {
  const ajv = new Ajv(COMMON)
  formats.default(ajv)
  // Ajv caches validators by their schema; fast-json-stringify does not.
  const serializers = new WeakMap<object, Serialize>()
  return {
    validator: ({ schema, httpPart }) => {
      const validate = ajv.compile(relax(schema))
      return httpPart === 'body' ? validate : readTextFirst(schema, validate)
    },
    serializer: ({ schema }) => {
      const known = serializers.get(schema) ?? stringify(schema)
      serializers.set(schema, known)
      return known
    },
  }
}

interface TextSchema {
  properties?: Record<string, { type?: unknown }>
}

/** A validator of what came as text. Whatever does not stand for a number where one belongs stays text, and is refused. */
function readTextFirst({ properties = {} }: TextSchema, compiled: Validate): Validate {
  const types = Object.entries(properties).map(([name, { type }]) => [name, type] as const)
  const validate: Validate = (data: Record<string, unknown>) => {
    for (const [name, type] of types) {
      const text = data[name]
      if (typeof text === 'string') data[name] = readAs(type, text)
    }
    const verdict = compiled(data)
    validate.errors = compiled.errors
    return verdict
  }
  return validate
}

const DECIMAL = /^-?(?:0|[1-9]\d*)$/

function readAs(type: unknown, text: string): unknown {
  if (type === 'integer') return DECIMAL.test(text) ? Number(text) : text
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  return text
}

/** Those without what the handler checks itself, so that each is made, and compiled, once. */
const relaxed = new WeakMap<object, object>()

function relax(schema: object): object {
  const known = relaxed.get(schema) ?? (hasChecked(schema) ? relaxWithin(schema) : schema)
  relaxed.set(schema, known)
  return known
}

const hasChecked = (schema: object): boolean => JSON.stringify(schema).includes(`"${CHECKED_BY_HANDLER}"`)

/** Lets fields that the handler checks be anything, or missing. */
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

const relaxPart = (part: unknown): unknown =>
  typeof part === 'object' && part !== null ? relaxWithin(part) : part

/** Shared by all apps of a process: what is compiled depends on the schema alone. */
const compilers = createCompilers()

/** There are many schemas, and compiling all of them would delay the start: each waits for its first use. */
export function installValidation(app: FastifyInstance): void {
  app.setValidatorCompiler<object>((schema) => validateLater(() => compilers.validator(schema)))
  app.setSerializerCompiler<object>((schema) => serializeLater(() => compilers.serializer(schema)))
}

function validateLater(compile: () => Validate): Validate {
  let compiled: Validate | undefined
  const validate: Validate = (data: unknown) => {
    compiled ??= compile()
    const verdict = compiled(data)
    // The framework asks the function itself what was wrong.
    validate.errors = compiled.errors
    return verdict
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
