import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import type pg from 'pg'
import { OperatorError } from '../../errors.ts'
import { fsProblem } from '../../lib/fs-problem.ts'
import { removeUnfinished } from '../../lib/make-once.ts'
import { PLAIN_ENV } from './cluster.ts'
import { type Home, makeSocketDir, removeOtherSocketDirs, removeOwned } from './home.ts'
import { OWNER_SETTING, type Owner, ownerMark } from './owner.ts'
import { connectWhenReady, lookForServer, stopServer } from './postmaster.ts'
import type { Programs } from './programs.ts'

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

/** A killed server's children need a moment to notice; until they are gone, the next one refuses to start. */
const SIBLINGS_LEFT = /shared memory block .* still in use/
/** What the server says to those who knock too early; not why it failed. */
const NOT_A_REASON = /starting up|not yet accepting connections|shutting down/
const LOG_LIMIT_BYTES = 10 * 1024 * 1024

interface LaunchOptions {
  kind: Owner['kind']
  settings: Record<string, string>
  meanwhile: (() => Promise<unknown>) | undefined
}

/** A server that this process started. */
export interface RunningServer {
  socketDir: string
  stop(): Promise<void>
  /** Settles when the server ends without having been asked to. */
  lost: Promise<void>
}

/** A server of our own; undefined when another process was faster, so that one must look again. */
export async function launch(
  home: Home,
  programs: Programs,
  options: LaunchOptions,
): Promise<RunningServer | undefined> {
  const socketDir = makeSocketDir(home)
  const log = openLog(home.log)
  const child = spawnServer(home, programs, { ...options, socketDir, logFd: log.fd })
  closeSync(log.fd)
  const exit = watchExit(child)
  // However this process ends short of a kill, it does not leave its server behind.
  const endHard = () => void (exit.happened || child.kill('SIGQUIT'))
  process.on('exit', endHard)
  let stopping = false
  const stop = async () => {
    stopping = true
    if (!exit.happened && child.pid !== undefined) await stopServer(child.pid)
    process.off('exit', endHard)
    tidyUp(() => removeOwned(socketDir, home))
  }
  try {
    await options.meanwhile?.()
    const client = await connectWhenReady(socketDir, () => !exit.happened)
    if (client) {
      await ensureDatabase(client).finally(() => client.end())
      removeOtherSocketDirs(home, socketDir)
      removeUnfinished(home.cluster, (folder) => removeOwned(folder, home))
    }
  } catch (error) {
    await stop()
    throw error
  }
  if (exit.happened) {
    await stop()
    const said = readFileSync(home.log).subarray(log.start).toString()
    if (SIBLINGS_LEFT.test(said) || (await lookForServer(home)).kind !== 'none') return undefined
    throw explainExit(home, said, exit.error)
  }
  const lost = exit.promise.then(() => (stopping ? new Promise<void>(() => {}) : undefined))
  return { socketDir, lost, stop }
}

/** What a disk that cannot be written keeps is removed by the next start. */
function tidyUp(remove: () => void): void {
  try {
    remove()
  } catch (error) {
    if (fsProblem(error) === undefined) throw error
  }
}

function spawnServer(
  home: Home,
  programs: Programs,
  { kind, settings, socketDir, logFd }: LaunchOptions & { socketDir: string; logFd: number },
): ChildProcess {
  const all = {
    ...SETTINGS,
    ...settings,
    // A list of folders, in which a comma separates and quotes hold together.
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    [OWNER_SETTING]: ownerMark(kind),
  }
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return spawn(programs.postgres, ['-D', home.cluster, ...args], {
    ...home.identity,
    cwd: home.folder,
    env: PLAIN_ENV,
    // A process group of its own: Ctrl-C in the terminal must reach the service alone, which stops us in order.
    detached: true,
    stdio: ['ignore', logFd, logFd],
  })
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
  const start = existsSync(path) ? statSync(path).size : 0
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW
  return { fd: openSync(path, flags, 0o600), start }
}

function explainExit(home: Home, said: string, error: Error | undefined): OperatorError {
  const lines = said.split('\n').filter((line) => !NOT_A_REASON.test(line))
  const line =
    lines.findLast((text) => /FATAL|PANIC/.test(text)) ?? lines.find((text) => /error|not found/i.test(text))
  const reason = line?.replace(/^.*?(?:FATAL|PANIC):\s*/, '') ?? error?.message ?? 'it gave no reason'
  return new OperatorError(
    `The bundled PostgreSQL did not start: ${reason.trim()}. Its log is ${home.log}. ` +
      'Mend that, or set DATABASE_URL to a PostgreSQL 15 or later.',
    { cause: error },
  )
}

/** The service owns its database, but is no superuser of the server. */
async function ensureDatabase(client: pg.Client): Promise<void> {
  try {
    const { rows } = await client.query<{ role: boolean; database: boolean }>(
      `select exists (select from pg_roles where rolname = 'latchkey') as role,
              exists (select from pg_database where datname = 'latchkey') as database`,
    )
    if (!rows[0]?.role) await client.query('create role latchkey login')
    if (!rows[0]?.database) await client.query('create database latchkey owner latchkey')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(`The bundled PostgreSQL could not make its database: ${reason}.`, {
      cause: error,
    })
  }
}
