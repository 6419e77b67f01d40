import { setTimeout as sleep } from 'node:timers/promises'

const TIMEOUT_MS = 30_000

/** Polls until the result is defined, and returns it. */
export async function eventually<T>(find: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + TIMEOUT_MS
  while (Date.now() < deadline) {
    const found = await find()
    if (found !== undefined) return found
    await sleep(30)
  }
  throw new Error('It did not happen in time.')
}
