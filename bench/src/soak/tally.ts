import { quantile } from '../numbers.ts'
import { fixed, table } from '../tables.ts'

/** Counts the answers of each kind of work, and how long they took. */
export interface Tally {
  note(kind: string, status: number, ms: number): void
  /** An answer that the work has no explanation for. */
  noteUnexpected(text: string): void
  /** Work that was due and was not begun, because too much was under way. */
  noteSkipped(kind: string): void
  show(seconds: number): string
  /** What fails the soak. */
  problems(): string[]
}

interface Kind {
  times: number[]
  skipped: number
}

const FEW = 10

export function createTally(): Tally {
  const kinds = new Map<string, Kind>()
  const statuses = new Map<number, number>()
  const unexpected = new Map<string, number>()
  const kindOf = (name: string): Kind => {
    const kind = kinds.get(name) ?? { times: [], skipped: 0 }
    kinds.set(name, kind)
    return kind
  }
  return {
    note(name, status, ms) {
      kindOf(name).times.push(ms)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    },
    noteUnexpected: (text) => void unexpected.set(text, (unexpected.get(text) ?? 0) + 1),
    noteSkipped(name) {
      kindOf(name).skipped++
    },
    show(seconds) {
      const rows = [...kinds].map(([name, { times, skipped }]) => {
        const sorted = times.toSorted((a, b) => a - b)
        const latency = [0.5, 0.99, 1].map((share) => fixed(quantile(sorted, share), 1))
        return [name, times.length, fixed(times.length / seconds, 1), ...latency, skipped]
      })
      const counts = [...statuses].toSorted(([a], [b]) => a - b)
      return [
        table(['Work', 'answers', 'answers/s', 'p50 ms', 'p99 ms', 'max ms', 'not begun'], rows),
        `Answers by status: ${counts.map(([status, count]) => `${status}: ${count}`).join(', ')}`,
      ].join('\n\n')
    },
    problems: () => [
      ...[...statuses]
        .filter(([status]) => status >= 500)
        .map(([status, count]) => `${count} answers with ${status}`),
      ...[...unexpected].slice(0, FEW).map(([text, count]) => `${count} times ${text}`),
      ...(unexpected.size > FEW ? [`${unexpected.size - FEW} more kinds of unexpected answers`] : []),
    ],
  }
}
