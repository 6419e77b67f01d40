import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { loadStartBundled } from './database.ts'
import { isReady, LATCHKEY } from './latchkey/program.ts'
import { median } from './numbers.ts'
import { residentMbOf } from './processes.ts'
import { commonEnv, freePort, type Launched, launch } from './programs.ts'

/** How long the service takes from its first instruction to its first answer, and what it holds then. */
export interface StartResult {
  starts: number
  /** Milliseconds, each the median. */
  ready: number
  database: number
  /** What the service adds to the start of its database. */
  beyond: number
  /** MB, some seconds after the start. */
  idleMb: number
}

interface StartOptions {
  folder: string
  starts: number
  idleMs: number
  tell(line: string): void
}

/** Starts the demo on a folder that is there already, and its database alone, in turn. */
export async function measureStart({ folder, starts, idleMs, tell }: StartOptions): Promise<StartResult> {
  const dataDir = join(folder, 'start')
  // The first start makes the folder.
  await (await startDemo(folder, dataDir)).child.stop()
  const pairs: { ready: number; database: number }[] = []
  for (let count = 1; count <= starts; count++) {
    const database = await timeDatabase(dataDir)
    const { child, ms: ready } = await startDemo(folder, dataDir)
    await child.stop()
    pairs.push({ ready, database })
    tell(
      `start ${count}/${starts}: ready after ${Math.round(ready)} ms, its database ${Math.round(database)} ms`,
    )
  }
  const { child } = await startDemo(folder, dataDir)
  await sleep(idleMs)
  const idleMb = residentMbOf(child.pid)
  await child.stop()
  return {
    starts,
    ready: median(pairs.map(({ ready }) => ready)),
    database: median(pairs.map(({ database }) => database)),
    beyond: median(pairs.map(({ ready, database }) => ready - database)),
    idleMb,
  }
}

async function startDemo(folder: string, dataDir: string): Promise<{ child: Launched; ms: number }> {
  const port = await freePort()
  const { HOST, PATH = '', HOME = '' } = commonEnv()
  const env = { PATH, HOME, HOST: HOST ?? '', PORT: String(port), LATCHKEY_DATA_DIR: dataDir }
  const begin = performance.now()
  const child = launch({ folder }, { label: 'start', args: [LATCHKEY, 'demo'], env })
  await child.until(() => isReady(`http://127.0.0.1:${port}`))
  return { child, ms: performance.now() - begin }
}

/** Until the service's database, alone, answers a question. */
async function timeDatabase(dataDir: string): Promise<number> {
  const startBundled = await loadStartBundled()
  const begin = performance.now()
  const { socketDir, stop } = await startBundled(dataDir, { use: 'own', settings: {} })
  const client = new pg.Client({ host: socketDir, user: 'latchkey', database: 'latchkey' })
  await client.connect()
  await client.query('select 1')
  const ms = performance.now() - begin
  await client.end()
  await stop()
  return ms
}
