import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject } from 'vitest'
import type { Answer } from './service.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** True in the full run (`npm run test:all`), false in the quick run (`npm test`). */
    full: boolean
  }
}

const QUICK_ROUNDS = 1

/** Each round uses new data and must end in an allowed outcome. The quick run does the first one. */
export const rounds = (count = 20): number[] =>
  Array.from({ length: inject('full') ? count : Math.min(count, QUICK_ROUNDS) }, (_, index) => index + 1)

export const atOnce = <T>(count: number, act: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index)))

/** In every round the one who is quicker waits a little longer, so that the two meet at different points. */
export const afterMs = async <T>(ms: number, act: () => Promise<T>): Promise<T> => {
  await sleep(ms)
  return act()
}

/** How an answer is told from others: its status, and its code where it is a refusal. */
export const outcomeOf = ({ status, body }: Answer<unknown>): string => {
  const { error } = (body ?? {}) as { error?: string }
  return error === undefined ? String(status) : `${status} ${error}`
}

/** How often each outcome came about. */
export const tally = (answers: Answer<unknown>[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const outcome of answers.map(outcomeOf)) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

/** Two who did something at once came out of it in one of these ways, and in no other. */
export const expectOneOf = (answers: Answer<unknown>[], ways: string[][]): string[] => {
  const outcomes = answers.map(outcomeOf)
  expect(ways).toContainEqual(outcomes)
  return outcomes
}
