import { setTimeout as sleep } from 'node:timers/promises'

const PATIENCE_MS = 30_000

/** Waits for what work outside the request brings about; the answer is whatever was found. */
export async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  const end = Date.now() + PATIENCE_MS
  while (Date.now() < end) {
    const found = await look()
    if (found !== undefined) return found
    await sleep(30)
  }
  throw new Error('It did not happen in time.')
}
