/** Does the work at most once in the given time; whoever asks meanwhile gets the same answer. */
export function shareFor<T>(ms: number, work: () => Promise<T>): () => Promise<T> {
  let shared: Promise<T> | undefined
  let goodUntil = 0
  return () => {
    if (!shared || performance.now() > goodUntil) {
      shared = work()
      goodUntil = performance.now() + ms
    }
    return shared
  }
}
