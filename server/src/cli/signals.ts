const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** npm passes on a Ctrl-C that the terminal has sent us already: what comes this soon after is the same one. */
const SAME_MS = 1_000

/**
 * Hears the signals that ask for an end, from now on, so that nothing that was opened is left behind. The promise
 * settles with the first. Whoever insists, after a moment, ends the process at once; nothing acknowledged is lost.
 */
export function listenForStop(): Promise<string> {
  return new Promise((resolve) => {
    let first = 0
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (first !== 0 && Date.now() - first > SAME_MS) process.exit(1)
        first ||= Date.now()
        resolve(signal)
      })
    }
  })
}

/**
 * Hears of errors that nobody has caught, from now on. They are mistakes of ours and a reason to stop, but in order:
 * requests under way are finished. The promise fails with the first.
 */
export function listenForFault(): Promise<never> {
  const fault = new Promise<never>((_resolve, reject) => {
    // Rejections that nobody handles arrive here as well.
    process.on('uncaughtException', reject)
  })
  // It may come before anybody waits for it.
  fault.catch(() => {})
  return fault
}
