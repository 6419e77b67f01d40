import { t } from '../languages/translate.ts'
import { isCleanText } from './text.ts'

const MAX_DEPTH = 64
/** More than any legitimate request needs, and few enough to check quickly. */
const MAX_VALUES = 10_000

/** `syntax`: the text is not acceptable JSON; `value`: one value is not allowed. */
export type JsonProblem = { kind: 'syntax'; message: string } | { kind: 'value'; field: string; message: string }

export type JsonResult = { ok: true; value: unknown } | { ok: false; problem: JsonProblem }

const syntax = (message: string): JsonResult => ({ ok: false, problem: { kind: 'syntax', message } })
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a request body. Rejects invalid UTF-8, deep nesting, duplicate keys, text that PostgreSQL cannot store, and the
 * key `__proto__`.
 */
export function parseJson(bytes: Uint8Array): JsonResult {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return syntax(t('The body is not valid UTF-8.'))
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return syntax(t('The body is not valid JSON.'))
  }
  const state: InspectionState = { path: [], keys: 0, values: 0 }
  const problem = inspect(value, state)
  if (problem) return { ok: false, problem }
  // JSON.parse keeps the last of two equal keys, other parsers keep the first. Comparing the counts detects duplicates.
  if (state.keys !== countKeys(text)) return syntax(t('The body names a key twice.'))
  return { ok: true, value }
}

/** Applies the same rules to a value that was not parsed by `parseJson`. Returns an error message or undefined. */
export function findJsonProblem(value: unknown): string | undefined {
  // Without a limit on the number of values.
  const problem = inspect(value, { path: [], keys: 0, values: Number.NEGATIVE_INFINITY })
  return problem && (problem.kind === 'value' ? `${problem.field} ${problem.message}` : problem.message)
}

interface InspectionState {
  /** The current path. It is mutated, because copying it at each step would take longer than parsing. */
  path: (string | number)[]
  keys: number
  values: number
}

function inspect(value: unknown, state: InspectionState): JsonProblem | undefined {
  if (++state.values > MAX_VALUES) {
    return { kind: 'syntax', message: t('The body holds more than {max} values.', { max: MAX_VALUES }) }
  }
  if (typeof value === 'string')
    return isCleanText(value) ? undefined : refuse(state, t('contains a character that is not allowed'))
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : refuse(state, t('is too large a number'))
  if (value === null || typeof value !== 'object') return undefined
  if (state.path.length >= MAX_DEPTH) {
    return { kind: 'syntax', message: t('The body is nested deeper than {max} levels.', { max: MAX_DEPTH }) }
  }
  return Array.isArray(value) ? inspectList(value, state) : inspectObject(value, state)
}

function inspectList(list: unknown[], state: InspectionState): JsonProblem | undefined {
  for (let index = 0; index < list.length; index++) {
    state.path.push(index)
    const problem = inspect(list[index], state)
    if (problem) return problem
    state.path.pop()
  }
  return undefined
}

function inspectObject(object: object, state: InspectionState): JsonProblem | undefined {
  for (const key of Object.keys(object)) {
    state.keys++
    if (key === '__proto__' || !isCleanText(key)) return refuse(state, t('has a key that is not allowed'))
    state.path.push(key)
    const problem = inspect((object as Record<string, unknown>)[key], state)
    if (problem) return problem
    state.path.pop()
  }
  return undefined
}

const refuse = ({ path }: InspectionState, message: string): JsonProblem => ({
  kind: 'value',
  field: path.join('.'),
  message,
})

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a

/** In valid JSON every key is followed by a colon, and outside of strings there are no other colons. */
function countKeys(json: string): number {
  let colons = 0
  for (let i = 0; i < json.length; i++) {
    const char = json.charCodeAt(i)
    if (char === COLON) colons++
    if (char !== QUOTE) continue
    while (json.charCodeAt(++i) !== QUOTE) if (json.charCodeAt(i) === BACKSLASH) i++
  }
  return colons
}
