import type { Environment } from '../config/reader.ts'
import { OperatorError } from '../errors.ts'

/**
 * A text that consists only of `${env:NAME}` is a reference to an environment variable. One more `$` in front escapes
 * it: `$${env:NAME}` is the literal text.
 */
const REFERENCE = /^\$\{env:(.*)\}$/s
const ESCAPED = /^\$+\$\{env:.*\}$/s
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

export const isReference = (text: string): boolean => REFERENCE.test(text)

/** Escapes a text for an export: text that users entered must never be read as a reference. */
export const escapeReference = (text: string): string => (isReference(text) || ESCAPED.test(text) ? `$${text}` : text)

/** A declaration with its references replaced by their values. */
export interface ResolvedContent {
  content: unknown
  /** The variables that were used, with their values. */
  used: Map<string, string>
}

export function resolveReferences(content: unknown, env: Environment): ResolvedContent {
  const used = new Map<string, string>()
  const resolve = (value: unknown, path: string[]): unknown => {
    if (typeof value === 'string') return resolveText(value, path)
    if (Array.isArray(value)) return value.map((item, index) => resolve(item, [...path, String(index)]))
    if (value === null || typeof value !== 'object') return value
    const entries = Object.entries(value).map(([key, inner]) => [key, resolve(inner, [...path, key])] as const)
    return Object.fromEntries(entries)
  }
  const resolveText = (text: string, path: string[]): string => {
    if (ESCAPED.test(text)) return text.slice(1)
    const [, name] = REFERENCE.exec(text) ?? []
    if (name === undefined) return text
    const where = path.join('.')
    if (!NAME.test(name)) throw new OperatorError(`${where} refers to a variable with an invalid name.`)
    const value = env[name]
    if (!value) throw new OperatorError(`${where} refers to the variable ${name}, which is not set.`)
    used.set(name, value)
    return value
  }
  return { content: resolve(content, []), used }
}

/** Replaces the values of variables by their references, for plans, errors and logs. */
export function createConcealer(used: Map<string, string>): (text: string) => string {
  const names = new Map<string, string>()
  for (const [name, value] of used) for (const form of formsOf(value)) names.set(form, `\${env:${name}}`)
  names.delete('')
  if (names.size === 0) return (text) => text
  // Longest first, because one value may contain another.
  const forms = [...names.keys()].sort((a, b) => b.length - a.length)
  const pattern = new RegExp(forms.map((form) => form.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|'), 'g')
  return (text) => text.replace(pattern, (form) => names.get(form) ?? '')
}

/** The forms in which a value may appear: as given, trimmed, in lower case, and escaped as in JSON. */
function formsOf(value: string): string[] {
  const plain = [value, value.trim(), value.toLowerCase(), value.trim().toLowerCase()]
  return plain.flatMap((form) => [form, JSON.stringify(form).slice(1, -1)])
}
