import { defineCollector } from '../http/metrics/collectors.ts'
import { defineCounter, defineGauge, type GaugeDefinition } from '../lib/metrics/metrics.ts'
import type { Job } from './job.ts'
import { type QueuedTask, queuedTasksQuery } from './store.ts'

export const RUNS = defineCounter({
  name: 'latchkey_job_runs_total',
  help: 'Job runs by task and outcome',
  labels: { task: 'named', outcome: ['ok', 'failed'] },
})

const taskGauge = (name: string, help: string) => defineGauge({ name, help, labels: { task: 'named' } })

const GAUGES: [keyof Omit<QueuedTask, 'task'>, GaugeDefinition<{ readonly task: 'named' }>][] = [
  ['waiting', taskGauge('latchkey_jobs_waiting', 'Jobs in the queue, including running ones')],
  ['failing', taskGauge('latchkey_jobs_failing', 'Jobs that have failed and will be retried')],
  ['given_up', taskGauge('latchkey_jobs_given_up', 'Jobs that have failed too often and will not be retried')],
  ['oldest', taskGauge('latchkey_jobs_oldest_due_seconds', 'How long the oldest job has been due')],
]

const EMPTY = { waiting: 0, failing: 0, given_up: 0, oldest: 0 }

/** Reports every task, also when none of its jobs is queued. */
export const jobsCollector = (jobs: Job<never>[]) =>
  defineCollector({
    gauges: GAUGES.map(([, definition]) => definition),
    query: queuedTasksQuery,
    collect({ metrics }, rows) {
      const queued = jobs.filter(({ everyMs }) => everyMs === undefined)
      for (const [field, definition] of GAUGES) {
        const samples = queued.map(({ name }) => {
          const row = rows.find(({ task }) => task === name) ?? EMPTY
          return { labels: { task: name }, value: Math.max(0, row[field]) }
        })
        metrics.set(definition, samples)
      }
    },
  })
