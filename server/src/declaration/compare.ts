import { isDeepStrictEqual } from 'node:util'
import { AppError, OperatorError } from '../errors.ts'
import type { Declaration } from './section.ts'

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
    fields: changed.map(
      (name) => `${name}: ${JSON.stringify(current[name])} → ${JSON.stringify(declared[name])}`,
    ),
  }
}

/** Two entries for one thing would undo each other at every run. */
export function refuseTwice(kind: string, keys: string[]): void {
  const twice = keys.find((key, index) => keys.indexOf(key) !== index)
  if (twice !== undefined) throw new OperatorError(`The declaration lists the ${kind} ${twice} twice.`)
}

/** The keys under which a section lists its things. */
export function listDeclared(declaration: Declaration, section: string, field: string): string[] {
  return (declaration[section] ?? []).map((entry) => String((entry as Record<string, unknown>)[field]))
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
