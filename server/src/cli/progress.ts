/** The state of a running operation. */
export interface ProgressState {
  /** From 0 to 1. */
  share: number
  done: number
}

export interface Progress {
  show(state: ProgressState): void
  /** Removes the progress bar before other output. */
  clear(): void
}

const WIDTH = 24
const TERMINAL_INTERVAL_MS = 100
const LOG_INTERVAL_MS = 5_000

/** Shows a progress bar on a terminal and a line every few seconds elsewhere. */
export function createProgress(stream: NodeJS.WriteStream, started = Date.now()): Progress {
  const interval = stream.isTTY ? TERMINAL_INTERVAL_MS : LOG_INTERVAL_MS
  let lastShown = started
  return {
    show(state) {
      const now = Date.now()
      if (now - lastShown < interval) return
      lastShown = now
      const line = describeProgress(state, (now - started) / 1_000)
      stream.write(stream.isTTY ? `\r\u001b[K${bar(state.share)} ${line}` : `${line}\n`)
    },
    clear() {
      if (stream.isTTY) stream.write('\r\u001b[K')
    },
  }
}

function bar(share: number): string {
  const full = Math.round(Math.min(1, share) * WIDTH)
  return `[${'='.repeat(full)}${' '.repeat(WIDTH - full)}]`
}

export function describeProgress({ share, done }: ProgressState, seconds: number): string {
  const rate = Math.round(done / Math.max(seconds, 0.001))
  const left = share > 0 ? Math.ceil((seconds * (1 - share)) / share) : undefined
  const percent = `${Math.floor(Math.min(1, share) * 100)} %`
  const remaining = left === undefined ? '' : `, about ${describeTime(left)} left`
  return `${percent}, ${done} rows, ${rate} a second${remaining}`
}

const describeTime = (seconds: number) =>
  seconds < 90 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
