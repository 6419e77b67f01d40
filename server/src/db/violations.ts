import { AppError, type ErrorCode } from '../errors.ts'

/** Does a write, of which the row it refers to may be deleted at this very moment: then it is refused as this. */
export async function orGone<T>(code: ErrorCode, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (isOrphan(error)) throw new AppError(code, { cause: error })
    throw error
  }
}

/** Whether a write was refused because a row it refers to is gone. */
export const isOrphan = (error: unknown): boolean =>
  error instanceof Error && (error as Error & { code?: string }).code === '23503'

/** Whether a write was refused by this rule of the database's. */
export function breaks(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error)) return false
  const refused = error as Error & { code?: string; constraint?: string }
  return refused.code === '23514' && refused.constraint === constraint
}

const TRIES = 4

/** Does work that is undone when two transactions wait for each other and this one gives way: then it is done anew. */
export async function yielding<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const gaveWay = error instanceof Error && (error as Error & { code?: string }).code === '40P01'
      if (!gaveWay || attempt === TRIES) throw error
    }
  }
}

/** Whether a write was refused because another row holds the value already, under this unique constraint. */
export function isTaken(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error)) return false
  const refused = error as Error & { code?: string; constraint?: string }
  return refused.code === '23505' && refused.constraint === constraint
}

/** Refused by a rule, given way to another transaction, waited too long for a lock, or cancelled. */
const ROLLED_BACK = /^(?:23|40|55)|^57014$/

/** Whether the database itself has said that nothing was done. Where a connection is lost, that is not known. */
export const isRolledBack = (error: unknown): boolean =>
  error instanceof Error && ROLLED_BACK.test(String((error as Error & { code?: unknown }).code))
