/** Aborts when a grace period after `stop` is over, so that running work can be finished. */
export function abortAfterGrace(stop: AbortSignal, graceMs: number): { signal: AbortSignal; dispose(): void } {
  const abort = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const startTimer = () => {
    timer = setTimeout(() => abort.abort(), graceMs)
  }
  if (stop.aborted) startTimer()
  else stop.addEventListener('abort', startTimer, { once: true })
  return {
    signal: abort.signal,
    dispose() {
      stop.removeEventListener('abort', startTimer)
      clearTimeout(timer)
    },
  }
}
