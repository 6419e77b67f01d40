import { createHash } from 'node:crypto'

const MAX_ENTRIES = 10_000

/**
 * Returns a function that calls `load` for an access token and reuses the result for some seconds. Concurrent calls share
 * one request. A failure is not reused.
 */
export function createTokenCache<Result>(
  seconds: number,
  load: (token: string) => Promise<Result>,
): (token: string) => Promise<Result> {
  const results = new Map<string, { result: Promise<Result>; expiresAt: number }>()
  return (token) => {
    // By token and not by user, so that a session that has ended cannot use the result of another session.
    const key = createHash('sha256').update(token).digest('base64')
    const known = results.get(key)
    if (known && performance.now() < known.expiresAt) return known.result
    const entry = { result: load(token), expiresAt: performance.now() + seconds * 1000 }
    results.delete(key)
    results.set(key, entry)
    // The oldest entry is first.
    if (results.size > MAX_ENTRIES) results.delete(results.keys().next().value ?? '')
    entry.result.catch(() => {
      if (results.get(key) === entry) results.delete(key)
    })
    return entry.result
  }
}
