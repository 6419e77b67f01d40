import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import type pg from 'pg'
import { OperatorError } from '../../errors.ts'
import { removeUnfinished } from '../../lib/atomic-folder.ts'
import { describeFsError } from '../../lib/fs-error.ts'
import { PLAIN_ENV } from './cluster.ts'
import { type Home, makeSocketDir, removeOtherSocketDirs, removeOwned } from './home.ts'
import { describeOwner, OWNER_SETTING, type Owner } from './owner.ts'
import { connectWhenReady, findServer, stopServer } from './postmaster.ts'
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

/** After a server was killed, a new one cannot start until the child processes of the old one have exited. */
const OLD_CHILDREN_RUNNING = /shared memory block .* still in use/
/** FATAL lines for clients that connected too early or too late. They are not the reason of a failed start. */
const NOT_A_REASON = /starting up|not yet accepting connections|shutting down/
const LOG_LIMIT_BYTES = 10 * 1024 * 1024

interface LaunchOptions {
  kind: Owner['kind']
  settings: Record<string, string>
  /** Runs while the server starts. */
  meanwhile: (() => Promise<unknown>) | undefined
}

export interface RunningServer {
  socketDir: string
  stop(): Promise<void>
  /** Resolves when the server exits without `stop`. */
  lost: Promise<void>
}

/** Starts a server. Returns undefined if another process has started one, so that the caller looks for it again. */
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
  // Stop the server whenever this process exits, except for SIGKILL.
  const quitServer = () => void (exit.happened || child.kill('SIGQUIT'))
  process.on('exit', quitServer)
  let stopping = false
  const stop = async () => {
    stopping = true
    if (!exit.happened && child.pid !== undefined) await stopServer(child.pid)
    process.off('exit', quitServer)
    ignoreFsErrors(() => removeOwned(socketDir, home))
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
    const output = readFileSync(home.log).subarray(log.start).toString()
    if (OLD_CHILDREN_RUNNING.test(output) || (await findServer(home)).kind !== 'none') return undefined
    throw explainExit(home, output, exit.error)
  }
  const lost = exit.promise.then(() => (stopping ? new Promise<void>(() => {}) : undefined))
  return { socketDir, lost, stop }
}

/** A folder that cannot be removed, for example on a read-only disk, is removed by the next start. */
function ignoreFsErrors(remove: () => void): void {
  try {
    remove()
  } catch (error) {
    if (describeFsError(error) === undefined) throw error
  }
}

function spawnServer(
  home: Home,
  programs: Programs,
  { kind, settings, socketDir, logFd }: LaunchOptions & { socketDir: string; logFd: number },
): ChildProcess {
  const allSettings = {
    ...SETTINGS,
    ...settings,
    // A comma-separated list, so the folder is quoted.
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    [OWNER_SETTING]: describeOwner(kind),
  }
  const args = Object.entries(allSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return spawn(programs.postgres, ['-D', home.cluster, ...args], {
    ...home.identity,
    cwd: home.folder,
    env: PLAIN_ENV,
    // A separate process group: Ctrl-C in the terminal must reach only the service, which then stops the server.
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

/** The server writes to the file directly, because a pipe would break if the service is killed. One old log is kept. */
function openLog(path: string): { fd: number; start: number } {
  if (existsSync(path) && statSync(path).size > LOG_LIMIT_BYTES) renameSync(path, `${path}.old`)
  const start = existsSync(path) ? statSync(path).size : 0
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW
  return { fd: openSync(path, flags, 0o600), start }
}

function explainExit(home: Home, output: string, error: Error | undefined): OperatorError {
  const lines = output.split('\n').filter((line) => !NOT_A_REASON.test(line))
  const line = lines.findLast((text) => /FATAL|PANIC/.test(text)) ?? lines.find((text) => /error|not found/i.test(text))
  const reason = line?.replace(/^.*?(?:FATAL|PANIC):\s*/, '') ?? error?.message ?? 'it gave no reason'
  return new OperatorError(
    `The bundled PostgreSQL did not start: ${reason.trim()}. Its log is ${home.log}. ` +
      'Fix that, or set DATABASE_URL to a PostgreSQL 15 or later.',
    { cause: error },
  )
}

/** The role of the service owns the database but is not a superuser. */
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
