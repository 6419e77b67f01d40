import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { loadStartBundled } from './database.ts'
import { isReady, LATCHKEY } from './latchkey/program.ts'
import { median } from './numbers.ts'
import { residentMbOf } from './processes.ts'
import { commonEnv, findFreePort, type LaunchedProcess, launch } from './programs.ts'

/** Time from process start to the first successful readiness check, and idle memory. */
export interface StartResult {
  starts: number
  /** The median, as are the next two. */
  readyMs: number
  /** The start of the bundled database alone. */
  databaseMs: number
  /** What the service adds to the start of its database. */
  overheadMs: number
  /** Resident memory some seconds after the start. */
  idleMb: number
}

interface StartOptions {
  folder: string
  starts: number
  idleMs: number
  log(line: string): void
}

/** Starts the demo on an existing data folder, and its database alone, alternately. */
export async function measureStart({ folder, starts, idleMs, log }: StartOptions): Promise<StartResult> {
  const dataDir = join(folder, 'start')
  // The first start creates the folder.
  await (await startDemo(folder, dataDir)).child.stop()
  const pairs: { readyMs: number; databaseMs: number }[] = []
  for (let count = 1; count <= starts; count++) {
    const databaseMs = await timeDatabase(dataDir)
    const { child, ms: readyMs } = await startDemo(folder, dataDir)
    await child.stop()
    pairs.push({ readyMs, databaseMs })
    log(
      `start ${count}/${starts}: ready after ${Math.round(readyMs)} ms, its database after ${Math.round(databaseMs)} ms`,
    )
  }
  const { child } = await startDemo(folder, dataDir)
  await sleep(idleMs)
  const idleMb = residentMbOf(child.pid)
  await child.stop()
  return {
    starts,
    readyMs: median(pairs.map(({ readyMs }) => readyMs)),
    databaseMs: median(pairs.map(({ databaseMs }) => databaseMs)),
    overheadMs: median(pairs.map(({ readyMs, databaseMs }) => readyMs - databaseMs)),
    idleMb,
  }
}

async function startDemo(folder: string, dataDir: string): Promise<{ child: LaunchedProcess; ms: number }> {
  const port = await findFreePort()
  const { HOST, PATH = '', HOME = '' } = commonEnv()
  const env = { PATH, HOME, HOST: HOST ?? '', PORT: String(port), LATCHKEY_DATA_DIR: dataDir }
  const startedAt = performance.now()
  const child = launch({ folder }, { label: 'start', args: [LATCHKEY, 'demo'], env })
  await child.waitFor(() => isReady(`http://127.0.0.1:${port}`))
  return { child, ms: performance.now() - startedAt }
}

/** Milliseconds until the bundled database alone answers a query. */
async function timeDatabase(dataDir: string): Promise<number> {
  const startBundled = await loadStartBundled()
  const startedAt = performance.now()
  const { socketDir, stop } = await startBundled(dataDir, { use: 'own', settings: {} })
  const client = new pg.Client({ host: socketDir, user: 'latchkey', database: 'latchkey' })
  await client.connect()
  await client.query('select 1')
  const ms = performance.now() - startedAt
  await client.end()
  await stop()
  return ms
}
