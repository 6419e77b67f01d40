import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GrowthTable, measureGrowth } from './growth.ts'

/**
 * Measures only growth: `node bench/dist/growth/run.js [folder [part of a row's id]]`. If a folder is given, the large
 * database is kept in it for the next run. GROWTH_SIZES (100,10000,1000000) sets the numbers of users.
 */

interface BundledModule {
  startBundled(folder: string, options: { use: 'own' }): Promise<{ socketDir: string; stop(): Promise<void> }>
}

/** The module of the built service. */
const BUNDLED = new URL('../../../server/dist/db/bundled/server.js', import.meta.url).href

const log = (line: string) => void process.stderr.write(`${line}\n`)

function show({ sizes, rows }: GrowthTable): string {
  const columns = sizes.flatMap((size, index) => {
    const heading = size.toLocaleString('en')
    return index === 0 ? [`${heading}: ms`] : [`${heading}: ms`, 'ratio', 'CPU ratio']
  })
  const lines = rows.map(({ name, milliseconds, ratios, cpuRatios }) => {
    const cells = milliseconds.flatMap((ms, index) =>
      index === 0
        ? [ms.toFixed(2)]
        : [ms, ratios[index] ?? Number.NaN, cpuRatios[index] ?? Number.NaN].map((n) => n.toFixed(2)),
    )
    return `| ${[name, ...cells].join(' | ')} |`
  })
  return [`| ${['', ...columns].join(' | ')} |`, `| --- ${'| ---: '.repeat(columns.length)}|`, ...lines].join('\n')
}

// Exit handlers stop the child processes.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const [, , keptFolder, only = ''] = process.argv
const folder = keptFolder ?? mkdtempSync(join(tmpdir(), 'latchkey-growth-'))
const { startBundled }: BundledModule = await import(BUNDLED)
const server = await startBundled(folder, { use: 'own' })
try {
  const sizes = (process.env.GROWTH_SIZES ?? '100,10000,1000000').split(',').map(Number)
  const database = { socketDir: server.socketDir }
  const table = await measureGrowth({ sizes, seconds: 0.2, runs: 15, database, only, log })
  process.stdout.write(`${show(table)}\n`)
} finally {
  await server.stop()
  if (keptFolder === undefined) rmSync(folder, { recursive: true, force: true })
}
