import { Counter, Gauge, type Metric, Registry } from 'prom-client'
import { TimerFigure } from './timer-figure.ts'

/**
 * What is counted and measured, for Prometheus. A figure is defined once, beside what it tells of, with every value its
 * labels may have: nothing that a caller sends becomes a label, so their number has a bound and nobody is named.
 */

/** The values of a label; `named` where they are names that the code or the configuration gives. */
type Label = readonly string[] | 'named'
export type Labels = Record<string, Label>
export type Values<L extends Labels> = {
  [K in keyof L]: L[K] extends readonly (infer V extends string)[] ? V : string
}

interface Definition<L extends Labels> {
  /** As Prometheus knows it: `latchkey_…`, with the unit, and `_total` for what only grows. */
  name: string
  help: string
  labels: L
}

export interface CounterDefinition<L extends Labels = Labels> extends Definition<L> {
  kind: 'counter'
}

/** How long something takes, in seconds. */
export interface TimerDefinition<L extends Labels = Labels> extends Definition<L> {
  kind: 'timer'
  buckets: number[]
}

/** Something that is read when it is asked for. What only grows is a counter all the same. */
export interface LevelDefinition<L extends Labels = Labels> extends Definition<L> {
  kind: 'level'
  grows?: boolean
}

export const defineCounter = <const L extends Labels>(
  definition: Omit<CounterDefinition<L>, 'kind'>,
): CounterDefinition<L> => ({ kind: 'counter', ...definition })

export const defineTimer = <const L extends Labels>(
  definition: Omit<TimerDefinition<L>, 'kind'>,
): TimerDefinition<L> => ({ kind: 'timer', ...definition })

export const defineLevel = <const L extends Labels>(
  definition: Omit<LevelDefinition<L>, 'kind'>,
): LevelDefinition<L> => ({ kind: 'level', ...definition })

export interface Sample<L extends Labels> {
  labels: Values<L>
  value: number
}

/** The figures of one application; several in a process keep theirs apart. */
export interface Figures {
  readonly registry: Registry
  count<L extends Labels>(counter: CounterDefinition<L>, labels: Values<L>): void
  time<L extends Labels>(timer: TimerDefinition<L>, labels: Values<L>, seconds: number): void
  /** The same for what happens all the time with the same labels, which are looked at once. */
  bindCounter<L extends Labels>(counter: CounterDefinition<L>, labels: Values<L>): () => void
  bindTimer<L extends Labels>(timer: TimerDefinition<L>, labels: Values<L>): (seconds: number) => void
  /** Replaces whatever was known of it; without samples nothing is. */
  set<L extends Labels>(level: LevelDefinition<L>, samples: Sample<L>[]): void
  /** Shows a counter from the start, at zero: else its first step could not be told from none. */
  announce(counter: CounterDefinition): void
}

export function createFigures(): Figures {
  const registry = new Registry()
  const known = new Map<string, unknown>()
  const once = <T>(name: string, make: () => T): T => {
    const figure = (known.get(name) as T | undefined) ?? make()
    known.set(name, figure)
    return figure
  }
  const common = ({ name, help, labels }: Definition<Labels>) => ({
    ...{ name, help, labelNames: Object.keys(labels), registers: [registry] },
  })
  /** Puts what was counted since into the counter, by its name. */
  const bound = new Map<string, (() => void)[]>()
  const counterOf = (definition: Definition<Labels>) =>
    once(definition.name, () => {
      const collect = () => {
        for (const putIn of bound.get(definition.name) ?? []) putIn()
      }
      return new Counter({ ...common(definition), collect })
    })
  const timerOf = (definition: TimerDefinition<Labels>) =>
    once(definition.name, () => {
      const timer = new TimerFigure(definition)
      registry.registerMetric(timer as unknown as Metric)
      return timer
    })
  return {
    registry,
    count: (counter, labels) => counterOf(counter).inc(labels),
    time: (timer, labels, seconds) => timerOf(timer).bind(labels)(seconds),
    bindCounter(counter, labels) {
      const figure = counterOf(counter)
      let count = 0
      const putIn = () => {
        if (count > 0) figure.inc(labels, count)
        count = 0
      }
      bound.set(counter.name, [...(bound.get(counter.name) ?? []), putIn])
      return () => {
        count++
      }
    },
    bindTimer: (timer, labels) => timerOf(timer).bind(labels),
    set(level, samples) {
      const figure = level.grows ? counterOf(level) : once(level.name, () => new Gauge({ ...common(level) }))
      figure.reset()
      // Without labels a reset leaves a zero behind, which would tell what is not known.
      if (samples.length === 0 && Object.keys(level.labels).length === 0) figure.remove()
      for (const { labels, value } of samples) figure.inc(labels, value)
    },
    announce(counter) {
      for (const labels of combinations(counter.labels)) counterOf(counter).inc(labels, 0)
    },
  }
}

/** Every combination of the values; none where one is open. */
function combinations(labels: Labels): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (all, [name, values]) =>
      values === 'named' ? [] : all.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  )
}
