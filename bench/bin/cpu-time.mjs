// Vitest setup file for `npm run test:times`: records the CPU time of every test, and of its file so far. It counts only
// the process that runs the tests, not PostgreSQL, the browser or child processes.
import { afterEach, beforeEach } from 'vitest'

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const fileStart = cpuMs()
let testStart = fileStart

beforeEach(() => {
  testStart = cpuMs()
})

afterEach(({ task }) => {
  task.meta.cpuMs = cpuMs() - testStart
  task.meta.fileCpuMs = cpuMs() - fileStart
})
