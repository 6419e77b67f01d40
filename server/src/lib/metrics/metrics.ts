import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/**
 * Prometheus metrics. Each metric is defined once, next to the code it measures, with all values of its labels. Input of
 * callers never becomes a label value, so the number of series is bounded and contains no personal data.
 */

/** The possible values of a label; `named` if they come from the code or the configuration. */
type Label = readonly string[] | 'named'
export type Labels = Record<string, Label>
export type Values<L extends Labels> = {
  [K in keyof L]: L[K] extends readonly (infer V extends string)[] ? V : string
}

interface Definition<L extends Labels> {
  /** `latchkey_…` with the unit, and `_total` for counters. */
  name: string
  help: string
  labels: L
}

export interface CounterDefinition<L extends Labels = Labels> extends Definition<L> {
  kind: 'counter'
}

/** A histogram of durations in seconds. */
export interface HistogramDefinition<L extends Labels = Labels> extends Definition<L> {
  kind: 'histogram'
  buckets: number[]
}

/** A value that is read at each scrape. */
export interface GaugeDefinition<L extends Labels = Labels> extends Definition<L> {
  kind: 'gauge'
  /** Export it as a counter, because the value never decreases. */
  isCounter?: boolean
  /** How the values of several workers are combined. The maximum by default. */
  aggregate?: 'sum' | 'min'
}

export const defineCounter = <const L extends Labels>(
  definition: Omit<CounterDefinition<L>, 'kind'>,
): CounterDefinition<L> => ({ kind: 'counter', ...definition })

export const defineHistogram = <const L extends Labels>(
  definition: Omit<HistogramDefinition<L>, 'kind'>,
): HistogramDefinition<L> => ({ kind: 'histogram', ...definition })

export const defineGauge = <const L extends Labels>(
  definition: Omit<GaugeDefinition<L>, 'kind'>,
): GaugeDefinition<L> => ({ kind: 'gauge', ...definition })

export interface Sample<L extends Labels> {
  labels: Values<L>
  value: number
}

/** The metrics of one application. Several applications in a process have separate registries. */
export interface Metrics {
  readonly registry: Registry
  count<L extends Labels>(counter: CounterDefinition<L>, labels: Values<L>): void
  observe<L extends Labels>(histogram: HistogramDefinition<L>, labels: Values<L>, seconds: number): void
  /** Replaces all samples of the gauge. Without samples the gauge is not exported. */
  set<L extends Labels>(gauge: GaugeDefinition<L>, samples: Sample<L>[]): void
  /**
   * Exports a counter with the value 0 from the start, so that `increase()` sees its first increment. `named` has the
   * values of labels that are not fixed.
   */
  startAtZero(counter: CounterDefinition, named?: Record<string, string>): void
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  const metrics = new Map<string, unknown>()
  const getOrCreate = <T>(name: string, create: () => T): T => {
    const metric = (metrics.get(name) as T | undefined) ?? create()
    metrics.set(name, metric)
    return metric
  }
  const commonOptions = ({ name, help, labels }: Definition<Labels>) => ({
    name,
    help,
    labelNames: Object.keys(labels),
    registers: [registry],
  })
  const counterOf = (definition: Definition<Labels>) =>
    getOrCreate(definition.name, () => new Counter(commonOptions(definition)))
  const histogramOf = (definition: HistogramDefinition<Labels>) =>
    getOrCreate(definition.name, () => new Histogram({ ...commonOptions(definition), buckets: definition.buckets }))
  const gaugeOf = (definition: GaugeDefinition<Labels>) =>
    getOrCreate(definition.name, () => {
      const { aggregate: aggregator = 'max' } = definition
      return new Gauge({ ...commonOptions(definition), aggregator })
    })
  return {
    registry,
    count: (counter, labels) => counterOf(counter).inc(labels),
    observe: (histogram, labels, seconds) => histogramOf(histogram).observe(labels, seconds),
    set(gauge, samples) {
      const metric = gauge.isCounter ? counterOf(gauge) : gaugeOf(gauge)
      metric.reset()
      // For a metric without labels, reset() leaves a sample with the value 0.
      if (samples.length === 0 && Object.keys(gauge.labels).length === 0) metric.remove()
      for (const { labels, value } of samples) metric.inc(labels, value)
    },
    startAtZero(counter, named = {}) {
      const values = Object.entries(named).map(([name, value]) => [name, [value]])
      const labels = { ...counter.labels, ...Object.fromEntries(values) }
      for (const combination of combinations(labels)) counterOf(counter).inc(combination, 0)
    },
  }
}

/** Every combination of the label values; none if a label is `named`. */
function combinations(labels: Labels): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (all, [name, values]) =>
      values === 'named'
        ? []
        : all.flatMap((combination) => values.map((value) => ({ ...combination, [name]: value }))),
    [{}],
  )
}
