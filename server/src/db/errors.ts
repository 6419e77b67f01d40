import { AppError, type ErrorCode } from '../errors.ts'

/** Throws the given error code if a referenced row was deleted concurrently. */
export async function rejectIfReferenceGone<T>(code: ErrorCode, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (isForeignKeyViolation(error)) throw new AppError(code, { cause: error })
    throw error
  }
}

/** Returns false if a referenced row was deleted concurrently. */
export async function falseIfReferenceGone(write: () => Promise<boolean>): Promise<boolean> {
  try {
    return await write()
  } catch (error) {
    if (isForeignKeyViolation(error)) return false
    throw error
  }
}

export const isForeignKeyViolation = (error: unknown): boolean =>
  error instanceof Error && (error as Error & { code?: string }).code === '23503'

export function isCheckViolation(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error)) return false
  const dbError = error as Error & { code?: string; constraint?: string }
  return dbError.code === '23514' && dbError.constraint === constraint
}

const MAX_ATTEMPTS = 4

/** Repeats the transaction if PostgreSQL rolled it back because of a deadlock. */
export async function retryOnDeadlock<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      const isDeadlock = error instanceof Error && (error as Error & { code?: string }).code === '40P01'
      if (!isDeadlock || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

export function isUniqueViolation(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error)) return false
  const dbError = error as Error & { code?: string; constraint?: string }
  return dbError.code === '23505' && dbError.constraint === constraint
}

/** Constraint violation, deadlock or serialization failure, lock timeout, or cancellation. */
const ROLLED_BACK = /^(?:23|40|55)|^57014$/

/** True if the database reported that the transaction was rolled back. After a lost connection that is unknown. */
export const isRolledBack = (error: unknown): boolean =>
  error instanceof Error && ROLLED_BACK.test(String((error as Error & { code?: unknown }).code))
