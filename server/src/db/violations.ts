/** Whether a write was refused because a row it refers to is gone. */
export const isOrphan = (error: unknown): boolean =>
  error instanceof Error && (error as Error & { code?: string }).code === '23503'

/** Whether a write was refused because another row holds the value already, under this unique constraint. */
export function isTaken(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error)) return false
  const refused = error as Error & { code?: string; constraint?: string }
  return refused.code === '23505' && refused.constraint === constraint
}
