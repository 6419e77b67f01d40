import { isDeepStrictEqual } from 'node:util'
import { AppError, OperatorError } from '../errors.ts'
import { parseEmail } from '../lib/email.ts'
import type { Declaration, Entry } from './section.ts'

/** What a declaration changes about a thing that is there, and how the plan says it. */
export interface Difference<T> {
  change: Partial<T>
  fields: string[]
}

/** Compares the named fields. What the declaration leaves out is left alone. */
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
    fields: changed.map((name) => describeStep(name, current[name], declared[name])),
  }
}

export const describeStep = (name: string, before: unknown, after: unknown): string =>
  `${name}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`

/** What a new thing is, of the fields that the declaration gives. */
export const describeFields = (declared: object, names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const value = (declared as Entry)[name]
    return value === undefined ? [] : [`${name}: ${JSON.stringify(value)}`]
  })

/** Of a secret the plan tells no more than that it is given. */
export const hidden = (declared: object, names: readonly string[]): string[] =>
  names.filter((name) => (declared as Entry)[name] !== undefined).map((name) => `${name}: (hidden)`)

/** What goes with a thing, as far as there is any. */
export function describeLoss(counts: Record<string, number>): string[] {
  const losses = Object.entries(counts).filter(([, count]) => count > 0)
  return losses.length === 0
    ? []
    : [`with it: ${losses.map(([things, count]) => `${things}: ${count}`).join(', ')}`]
}

/** Two entries for one thing would undo each other at every run. */
export function refuseTwice(kind: string, keys: string[]): void {
  const seen = new Set<string>()
  for (const key of keys) {
    if (seen.has(key)) throw new OperatorError(`The declaration lists the ${kind} ${key} twice.`)
    seen.add(key)
  }
}

/** The keys under which a section lists its things. */
export function listDeclared(declaration: Declaration, section: string, field: string): string[] {
  return (declaration[section] ?? []).map((entry) => String((entry as Entry)[field]))
}

/** Refuses to give something to people, by address, whom the same declaration lets go. */
export function refuseLeaving(absent: Declaration, emails: string[], wish: (email: string) => string): void {
  const going = new Set(listDeclared(absent, 'users', 'email').map((email) => parseEmail(email) ?? email))
  const both = emails.find((email) => going.has(email))
  if (both === undefined) return
  throw new OperatorError(
    `The declaration ${wish(both)}, and lists that user as absent: take one of the two out.`,
  )
}

/** Does the work, and says of which entry it is when that breaks a rule. */
export async function inEntry<T>(subject: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    const details = Array.isArray(error.details) ? error.details : []
    const reasons = details.map(({ field, message }) => `${field} ${message}`)
    throw new OperatorError(`The ${subject} cannot be: ${reasons.join('; ') || error.message}`, {
      cause: error,
    })
  }
}
