import { type Queue, REJECTIONS, type Rejection } from '../concurrency/queue.ts'
import { defineCounter, defineHistogram, type Metrics } from './metrics.ts'

/** The same metrics for every queue of this process: waiting time, queue length and rejections. */

export const QUEUES = [
  'passwords',
  'personal_exports',
  'audit_exports',
  'bulk_actions',
  'tenant_writes',
  'writes',
] as const
export type QueueName = (typeof QUEUES)[number]

export const SHED = defineCounter({
  name: 'latchkey_requests_shed_total',
  help: 'Requests that were rejected because of a full queue, by queue and reason',
  labels: { queue: QUEUES, reason: REJECTIONS },
})

export const QUEUE_WAIT = defineHistogram({
  name: 'latchkey_queue_wait_seconds',
  help: 'Time that a request waited in a queue, by queue',
  labels: { queue: QUEUES },
  buckets: [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
})

export const countShed = (metrics: Metrics | undefined, queue: QueueName, reason: Rejection): void =>
  metrics?.count(SHED, { queue, reason })

/** Wraps the work of a queue so that its start records the waiting time. */
export function observeWait<T>(
  metrics: Metrics | undefined,
  queue: QueueName,
  work: () => Promise<T>,
): () => Promise<T> {
  if (!metrics) return work
  const queuedAt = performance.now()
  return () => {
    metrics.observe(QUEUE_WAIT, { queue }, (performance.now() - queuedAt) / 1_000)
    return work()
  }
}

/** The queues of this process by name. */
const watched = new Map<QueueName, Pick<Queue, 'waiting'>[]>()

/** Includes the queue in the gauge of waiting requests. Several queues may have the same name. */
export function watchQueue<Q extends Pick<Queue, 'waiting'>>(name: QueueName, queue: Q): Q {
  watched.set(name, [...(watched.get(name) ?? []), queue])
  return queue
}

export const countWaiting = (name: QueueName): number =>
  (watched.get(name) ?? []).reduce((sum, queue) => sum + queue.waiting(), 0)
