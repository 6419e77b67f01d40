import { isCleanText } from './text.ts'

const MAX_DEPTH = 64

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
  const survey: Survey = { keys: 0, problem: undefined }
  inspect(value, [], survey)
  if (survey.problem) return { ok: false, problem: survey.problem }
  // JSON.parse keeps the last of two equal keys; another reader may keep the first. Counting shows them.
  if (survey.keys !== countKeys(text)) return syntax('The body names a key twice.')
  return { ok: true, value }
}

interface Survey {
  keys: number
  problem: JsonProblem | undefined
}

function inspect(value: unknown, path: string[], survey: Survey): void {
  if (survey.problem) return
  const refuse = (message: string) => {
    survey.problem = { kind: 'value', field: path.join('.'), message }
  }
  if (typeof value === 'string') {
    if (!isCleanText(value)) refuse('contains a character that is not allowed')
    return
  }
  if (value === null || typeof value !== 'object') return
  if (path.length >= MAX_DEPTH) {
    survey.problem = { kind: 'syntax', message: `The body is nested deeper than ${MAX_DEPTH} levels.` }
    return
  }
  for (const [key, member] of Object.entries(value)) {
    if (!Array.isArray(value)) {
      survey.keys++
      if (key === '__proto__' || !isCleanText(key)) refuse('has a key that is not allowed')
    }
    inspect(member, [...path, key], survey)
  }
}

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
