/** Runs the work at most once in the given time. Calls in between share its promise. */
export function cacheFor<T>(ms: number, work: () => Promise<T>): () => Promise<T> {
  let cached: Promise<T> | undefined
  let validUntil = 0
  return () => {
    if (!cached || performance.now() > validUntil) {
      cached = work()
      validUntil = performance.now() + ms
    }
    return cached
  }
}
