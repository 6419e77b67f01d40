import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const SECONDS = 1_000

/** What the tests of the server share: one PostgreSQL, and databases that are copied for each file. */
const globalSetup = ['server/test/support/global-setup.ts']

/** The slow tier first, so that no long file is left when all else is done. */
class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const order = ['slow', 'http', 'blackbox', 'unit']
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => order.indexOf(a.project.name) - order.indexOf(b.project.name))
  }
}

/** What all tiers share. */
const inEveryTier = (mode: string) => ({
  // A process runs many files one after the other, so that the service is loaded once and not for each of them.
  isolate: false,
  provide: { full: mode === 'full' },
  setupFiles: ['bench/bin/cpu-time.mjs'],
  // Generous, for a busy machine: what is waited for is a condition, and a test that passes does not wait longer.
  expect: { poll: { timeout: 15 * SECONDS } },
  testTimeout: 60 * SECONDS,
  hookTimeout: 120 * SECONDS,
})

// The tier of a test is told by the name of its file: *.unit.test.ts, *.slow.test.ts, and *.test.ts for what asks the
// service over HTTP. CONTRIBUTING.md says what belongs where. `--mode full` runs the slow tier in full.
export default defineConfig(({ mode }) => ({
  test: {
    // Tests wait for the database and for programs, so more at once than there are cores.
    maxWorkers: 4,
    sequence: { sequencer: SlowFirst },
    projects: [
      {
        test: {
          ...inEveryTier(mode),
          name: 'unit',
          include: ['{server,bench}/test/**/*.unit.test.{ts,tsx}'],
        },
      },
      {
        test: {
          ...inEveryTier(mode),
          name: 'http',
          include: ['server/test/**/*.test.{ts,tsx}'],
          exclude: ['**/*.{unit,slow}.test.{ts,tsx}'],
          globalSetup,
        },
      },
      {
        test: {
          ...inEveryTier(mode),
          name: 'slow',
          include: ['{server,bench}/test/**/*.slow.test.{ts,tsx}'],
          globalSetup,
          testTimeout: 300 * SECONDS,
          hookTimeout: 300 * SECONDS,
        },
      },
      {
        test: {
          ...inEveryTier(mode),
          name: 'blackbox',
          include: ['blackbox/**/*.test.ts'],
          globalSetup: ['blackbox/support/global-setup.ts'],
          testTimeout: 120 * SECONDS,
        },
      },
    ],
  },
}))
