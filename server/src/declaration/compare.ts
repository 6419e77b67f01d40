import { isDeepStrictEqual } from 'node:util'
import { AppError, OperatorError } from '../errors.ts'
import { parseEmail } from '../lib/email.ts'
import type { Declaration, Entry } from './section.ts'

/** What a declaration changes about a stored object: the new values, and the lines for the plan. */
export interface Difference<T> {
  change: Partial<T>
  fields: string[]
}

/** Compares the named fields. Fields that the declaration omits stay unchanged. */
export function findDifference<T extends object, K extends keyof T & string>(
  current: T,
  declared: Partial<Pick<T, K>>,
  names: readonly K[],
): Difference<Pick<T, K>> {
  const changed = names.filter(
    (name) => declared[name] !== undefined && !isDeepStrictEqual(declared[name], current[name]),
  )
  return {
    change: Object.fromEntries(changed.map((name) => [name, declared[name]])) as Partial<Pick<T, K>>,
    fields: changed.map((name) => describeFieldChange(name, current[name], declared[name])),
  }
}

export const describeFieldChange = (name: string, before: unknown, after: unknown): string =>
  `${name}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`

/** The declared fields of a new object, one line each. */
export const describeFields = (declared: object, names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const value = (declared as Entry)[name]
    return value === undefined ? [] : [`${name}: ${JSON.stringify(value)}`]
  })

/** The plan only shows that a secret is declared, not its value. */
export const describeHidden = (declared: object, names: readonly string[]): string[] =>
  names.filter((name) => (declared as Entry)[name] !== undefined).map((name) => `${name}: (hidden)`)

/** The number of objects that are deleted together with another one. */
export function describeCascade(counts: Record<string, number>): string[] {
  const lost = Object.entries(counts).filter(([, count]) => count > 0)
  return lost.length === 0 ? [] : [`with it: ${lost.map(([kind, count]) => `${kind}: ${count}`).join(', ')}`]
}

/** Two entries for the same object would overwrite each other in every run. */
export function requireUniqueKeys(kind: string, keys: string[]): void {
  const seen = new Set<string>()
  for (const key of keys) {
    if (seen.has(key)) throw new OperatorError(`The declaration lists the ${kind} ${key} twice.`)
    seen.add(key)
  }
}

/** The values of one field in all entries of a section. */
export function listDeclared(declaration: Declaration, section: string, field: string): string[] {
  return (declaration[section] ?? []).map((entry) => String((entry as Entry)[field]))
}

/** A declaration may not give a membership or a seat to a user that it lists as absent. */
export function requireNotAbsent(absent: Declaration, emails: string[], describeUse: (email: string) => string): void {
  const absentEmails = new Set(listDeclared(absent, 'users', 'email').map((email) => parseEmail(email) ?? email))
  const conflict = emails.find((email) => absentEmails.has(email))
  if (conflict === undefined) return
  throw new OperatorError(
    `The declaration ${describeUse(conflict)}, and lists that user as absent: remove one of the two.`,
  )
}

/** Names the entry in the error when the work breaks a rule. */
export async function withEntryContext<T>(subject: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    const details = Array.isArray(error.details) ? error.details : []
    const reasons = details.map(({ field, message }) => `${field} ${message}`)
    throw new OperatorError(`The ${subject} is not valid: ${reasons.join('; ') || error.message}`, {
      cause: error,
    })
  }
}
