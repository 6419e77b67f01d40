import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const SECONDS = 1_000

/** What the tests of the server share: one PostgreSQL, and databases that are copied for each file. */
const globalSetup = ['server/test/support/global-setup.ts']

/** Slow files first, so that no long file is left at the end while the other workers idle. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const order = ['slow', 'timing', 'http', 'blackbox', 'unit']
    const tierOf = ({ moduleId, project }: TestSpecification) =>
      order.indexOf(SLOW.test(moduleId) ? 'slow' : project.name)
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => tierOf(a) - tierOf(b))
  }
}

const SLOW = /\.slow\.test\.tsx?$/

/** The packages of this repository are used from their sources, without a build. */
const fromSources = { ssr: { resolve: { conditions: ['latchkey-source', 'node', 'development'] } } }

const TIMING = 'blackbox/auth/timing.test.ts'

const slowFiles = ['{server,bench}/test/**/*.slow.test.{ts,tsx}']

/** Options of every project. */
const sharedOptions = (mode: string) => ({
  // A worker runs many files one after the other, so that it loads the service once and not for each of them.
  isolate: false,
  // Every service that starts makes many objects. With more room for new ones, a third of the garbage collection goes.
  execArgv: ['--max-semi-space-size=64'],
  provide: { full: mode === 'full' },
  setupFiles: ['bench/bin/cpu-time.mjs'],
  // Long enough for slow machines. A test that passes does not wait for it.
  expect: { poll: { timeout: 30 * SECONDS } },
  // These only end a test that hangs, so they are the same for all.
  testTimeout: 900 * SECONDS,
  hookTimeout: 900 * SECONDS,
})

// The file name sets the tier: *.unit.test.ts, *.slow.test.ts, and *.test.ts for what asks the service over HTTP.
// CONTRIBUTING.md says what belongs where. `--mode full` is the full run, with all rounds of all races.
export default defineConfig(({ mode }) => ({
  test: {
    // Tests wait for the database and for programs, so two more at once than there are cores.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        ...fromSources,
        test: {
          ...sharedOptions(mode),
          name: 'unit',
          include: ['{server,bench}/test/**/*.unit.test.{ts,tsx}'],
        },
      },
      {
        ...fromSources,
        test: {
          ...sharedOptions(mode),
          name: 'http',
          // Every project loads the service anew. The quick run has few slow tests, and saves that.
          include: ['server/test/**/*.test.{ts,tsx}', ...(mode === 'full' ? [] : slowFiles)],
          exclude: ['**/*.unit.test.{ts,tsx}', ...(mode === 'full' ? slowFiles : [])],
          globalSetup,
        },
      },
      {
        ...fromSources,
        test: {
          ...sharedOptions(mode),
          name: 'slow',
          include: mode === 'full' ? slowFiles : [],
          globalSetup,
        },
      },
      {
        ...fromSources,
        test: {
          ...sharedOptions(mode),
          name: 'blackbox',
          include: ['blackbox/**/*.test.ts'],
          exclude: mode === 'full' ? [TIMING] : [],
          globalSetup: ['blackbox/support/global-setup.ts'],
        },
      },
      {
        ...fromSources,
        test: {
          ...sharedOptions(mode),
          // Its service hashes passwords as in production.
          name: 'timing',
          include: mode === 'full' ? [TIMING] : [],
          globalSetup: ['blackbox/support/global-setup.ts'],
        },
      },
    ],
  },
}))
