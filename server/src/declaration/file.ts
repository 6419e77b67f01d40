import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type * as Yaml from 'yaml'
import type { Environment } from '../config/reader.ts'
import { OperatorError } from '../errors.ts'
import { describeFsError } from '../lib/fs-error.ts'
import { findJsonProblem } from '../lib/json.ts'
import { createConcealer, isReference, resolveReferences } from './environment.ts'
import type { Declaration, Entry, Section } from './section.ts'

/** A parsed and validated declaration. */
export interface LoadedDeclaration {
  declaration: Declaration
  /** Replaces the values of environment variables by their references. */
  conceal(text: string): string
  /** The paths of the passwords and secrets that are written in plain text. */
  plainSecrets: string[]
}

/** Reads a declaration without environment variables. Fields that no section knows are an error. */
export const readDeclaration = (path: string, sections: Section[]): Declaration =>
  loadDeclaration(path, sections, {}).declaration

/** Reads a file, or standard input if its name is `-`. */
export function loadDeclaration(file: string, sections: Section[], env: Environment): LoadedDeclaration {
  const name = file === '-' ? 'Standard input' : file
  return checkDeclaration(name, parseYaml(name, readText(name, file === '-' ? 0 : file)) ?? {}, { sections, env })
}

/** Validates the parsed content of a declaration. Errors begin with its name. */
export function checkDeclaration(
  name: string,
  written: unknown,
  { sections, env }: { sections: Section[]; env: Environment },
): LoadedDeclaration {
  const problem = findJsonProblem(written)
  if (problem) throw new OperatorError(`${name} is not a valid declaration: ${problem}`)
  const { content, used } = resolveReferences(written, env)
  const resolvedProblem = used.size > 0 ? findJsonProblem(content) : undefined
  if (resolvedProblem) throw new OperatorError(`${name} is not a valid declaration: ${resolvedProblem}`)
  requireValid(name, sections, content)
  return {
    declaration: content as Declaration,
    conceal: createConcealer(used),
    plainSecrets: findPlainSecrets(written as Declaration),
  }
}

/** Errors name only the line and the code. The message of the parser quotes the text, which may be a secret. */
export function parseYaml(name: string, text: string): unknown {
  // Loaded on first use: test mode starts without it.
  const { LineCounter, parseDocument } = createRequire(import.meta.url)('yaml') as typeof Yaml
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'error', lineCounter })
  const [error] = document.errors
  if (error) {
    const { line } = lineCounter.linePos(error.pos[0])
    throw new OperatorError(`${name} is not valid YAML: line ${line} (${error.code}).`)
  }
  try {
    return document.toJS()
  } catch {
    throw new OperatorError(`${name} is not valid YAML: an alias has no anchor before it, or too many are used.`)
  }
}

function readText(path: string, file: string | number): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const reason = describeFsError(error) ?? 'there is no such file'
    throw new OperatorError(`${path} cannot be read: ${reason}.`, { cause: error })
  }
}

const validators = new WeakMap<Section[], ValidateFunction>()

function getValidator(sections: Section[]): ValidateFunction {
  const cached = validators.get(sections)
  if (cached) return cached
  const validate = new Ajv({ allErrors: true, strict: false }).compile({
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(sections.map((section) => [section.key, toListSchema(section)])),
  })
  validators.set(sections, validate)
  return validate
}

function requireValid(name: string, sections: Section[], content: unknown): void {
  const validate = getValidator(sections)
  if (validate(content)) return
  // The error of `if` only repeats that `then` or `else` failed.
  const problems = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if').map(describeError)
  throw new OperatorError([`${name} is not a valid declaration:`, ...problems].join('\n'))
}

/** An entry with `absent: true` needs only its keys. Any other entry must match the schema of its section. */
const toListSchema = ({ entry, keys }: Section) => {
  const { properties } = entry
  const absent = { type: 'boolean' }
  const anyValues = Object.fromEntries(Object.keys(properties).map((name) => [name, {}]))
  const keyProperties = Object.fromEntries(keys.map((key) => [key, { type: 'string' }]))
  return {
    type: 'array',
    items: {
      if: { type: 'object', properties: { absent: { const: true } }, required: ['absent'] },
      // biome-ignore lint/suspicious/noThenProperty: JSON Schema calls the keyword "then".
      then: {
        type: 'object',
        additionalProperties: false,
        required: [...keys],
        properties: { ...anyValues, ...keyProperties, absent },
      },
      else: { ...entry, properties: { ...properties, absent } },
    },
  }
}

function describeError({ instancePath, message, params }: ErrorObject): string {
  const where = instancePath.slice(1).replaceAll('/', '.') || 'the document'
  const extra = 'additionalProperty' in params ? ` ("${params.additionalProperty}")` : ''
  return `  - ${where} ${message}${extra}`
}

const SECRET_FIELDS = ['password', 'secret']

const findPlainSecrets = (written: Declaration): string[] =>
  Object.entries(written).flatMap(([section, entries]) =>
    entries.flatMap((entry, index) =>
      SECRET_FIELDS.filter((field) => isPlainText((entry as Entry)[field])).map(
        (field) => `${section}.${index}.${field}`,
      ),
    ),
  )

const isPlainText = (value: unknown) => typeof value === 'string' && !isReference(value)
