import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type GrowthTable, measureGrowth } from './growth.ts'

/**
 * Measures the growth alone: `node bench/dist/growth/run.js [folder [part of a row's id]]`. In a folder that is named the
 * large database is kept for the next time. GROWTH_SIZES (100,10000,1000000) says how many of everything there are.
 */

interface Bundled {
  startBundled(folder: string, options: { use: 'own' }): Promise<{ socketDir: string; stop(): Promise<void> }>
}

/** Of the server as it was built. */
const BUNDLED = new URL('../../../server/dist/db/bundled/server.js', import.meta.url).href

const tell = (line: string) => void process.stderr.write(`${line}\n`)

function show({ sizes, rows }: GrowthTable): string {
  const columns = sizes.flatMap((size, index) => {
    const heading = size.toLocaleString('en')
    return index === 0 ? [`${heading}: ms`] : [`${heading}: ms`, 'ratio', 'of processor time']
  })
  const lines = rows.map(({ name, milliseconds, ratios, processorRatios }) => {
    const cells = milliseconds.flatMap((ms, index) =>
      index === 0
        ? [ms.toFixed(2)]
        : [ms, ratios[index] ?? Number.NaN, processorRatios[index] ?? Number.NaN].map((n) => n.toFixed(2)),
    )
    return `| ${[name, ...cells].join(' | ')} |`
  })
  return [`| ${['', ...columns].join(' | ')} |`, `| --- ${'| ---: '.repeat(columns.length)}|`, ...lines].join(
    '\n',
  )
}

// Whoever breaks it off leaves nothing running: what was started ends with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const [, , named, only = ''] = process.argv
const folder = named ?? mkdtempSync(join(tmpdir(), 'latchkey-growth-'))
const { startBundled }: Bundled = await import(BUNDLED)
const server = await startBundled(folder, { use: 'own' })
try {
  const sizes = (process.env.GROWTH_SIZES ?? '100,10000,1000000').split(',').map(Number)
  const database = { socketDir: server.socketDir }
  const table = await measureGrowth({ sizes, seconds: 0.2, runs: 15, database, only, tell })
  process.stdout.write(`${show(table)}\n`)
} finally {
  await server.stop()
  if (named === undefined) rmSync(folder, { recursive: true, force: true })
}
