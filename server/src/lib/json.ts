import { isCleanText } from './text.ts'

const MAX_DEPTH = 64
/** More than any honest request needs, and few enough that checking each costs nothing to speak of. */
const MAX_VALUES = 10_000

/** What is wrong with a JSON text, if anything: it is not JSON at all, or holds a value we refuse. */
export type JsonProblem =
  | { kind: 'syntax'; message: string }
  | { kind: 'value'; field: string; message: string }

export type JsonResult = { ok: true; value: unknown } | { ok: false; problem: JsonProblem }

const syntax = (message: string): JsonResult => ({ ok: false, problem: { kind: 'syntax', message } })
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a request body so that it has one meaning only: valid UTF-8, bounded depth, no key given twice,
 * no text that the database cannot hold, no key that reaches a prototype.
 */
export function parseJson(bytes: Uint8Array): JsonResult {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return syntax('The body is not valid UTF-8.')
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return syntax('The body is not valid JSON.')
  }
  const survey: Survey = { path: [], keys: 0, values: 0 }
  const problem = inspect(value, survey)
  if (problem) return { ok: false, problem }
  // JSON.parse keeps the last of two equal keys; another reader may keep the first. Counting shows them.
  if (survey.keys !== countKeys(text)) return syntax('The body names a key twice.')
  return { ok: true, value }
}

/** What of a value, however it was read, could not have come as JSON; undefined: nothing. */
export function findProblem(value: unknown): string | undefined {
  // However many values there are.
  const problem = inspect(value, { path: [], keys: 0, values: Number.NEGATIVE_INFINITY })
  return problem && (problem.kind === 'value' ? `${problem.field} ${problem.message}` : problem.message)
}

interface Survey {
  /** Where we are. One list for the whole walk: a copy at each step would cost more than the parsing. */
  path: (string | number)[]
  keys: number
  values: number
}

function inspect(value: unknown, survey: Survey): JsonProblem | undefined {
  if (++survey.values > MAX_VALUES) {
    return { kind: 'syntax', message: `The body holds more than ${MAX_VALUES} values.` }
  }
  if (typeof value === 'string')
    return isCleanText(value) ? undefined : refuse(survey, 'contains a character that is not allowed')
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : refuse(survey, 'is too large a number')
  if (value === null || typeof value !== 'object') return undefined
  if (survey.path.length >= MAX_DEPTH) {
    return { kind: 'syntax', message: `The body is nested deeper than ${MAX_DEPTH} levels.` }
  }
  return Array.isArray(value) ? inspectList(value, survey) : inspectObject(value, survey)
}

function inspectList(list: unknown[], survey: Survey): JsonProblem | undefined {
  for (let index = 0; index < list.length; index++) {
    survey.path.push(index)
    const problem = inspect(list[index], survey)
    if (problem) return problem
    survey.path.pop()
  }
  return undefined
}

function inspectObject(object: object, survey: Survey): JsonProblem | undefined {
  for (const key of Object.keys(object)) {
    survey.keys++
    if (key === '__proto__' || !isCleanText(key)) return refuse(survey, 'has a key that is not allowed')
    survey.path.push(key)
    const problem = inspect((object as Record<string, unknown>)[key], survey)
    if (problem) return problem
    survey.path.pop()
  }
  return undefined
}

const refuse = ({ path }: Survey, message: string): JsonProblem => ({
  kind: 'value',
  field: path.join('.'),
  message,
})

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a

/** In valid JSON every key is followed by a colon, and colons stand nowhere else outside strings. */
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
