import { AggregatorRegistry, Gauge, type MetricObjectWithValues, type MetricValue } from 'prom-client'
import { WORKER_METRICS } from '../../http/metrics/metrics-text.ts'
import { cacheFor } from '../../lib/concurrency/cache-for.ts'
import type { IpcChannel } from '../../lib/ipc-channel.ts'

/** Adds up the metrics of all workers. */
export interface WorkerMetrics {
  /** Includes a worker. The returned function removes it. */
  add(worker: IpcChannel): () => void
  /** In the text format of Prometheus. */
  show(): Promise<string>
}

/** After this timeout the counters of the last response of a worker are used. */
const TIMEOUT_MS = 3_000

type Metrics = MetricObjectWithValues<MetricValue<string>>[]

interface Entry {
  worker: IpcChannel
  counters: Metrics
}

/**
 * Counters of ended workers stay in the sum. If the sum decreased, Prometheus would treat it as a restart and count
 * everything again.
 */
export function createWorkerMetrics(): WorkerMetrics {
  const entries = new Set<Entry>()
  const ended: Metrics[] = []
  const read = async (entry: Entry): Promise<Metrics | undefined> => {
    try {
      const metrics = JSON.parse(await entry.worker.request(WORKER_METRICS, TIMEOUT_MS)) as Metrics
      entry.counters = countersOf(metrics)
      return metrics
    } catch {
      return undefined
    }
  }
  return {
    add(worker) {
      const entry: Entry = { worker, counters: [] }
      entries.add(entry)
      return () => {
        if (entries.delete(entry)) ended.push(entry.counters)
      }
    },
    show: cacheFor(1_000, async () => {
      const polled = [...entries]
      const results = await Promise.all(polled.map(read))
      const current = polled
        .map((entry, index) => results[index] ?? entry.counters)
        // Workers that ended meanwhile are already part of the sum.
        .filter((_metrics, index) => entries.has(polled[index] as Entry))
      if (ended.length > 1) ended.unshift(await sumOf(ended.splice(0)))
      const registry = AggregatorRegistry.aggregate([...current, ...ended])
      const workers = new Gauge({ name: 'latchkey_workers', help: WORKERS_HELP, registers: [registry] })
      workers.set(results.filter((result) => result !== undefined).length)
      return registry.metrics()
    }),
  }
}

const countersOf = (metrics: Metrics): Metrics =>
  // prom-client types `type` as a numeric enum, but its value is a string.
  metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)))

const sumOf = (all: Metrics[]): Promise<Metrics> => AggregatorRegistry.aggregate(all).getMetricsAsJSON()

const WORKERS_HELP = 'Worker processes that answered with their metrics'
