import { defineCounter, defineTimer, type Figures } from './figures.ts'
import { type Queue, REFUSALS, type Refusal } from './queue.ts'

/** What waits its turn in this process, and what is turned away, told in the same words for every queue. */

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
  help: 'Requests that were turned away because too many waited, by the queue and the reason',
  labels: { queue: QUEUES, reason: REFUSALS },
})

export const QUEUE_TIME = defineTimer({
  name: 'latchkey_queue_wait_seconds',
  help: 'Time until the turn of a request came, by the queue',
  labels: { queue: QUEUES },
  buckets: [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
})

export const noteShed = (figures: Figures | undefined, queue: QueueName, reason: Refusal): void =>
  figures?.count(SHED, { queue, reason })

/** The work of a queue, with the time until it began noted. */
export function timed<T>(
  figures: Figures | undefined,
  queue: QueueName,
  work: () => Promise<T>,
): () => Promise<T> {
  if (!figures) return work
  const asked = performance.now()
  return () => {
    figures.time(QUEUE_TIME, { queue }, (performance.now() - asked) / 1_000)
    return work()
  }
}

/** The queues that all of the process shares. */
const watched = new Map<QueueName, Pick<Queue, 'waiting'>[]>()

/** Has what waits in a queue shown under a name; several may have the same. */
export function watchQueue<Q extends Pick<Queue, 'waiting'>>(name: QueueName, queue: Q): Q {
  watched.set(name, [...(watched.get(name) ?? []), queue])
  return queue
}

export const countWaiting = (name: QueueName): number =>
  (watched.get(name) ?? []).reduce((sum, queue) => sum + queue.waiting(), 0)
