import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { shareFor } from '../lib/share-for.ts'

/** What workers and the first process ask each other for. */
export const OWN_FIGURES = 'figures'
export const ALL_FIGURES = 'figures of all'

const PATIENCE_MS = 5_000

/**
 * Where several processes share a port, nobody can choose which one answers. So each tells the figures of all; the first
 * process, which knows them, puts them together.
 */
export function showAll({ host }: Ctx, own: () => Promise<string>): () => Promise<string> {
  if (!host) return own
  host.answer(OWN_FIGURES, own)
  return shareFor(1_000, async () => {
    try {
      return await host.ask(ALL_FIGURES, PATIENCE_MS)
    } catch (cause) {
      // The figures of one alone would look like counters that have begun anew.
      throw new AppError('UNAVAILABLE', { cause })
    }
  })
}
