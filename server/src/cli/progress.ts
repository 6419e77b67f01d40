/** How far something has come. */
export interface Standing {
  /** From 0 to 1. */
  share: number
  done: number
}

export interface Progress {
  show(standing: Standing): void
  /** Makes room for what is printed next. */
  clear(): void
}

const WIDTH = 24
const ON_TERMINAL_MS = 100
const ELSEWHERE_MS = 5_000

/** Shows on a terminal a bar that grows, and elsewhere a line every so often: how far, how fast, how much longer. */
export function createProgress(stream: NodeJS.WriteStream, started = Date.now()): Progress {
  const pause = stream.isTTY ? ON_TERMINAL_MS : ELSEWHERE_MS
  let shown = started
  return {
    show(standing) {
      const now = Date.now()
      if (now - shown < pause) return
      shown = now
      const line = describe(standing, (now - started) / 1_000)
      stream.write(stream.isTTY ? `\r\u001b[K${bar(standing.share)} ${line}` : `${line}\n`)
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

export function describe({ share, done }: Standing, seconds: number): string {
  const rate = Math.round(done / Math.max(seconds, 0.001))
  const left = share > 0 ? Math.ceil((seconds * (1 - share)) / share) : undefined
  const percent = `${Math.floor(Math.min(1, share) * 100)} %`
  const longer = left === undefined ? '' : `, about ${describeTime(left)} left`
  return `${percent}, ${done} rows, ${rate} a second${longer}`
}

const describeTime = (seconds: number) =>
  seconds < 90 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
