/** Whether a write was refused because a row it refers to is gone. */
export const isOrphan = (error: unknown): boolean =>
  error instanceof Error && (error as Error & { code?: string }).code === '23503'

/** Whether a write was refused by this rule of the database's. */
export function breaks(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error)) return false
  const refused = error as Error & { code?: string; constraint?: string }
  return refused.code === '23514' && refused.constraint === constraint
}

/** Whether two transactions waited for each other, and this one gave way. Tried again, it goes through. */
export const gaveWay = (error: unknown): boolean =>
  error instanceof Error && (error as Error & { code?: string }).code === '40P01'

/** Whether a write was refused because another row holds the value already, under this unique constraint. */
export function isTaken(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error)) return false
  const refused = error as Error & { code?: string; constraint?: string }
  return refused.code === '23505' && refused.constraint === constraint
}
