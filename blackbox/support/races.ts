import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject } from 'vitest'
import type { ApiResponse } from './service.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** True in the full run (`npm run test:all`), false in the quick run (`npm test`). */
    full: boolean
  }
}

export const FULL = inject('full')

const QUICK_ROUNDS = 1

/** Each round uses new data and must end in an allowed outcome. The quick run does the first one. */
export const rounds = (count = 20): number[] =>
  Array.from({ length: FULL ? count : Math.min(count, QUICK_ROUNDS) }, (_, index) => index + 1)

export const runConcurrently = <T>(count: number, act: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => act(index)))

/** Delays an action, so that two concurrent requests overlap at different points in each round. */
export const afterMs = async <T>(ms: number, act: () => Promise<T>): Promise<T> => {
  await sleep(ms)
  return act()
}

/** The status, with the error code of an error response. */
export const toOutcome = ({ status, body }: ApiResponse<unknown>): string => {
  const { error } = (body ?? {}) as { error?: string }
  return error === undefined ? String(status) : `${status} ${error}`
}

/** The number of responses per outcome. */
export const countOutcomes = (responses: ApiResponse<unknown>[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const outcome of responses.map(toOutcome)) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

/** The outcomes of concurrent requests must be one of the allowed combinations. */
export const expectOneOf = (responses: ApiResponse<unknown>[], ways: string[][]): string[] => {
  const outcomes = responses.map(toOutcome)
  expect(ways).toContainEqual(outcomes)
  return outcomes
}
