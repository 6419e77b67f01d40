import { readFileSync } from 'node:fs'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { LineCounter, parseDocument } from 'yaml'
import type { Environment } from '../config/reader.ts'
import { OperatorError } from '../errors.ts'
import { fsProblem } from '../lib/fs-problem.ts'
import { findProblem } from '../lib/json.ts'
import { createConcealer, isReference, resolveReferences } from './environment.ts'
import type { Declaration, Entry, Section } from './section.ts'

/** A declaration that was read. */
export interface Loaded {
  declaration: Declaration
  /** Puts references back for the values of the environment that it uses. */
  conceal(text: string): string
  /** Where a password or a secret stands in plain text. */
  plainSecrets: string[]
}

/** Reads a declaration and makes sure it says nothing that no section understands. */
export const readDeclaration = (path: string, sections: Section[]): Declaration =>
  loadDeclaration(path, sections, {}).declaration

export function loadDeclaration(path: string, sections: Section[], env: Environment): Loaded {
  const written = parseYaml(path, readText(path)) ?? {}
  const unfit = findProblem(written)
  if (unfit) throw new OperatorError(`${path} is not a valid declaration: ${unfit}`)
  const { content, used } = resolveReferences(written, env)
  const strange = used.size > 0 ? findProblem(content) : undefined
  if (strange) throw new OperatorError(`${path} is not a valid declaration: ${strange}`)
  requireFit(path, sections, content)
  return {
    declaration: content as Declaration,
    conceal: createConcealer(used),
    plainSecrets: findPlainSecrets(written as Declaration),
  }
}

/** A mistake is told by its place and kind alone: what stands there, and the parser would repeat, may be a secret. */
function parseYaml(path: string, text: string): unknown {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { prettyErrors: false, logLevel: 'error', lineCounter })
  const [broken] = document.errors
  if (broken) {
    const { line } = lineCounter.linePos(broken.pos[0])
    throw new OperatorError(`${path} is not valid YAML: line ${line} (${broken.code}).`)
  }
  try {
    return document.toJS()
  } catch {
    throw new OperatorError(
      `${path} is not valid YAML: an alias has no anchor before it, or too many are used.`,
    )
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = fsProblem(error) ?? 'there is no such file'
    throw new OperatorError(`${path} cannot be read: ${reason}.`, { cause: error })
  }
}

const compiled = new WeakMap<Section[], ValidateFunction>()

function validatorFor(sections: Section[]): ValidateFunction {
  const known = compiled.get(sections)
  if (known) return known
  const validate = new Ajv({ allErrors: true, strict: false }).compile({
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(sections.map((section) => [section.key, listOf(section)])),
  })
  compiled.set(sections, validate)
  return validate
}

function requireFit(path: string, sections: Section[], content: unknown): void {
  const validate = validatorFor(sections)
  if (validate(content)) return
  // That one of the two forms of an entry was not met is told by what is wrong with it.
  const problems = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if').map(describe)
  throw new OperatorError([`${path} is not a valid declaration:`, ...problems].join('\n'))
}

/** Entries say all that a thing is, or that it is to be gone. */
const listOf = ({ entry, keys }: Section) => {
  const { properties } = entry
  const absent = { type: 'boolean' }
  const whatever = Object.fromEntries(Object.keys(properties).map((name) => [name, {}]))
  const named = Object.fromEntries(keys.map((key) => [key, { type: 'string' }]))
  return {
    type: 'array',
    items: {
      if: { type: 'object', properties: { absent: { const: true } }, required: ['absent'] },
      // biome-ignore lint/suspicious/noThenProperty: the schema language calls it so.
      then: {
        type: 'object',
        additionalProperties: false,
        required: [...keys],
        properties: { ...whatever, ...named, absent },
      },
      else: { ...entry, properties: { ...properties, absent } },
    },
  }
}

function describe({ instancePath, message, params }: ErrorObject): string {
  const where = instancePath.slice(1).replaceAll('/', '.') || 'the document'
  const extra = 'additionalProperty' in params ? ` ("${params.additionalProperty}")` : ''
  return `  - ${where} ${message}${extra}`
}

const SECRETS = ['password', 'secret']

const findPlainSecrets = (written: Declaration): string[] =>
  Object.entries(written).flatMap(([section, entries]) =>
    entries.flatMap((entry, index) =>
      SECRETS.filter((field) => isPlain((entry as Entry)[field])).map(
        (field) => `${section}.${index}.${field}`,
      ),
    ),
  )

const isPlain = (value: unknown) => typeof value === 'string' && !isReference(value)
