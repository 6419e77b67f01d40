import type { Environment } from '../config/reader.ts'
import { OperatorError } from '../errors.ts'

/**
 * A text of a declaration may stand for a variable of the environment: `${env:NAME}`, and nothing beside it. What is
 * to be taken for such a text itself is written with one `$` more.
 */
const REFERENCE = /^\$\{env:(.*)\}$/s
const ESCAPED = /^\$+\$\{env:.*\}$/s
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

export const isReference = (text: string): boolean => REFERENCE.test(text)

/** A text as it must be written to be read as itself: what people typed somewhere must never name a variable. */
export const escapeReference = (text: string): string =>
  isReference(text) || ESCAPED.test(text) ? `$${text}` : text

/** A declaration with what its references stand for. */
export interface Resolved {
  content: unknown
  /** The variables that were used, with their values. */
  used: Map<string, string>
}

/** Puts in the values of all references. */
export function resolveReferences(content: unknown, env: Environment): Resolved {
  const used = new Map<string, string>()
  const resolve = (value: unknown, path: string[]): unknown => {
    if (typeof value === 'string') return resolveText(value, path)
    if (Array.isArray(value)) return value.map((item, index) => resolve(item, [...path, String(index)]))
    if (value === null || typeof value !== 'object') return value
    const entries = Object.entries(value).map(
      ([key, inner]) => [key, resolve(inner, [...path, key])] as const,
    )
    return Object.fromEntries(entries)
  }
  const resolveText = (text: string, path: string[]): string => {
    if (ESCAPED.test(text)) return text.slice(1)
    const [, name] = REFERENCE.exec(text) ?? []
    if (name === undefined) return text
    const where = path.join('.')
    if (!NAME.test(name)) throw new OperatorError(`${where} refers to a variable whose name cannot be.`)
    const value = env[name]
    if (!value) throw new OperatorError(`${where} refers to the variable ${name}, which is not set.`)
    used.set(name, value)
    return value
  }
  return { content: resolve(content, []), used }
}

/** Puts the references back in whatever is said about them: plans, errors, logs. */
export function createConcealer(used: Map<string, string>): (text: string) => string {
  const names = new Map<string, string>()
  for (const [name, value] of used) for (const form of formsOf(value)) names.set(form, `\${env:${name}}`)
  names.delete('')
  if (names.size === 0) return (text) => text
  // The longest first: one value may hold another.
  const forms = [...names.keys()].sort((a, b) => b.length - a.length)
  const any = new RegExp(forms.map((form) => form.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|'), 'g')
  return (text) => text.replace(any, (form) => names.get(form) ?? '')
}

/** A value as it may appear somewhere: as given, without the space around it, in small letters, within JSON. */
function formsOf(value: string): string[] {
  const plain = [value, value.trim(), value.toLowerCase(), value.trim().toLowerCase()]
  return plain.flatMap((form) => [form, JSON.stringify(form).slice(1, -1)])
}
