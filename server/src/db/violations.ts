/** Whether a write was refused because another row holds the value already, under this unique constraint. */
export function isTaken(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error)) return false
  const refused = error as Error & { code?: string; constraint?: string }
  return refused.code === '23505' && refused.constraint === constraint
}
