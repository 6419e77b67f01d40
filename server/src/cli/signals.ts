const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** npm forwards a Ctrl-C that the terminal has already sent, so a second signal within this time is ignored. */
const DUPLICATE_MS = 1_000

/**
 * Listens for stop signals and resolves with the first one, so that resources can be closed. A later second signal ends
 * the process immediately; acknowledged data is not lost.
 */
export function waitForStopSignal(): Promise<string> {
  return new Promise((resolve) => {
    let first = 0
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (first !== 0 && Date.now() - first > DUPLICATE_MS) process.exit(1)
        first ||= Date.now()
        resolve(signal)
      })
    }
  })
}

/**
 * Listens for uncaught errors and rejects with the first one. They are bugs and stop the process, but running requests
 * are finished first.
 */
export function waitForUncaughtError(): Promise<never> {
  const fault = new Promise<never>((_resolve, reject) => {
    // Includes unhandled rejections.
    process.on('uncaughtException', reject)
  })
  // The error may occur before the promise is awaited.
  fault.catch(() => {})
  return fault
}
