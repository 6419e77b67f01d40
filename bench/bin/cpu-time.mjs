// A setup file of Vitest for `npm run test:times`: records the CPU time of every test, and of its file so far. It is that of
// the process that runs the tests; PostgreSQL, the browser and started programs are not part of it.
import { afterEach, beforeEach } from 'vitest'

const cpuMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const fileBegan = cpuMs()
let testBegan = fileBegan

beforeEach(() => {
  testBegan = cpuMs()
})

afterEach(({ task }) => {
  task.meta.cpuMs = cpuMs() - testBegan
  task.meta.fileCpuMs = cpuMs() - fileBegan
})
