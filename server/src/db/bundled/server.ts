import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { OperatorError } from '../../errors.ts'
import { removeUnfinished } from '../../lib/make-once.ts'
import { ensureCluster, PLAIN_ENV } from './cluster.ts'
import { type Home, makeSocketDir, prepareHome, removeOtherSocketDirs } from './home.ts'
import {
  connectWhenReady,
  findPostmaster,
  isAlive,
  OWNER_SETTING,
  ownerMark,
  type Postmaster,
  readOwner,
  stopPostmaster,
} from './postmaster.ts'
import { locatePrograms, type Programs } from './programs.ts'

/** A running bundled server that this process may use. */
export interface BundledServer {
  socketDir: string
  /** Ends the server if this process started it; a shared one is left to its owner. */
  stop(): Promise<void>
  /** Settles when the server ends without having been asked to. */
  lost: Promise<void>
}

export interface BundledOptions {
  /** `own`: refuse when another Latchkey lives on the folder. `share`: use its server. */
  use: 'own' | 'share'
  /** Further server settings, such as those of a test. */
  settings?: Record<string, string>
}

const SETTINGS: Record<string, string> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'warning',
  jit: 'off',
}

const STOP_PATIENCE_MS = 5_000
/** A killed server's children need a moment to notice; until they are gone, the next one refuses to start. */
const SIBLINGS_LEFT = /shared memory block .* still in use/
const LOG_LIMIT_BYTES = 10 * 1024 * 1024

/**
 * Starts the PostgreSQL of the data folder. A server left behind by a Latchkey that was killed is ended and
 * started again; the folder's own pid file decides between two that start at once.
 */
export async function startBundled(dataDir: string, options: BundledOptions): Promise<BundledServer> {
  const home = prepareHome(dataDir)
  const programs = locatePrograms(home)
  ensureCluster(home, programs)
  for (;;) {
    const found = findPostmaster(home)
    if (!found) {
      const server = await launch(home, programs, options.settings)
      if (server) return server
      continue
    }
    const owner = await askOwner(home, found)
    if (owner === undefined) continue
    if (!isAlive(owner)) {
      await stopPostmaster(found.pid, STOP_PATIENCE_MS)
    } else if (options.use === 'share') {
      return { socketDir: found.socketDir, stop: async () => {}, lost: new Promise(() => {}) }
    } else {
      throw new OperatorError(
        `Another Latchkey (pid ${owner.split('/')[1]}) is already running on the data folder ${dataDir}. ` +
          'Stop it first, or choose another folder with LATCHKEY_DATA_DIR.',
      )
    }
  }
}

/** Whose server it is; undefined when it is only just starting or went away, so that one must look again. */
async function askOwner(home: Home, found: Postmaster): Promise<string | undefined> {
  if (found.socketDir === '') {
    await sleep(20)
    return undefined
  }
  const client = await connectWhenReady(found.socketDir, () => findPostmaster(home)?.pid === found.pid)
  return client && readOwner(client).finally(() => client.end())
}

/** A server of our own; undefined when another process was faster and its server should be looked at. */
async function launch(
  home: Home,
  programs: Programs,
  extra: Record<string, string> = {},
): Promise<BundledServer | undefined> {
  const socketDir = makeSocketDir(home)
  const settings = { ...SETTINGS, ...extra, [OWNER_SETTING]: ownerMark() }
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const log = openLog(home.log)
  // A process group of its own: Ctrl-C in the terminal must reach the service alone, which stops us in order.
  const child = spawn(programs.postgres, ['-D', home.cluster, '-k', socketDir, ...args], {
    ...home.identity,
    cwd: home.folder,
    env: PLAIN_ENV,
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  closeSync(log.fd)
  const exit = watchExit(child)
  const client = await connectWhenReady(socketDir, () => !exit.happened)
  if (!client) {
    rmSync(socketDir, { recursive: true, force: true })
    if (findPostmaster(home)) return undefined
    const said = readFileSync(home.log).subarray(log.start).toString()
    if (!SIBLINGS_LEFT.test(said)) throw explainExit(home, said, exit.error)
    await sleep(100)
    return undefined
  }
  removeOtherSocketDirs(home, socketDir)
  removeUnfinished(home.cluster)
  await ensureDatabase(client).finally(() => client.end())
  let stopping = false
  return {
    socketDir,
    lost: exit.promise.then(() => (stopping ? new Promise<void>(() => {}) : undefined)),
    async stop() {
      stopping = true
      if (child.pid !== undefined) await stopPostmaster(child.pid, STOP_PATIENCE_MS)
      rmSync(socketDir, { recursive: true, force: true })
    },
  }
}

function watchExit(child: ChildProcess) {
  const exit: { happened: boolean; error: Error | undefined; promise: Promise<void> } = {
    happened: false,
    error: undefined,
    promise: new Promise((resolve) => {
      const end = (error?: Error) => {
        exit.happened = true
        exit.error = error
        resolve()
      }
      child.once('exit', () => end())
      child.once('error', end)
    }),
  }
  return exit
}

/** The server writes its own log; one old one is kept. A pipe to us would break when we are killed. */
function openLog(path: string): { fd: number; start: number } {
  if (existsSync(path) && statSync(path).size > LOG_LIMIT_BYTES) renameSync(path, `${path}.old`)
  return { fd: openSync(path, 'a', 0o600), start: existsSync(path) ? statSync(path).size : 0 }
}

function explainExit(home: Home, said: string, error: Error | undefined): OperatorError {
  const lines = said.split('\n').filter((line) => /FATAL|PANIC|error|not found/i.test(line))
  const reason = lines[0]?.replace(/^.*?(FATAL|PANIC):\s*/, '') ?? error?.message ?? 'it gave no reason'
  return new OperatorError(
    `The bundled PostgreSQL did not start: ${reason.trim()}. Its log is ${home.log}. ` +
      'Mend that, or set DATABASE_URL to a PostgreSQL 15 or later.',
    { cause: error },
  )
}

/** The service owns its database, but is no superuser of the server. */
async function ensureDatabase(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ role: boolean; database: boolean }>(
    `select exists (select from pg_roles where rolname = 'latchkey') as role,
            exists (select from pg_database where datname = 'latchkey') as database`,
  )
  if (!rows[0]?.role) await client.query('create role latchkey login')
  if (!rows[0]?.database) await client.query('create database latchkey owner latchkey')
}
