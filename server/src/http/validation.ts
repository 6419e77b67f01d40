import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import type { FastifyInstance } from 'fastify'

const COMMON = {
  // Unknown fields are dropped, so that nothing unasked-for can ever be applied.
  removeAdditional: 'all',
  useDefaults: true,
  // All problems at once; how many values a body may hold is bounded, so the work is too.
  allErrors: true,
  strict: false,
} as const

/** Bodies are taken at their word: "5" is no number. Queries and paths are text, and are read as what they mean. */
export function installValidation(app: FastifyInstance): void {
  const exact = new Ajv({ ...COMMON, coerceTypes: false })
  const lenient = new Ajv({ ...COMMON, coerceTypes: true })
  formats.default(exact)
  formats.default(lenient)
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === 'body' ? exact : lenient).compile(schema))
}
