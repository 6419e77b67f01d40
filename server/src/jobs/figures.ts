import { defineReading } from '../http/readings.ts'
import { defineCounter, defineLevel, type LevelDefinition } from '../lib/figures.ts'
import type { Job } from './job.ts'
import { type QueuedWork, queuedWork } from './store.ts'

export const RUNS = defineCounter({
  name: 'latchkey_job_runs_total',
  help: 'Work done outside requests, by kind and by how it ended',
  labels: { task: 'named', outcome: ['ok', 'failed'] },
})

const level = (name: string, help: string) => defineLevel({ name, help, labels: { task: 'named' } })

const LEVELS: [keyof Omit<QueuedWork, 'task'>, LevelDefinition<{ readonly task: 'named' }>][] = [
  ['waiting', level('latchkey_jobs_waiting', 'Jobs in the queue, those under way included')],
  ['failing', level('latchkey_jobs_failing', 'Jobs that have failed and will be tried again')],
  ['given_up', level('latchkey_jobs_given_up', 'Jobs that have failed too often to be tried again')],
  ['oldest', level('latchkey_jobs_oldest_due_seconds', 'How long the oldest job has been due')],
]

const NOTHING = { waiting: 0, failing: 0, given_up: 0, oldest: 0 }

/** Of every kind of work, also when none of it is queued. */
export const jobsReading = (jobs: Job<never>[]) =>
  defineReading({
    levels: LEVELS.map(([, definition]) => definition),
    question: queuedWork,
    tell({ figures }, rows) {
      const queued = jobs.filter(({ everyMs }) => everyMs === undefined)
      for (const [field, definition] of LEVELS) {
        const samples = queued.map(({ name }) => {
          const row = rows.find(({ task }) => task === name) ?? NOTHING
          return { labels: { task: name }, value: Math.max(0, row[field]) }
        })
        figures.set(definition, samples)
      }
    },
  })
