import { quantile } from '../numbers.ts'
import { fixed, table } from '../tables.ts'

/** Counts responses and their times per kind of task. */
export interface Tally {
  record(kind: string, status: number, ms: number): void
  /** A response that fails the soak. */
  recordUnexpected(text: string): void
  /** A task that was due but not started, because too many were in flight. */
  recordSkipped(kind: string): void
  show(seconds: number): string
  /** Reasons why the soak fails. */
  problems(): string[]
}

interface Kind {
  times: number[]
  skipped: number
}

const MAX_LISTED = 10

export function createTally(): Tally {
  const kinds = new Map<string, Kind>()
  const statuses = new Map<number, number>()
  const unexpected = new Map<string, number>()
  const getKind = (name: string): Kind => {
    const kind = kinds.get(name) ?? { times: [], skipped: 0 }
    kinds.set(name, kind)
    return kind
  }
  return {
    record(name, status, ms) {
      getKind(name).times.push(ms)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    },
    recordUnexpected: (text) => void unexpected.set(text, (unexpected.get(text) ?? 0) + 1),
    recordSkipped(name) {
      getKind(name).skipped++
    },
    show(seconds) {
      const rows = [...kinds].map(([name, { times, skipped }]) => {
        const sorted = times.toSorted((a, b) => a - b)
        const latency = [0.5, 0.99, 1].map((share) => fixed(quantile(sorted, share), 1))
        return [name, times.length, fixed(times.length / seconds, 1), ...latency, skipped]
      })
      const counts = [...statuses].toSorted(([a], [b]) => a - b)
      return [
        table(['Task', 'responses', 'responses/s', 'p50 ms', 'p99 ms', 'max ms', 'not started'], rows),
        `Responses by status: ${counts.map(([status, count]) => `${status}: ${count}`).join(', ')}`,
      ].join('\n\n')
    },
    problems: () => [
      ...[...statuses]
        .filter(([status]) => status >= 500)
        .map(([status, count]) => `${count} responses with ${status}`),
      ...[...unexpected].slice(0, MAX_LISTED).map(([text, count]) => `${count} times ${text}`),
      ...(unexpected.size > MAX_LISTED ? [`${unexpected.size - MAX_LISTED} more kinds of unexpected responses`] : []),
    ],
  }
}
