import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { startBundled } from '../db/bundled/server.ts'
import { createClosers } from '../lib/closers.ts'
import { seedIds } from '../lib/ids.ts'
import { createTestClock } from './clock.ts'
import type { TestConfig } from './config.ts'
import { createFaults } from './faults.ts'
import { createRunFolder, removeRunFolder } from './folders.ts'
import { openFrontServer } from './front-server.ts'
import { type InitialData, prepareDataFolder, prepareKey } from './prepare.ts'
import type { Controls } from './routes.ts'
import type { TestService } from './service.ts'
import { copyTemplate, dropDatabase, FIRST_DATABASE } from './store.ts'

export interface TestInstance {
  baseUrl: string
  /** Resolves when the database ends by itself. */
  lost: Promise<void>
  close(): Promise<void>
}

export interface TestInstanceOptions extends TestConfig {
  data: InitialData
  /** The seed of the ids; undefined: they are random. */
  seed: number | undefined
  log: Logger
}

/** The data is deleted at the end, so it need not survive a crash. */
const DATABASE_SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
}

/** How long a reset waits for requests in progress. */
const MAX_IDLE_WAIT_MS = 500

export async function startTestInstance(options: TestInstanceOptions): Promise<TestInstance> {
  const { config, data, log } = options
  const closers = createClosers()
  let setFirst: (service: Promise<TestService>) => void = () => {}
  // Requests that arrive during the start wait for the first service.
  let current = new Promise<TestService>((resolve) => {
    setFirst = resolve
  })
  const front = await openFrontServer({ host: bindAddress(config), port: config.port }, async () => (await current).app)
  const { port } = front
  const baseUrl = options.baseUrl ?? `http://localhost:${port}`
  try {
    // Meanwhile another process copies the data.
    const loading = loadService()
    loading.catch(() => {})
    const dataDir = await createRunFolder(prepareKey(data), (folder) => prepareDataFolder(folder, config, data))
    closers.add(async () => removeRunFolder(dataDir))
    const server = await startBundled(dataDir, { use: 'own', settings: DATABASE_SETTINGS, meanwhile: () => loading })
    closers.add(server.stop)
    const { socketDir } = server
    const ownConfig = { ...config, port, baseUrl, dataDir }
    const [clock, faults] = [createTestClock(), createFaults()]

    async function open(database: string, seed: number | undefined): Promise<TestService> {
      const { openService } = await loadService()
      seedIds(seed === undefined ? undefined : String(seed))
      return openService({ config: ownConfig, log, socketDir, database, controls })
    }

    let copies = 0
    async function replace(previous: Promise<TestService>, seed: number | undefined): Promise<TestService> {
      const old = await previous.catch(() => undefined)
      faults.clear()
      await front.waitUntilIdle(MAX_IDLE_WAIT_MS)
      const database = `${FIRST_DATABASE}_${++copies}`
      await Promise.all([old?.close(), copyTemplate(socketDir, database)])
      if (old)
        dropDatabase(socketDir, old.database).catch((err) => log.warn({ err }, 'an old database was not dropped'))
      clock.reset()
      return open(database, seed)
    }

    const controls: Controls = {
      clock,
      faults,
      async reset(seed = options.seed) {
        current = replace(current, seed)
        await current
        return seed
      },
    }
    setFirst(open(FIRST_DATABASE, options.seed))
    closers.add(async () => (await current).close())
    closers.add(front.close)
    await current
    return { baseUrl, lost: server.lost, close: closers.close }
  } catch (error) {
    await front.close()
    await closers.close()
    throw error
  }
}

/** Node would bind `localhost` to only one of its addresses, and not always to the one that clients try. */
const bindAddress = ({ host }: Config) => (host === 'localhost' ? '127.0.0.1' : host)

/** Loads most of the program. */
const loadService = () => import('./service.ts')
