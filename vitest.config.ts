import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Most of the time goes into waiting for programs to start, so more at once than there are cores.
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          name: 'server',
          root: 'server',
          include: ['test/**/*.test.{ts,tsx}'],
          globalSetup: ['test/support/global-setup.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'blackbox',
          root: 'blackbox',
          include: ['**/*.test.ts'],
          globalSetup: ['support/global-setup.ts'],
          testTimeout: 30_000,
        },
      },
      {
        extends: true,
        test: { name: 'bench', root: 'bench', include: ['test/**/*.test.ts'] },
      },
    ],
  },
})
