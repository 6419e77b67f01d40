import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { parseDocument } from 'yaml'
import type { Ctx } from '../context.ts'
import { yielding } from '../db/violations.ts'
import { OperatorError } from '../errors.ts'
import { fsProblem } from '../lib/fs-problem.ts'
import { findProblem } from '../lib/json.ts'
import { inEntry } from './compare.ts'
import type { Change, Declaration, Section } from './section.ts'

/** Reads a declaration and makes sure it says nothing that no section understands. */
export function readDeclaration(path: string, sections: Section[]): Declaration {
  const document = parseDocument(readText(path))
  const [broken] = document.errors
  if (broken) throw new OperatorError(`${path} is not valid YAML: ${broken.message}`)
  const content: unknown = document.toJS() ?? {}
  const validate = new Ajv({ allErrors: true, strict: false }).compile({
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(sections.map(({ key, entry }) => [key, { type: 'array', items: entry }])),
  })
  const unfit = findProblem(content)
  if (unfit) throw new OperatorError(`${path} is not a valid declaration: ${unfit}`)
  if (validate(content)) return content as Declaration
  const problems = (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const where = instancePath.slice(1).replaceAll('/', '.') || 'the document'
    const extra = 'additionalProperty' in params ? ` ("${params.additionalProperty}")` : ''
    return `  - ${where} ${message}${extra}`
  })
  throw new OperatorError([`${path} is not a valid declaration:`, ...problems].join('\n'))
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = fsProblem(error) ?? 'there is no such file'
    throw new OperatorError(`${path} cannot be read: ${reason}.`, { cause: error })
  }
}

/** Compares section by section, in their order. Nothing is changed. */
export async function planChanges(
  ctx: Ctx,
  sections: Section[],
  declaration: Declaration,
): Promise<Change[]> {
  const changes: Change[] = []
  for (const section of sections) {
    const entries = declaration[section.key] ?? []
    if (entries.length > 0) changes.push(...(await section.plan(ctx, entries, declaration)))
  }
  return changes
}

/** All or nothing: the instance matches the declaration, or is as it was. */
export async function applyChanges(ctx: Ctx, changes: Change[]): Promise<void> {
  await yielding(() =>
    ctx.db.transaction().execute(async (tx) => {
      for (const change of changes) await inEntry(change.subject, () => change.apply(tx))
    }),
  )
}

/** The plan as text, one line a change. */
export function describeChanges(changes: Change[]): string {
  if (changes.length === 0) return 'Nothing to change.'
  const lines = changes.map(({ action, subject, fields }) => {
    const mark = action === 'create' ? '+' : '~'
    return `  ${mark} ${subject}${fields.length > 0 ? ` (${fields.join(', ')})` : ''}`
  })
  const created = changes.filter(({ action }) => action === 'create').length
  return [...lines, `${created} to create, ${changes.length - created} to change.`].join('\n')
}
