import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether the slow tier runs in full (`npm run test:all`) or in its short form (`npm test`). */
    full: boolean
  }
}

export const FULL = inject('full')

/** The rounds of a race: all of them in full; three, spread evenly, in the short form. */
export const rounds = (count: number): number[] => {
  const all = Array.from({ length: count }, (_, round) => round)
  return FULL || count <= 3 ? all : [1, 2, 3].map((quarter) => Math.floor((count * quarter) / 4))
}
