/** What Prometheus is shown of a figure: a name, the labels and a number for each line. */
interface Line {
  metricName: string
  labels: Record<string, string | number>
  value: number
}

/** The times of one combination of labels. */
interface Times {
  labels: Record<string, string>
  /** How many were no longer than each bound, and longer than the one before. */
  counts: number[]
  sum: number
}

interface Definition {
  name: string
  help: string
  buckets: number[]
}

/**
 * A histogram for Prometheus. That of the library looks at its labels with every observation, which takes it longer
 * than all else that is noted of a short request: here they are bound once.
 */
export class TimerFigure {
  readonly type = 'histogram'
  readonly aggregator = 'sum'
  readonly name: string
  readonly help: string
  readonly #bounds: number[]
  readonly #times = new Map<string, Times>()

  constructor({ name, help, buckets }: Definition) {
    this.name = name
    this.help = help
    this.#bounds = [...buckets, Number.POSITIVE_INFINITY]
  }

  /** Notes times with these labels, in seconds. */
  bind(labels: Record<string, string>): (seconds: number) => void {
    const key = JSON.stringify(Object.values(labels))
    const times = this.#times.get(key) ?? { labels, counts: this.#bounds.map(() => 0), sum: 0 }
    this.#times.set(key, times)
    const { counts } = times
    return (seconds) => {
      let place = 0
      while (seconds > (this.#bounds[place] as number)) place++
      counts[place] = (counts[place] as number) + 1
      times.sum += seconds
    }
  }

  /** What the registry asks for. */
  async get() {
    const { name, help, type, aggregator } = this
    const values = [...this.#times.values()].flatMap((times) => this.#linesOf(times))
    return { name, help, type, aggregator, values }
  }

  #linesOf({ labels, counts, sum }: Times): Line[] {
    let count = 0
    const buckets = this.#bounds.map((bound, place) => {
      count += counts[place] as number
      const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : bound
      return { metricName: `${this.name}_bucket`, labels: { le, ...labels }, value: count }
    })
    const total = [
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: count },
    ]
    return count === 0 ? [] : [...buckets, ...total]
  }
}
