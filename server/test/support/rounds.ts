import { inject } from 'vitest'

declare module 'vitest' {
  interface ProvidedContext {
    /** True in the full run (`npm run test:all`), false in the quick run (`npm test`). */
    full: boolean
  }
}

export const FULL = inject('full')

const QUICK_ROUNDS = 1

/** The rounds of a race: all of them in the full run, the first one in the quick run. */
export const rounds = (count: number): number[] =>
  Array.from({ length: FULL ? count : Math.min(count, QUICK_ROUNDS) }, (_, round) => round)
