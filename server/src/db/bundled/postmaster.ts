import { execFileSync } from 'node:child_process'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { OperatorError } from '../../errors.ts'
import { readProcessStart } from '../../lib/process-identity.ts'
import { openClient } from '../connections.ts'
import type { Home } from './home.ts'
import { findOwner, type Owner } from './owner.ts'

/** The state of the server on a cluster. */
export type ServerState =
  | { kind: 'none' }
  /** The server is starting or stopping. */
  | { kind: 'unclear' }
  /** A server answers, but its process is not visible or was not started by Latchkey. */
  | { kind: 'foreign' }
  | { kind: 'running'; pid: number; owner: Owner; socketDir: string }

const SOCKET_LINE = 4

/**
 * Looks for a server on the cluster. In case of doubt it never returns `none`, because two servers on one cluster would
 * destroy it. PostgreSQL itself handles a stale pid file.
 */
export async function findServer(home: Home): Promise<ServerState> {
  const pidFile = join(home.cluster, 'postmaster.pid')
  const text = readIfExists(pidFile)
  if (text === undefined) return { kind: 'none' }
  const lines = text.split('\n')
  const pid = Number(lines[0])
  const socketDir = lines[SOCKET_LINE]?.trim() ?? ''
  if (!(pid > 0)) return { kind: 'unclear' }
  if (readProcessStart(pid) === undefined) {
    if (await acceptsConnections(socketDir)) return { kind: 'foreign' }
    // PostgreSQL would mistake a zombie, or a thread with that id, for a running server.
    if (pidExists(pid)) removePidFile(pidFile, text)
    return { kind: 'none' }
  }
  const command = readCommandLine(pid)
  if (command === undefined) return { kind: (await acceptsConnections(socketDir)) ? 'foreign' : 'unclear' }
  if (!isPostmasterOf(pid, command, home)) {
    removePidFile(pidFile, text)
    return { kind: 'none' }
  }
  const owner = findOwner(command)
  if (!owner) return { kind: 'foreign' }
  // PostgreSQL writes the file line by line. Without the socket line it is still starting.
  return socketDir === '' ? { kind: 'unclear' } : { kind: 'running', pid, owner, socketDir }
}

/** True also for zombies and threads. */
function pidExists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function readIfExists(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function readCommandLine(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return undefined
  }
}

/** The pid may have been reused. A postmaster runs as the right user with the cluster as working directory. */
function isPostmasterOf(pid: number, command: string, { cluster, identity }: Home): boolean {
  if (process.platform !== 'linux') return command.includes(cluster)
  const clusterStat = statSync(cluster)
  try {
    if (statSync(`/proc/${pid}`).uid !== (identity?.uid ?? process.getuid?.())) return false
    const { dev, ino } = statSync(`/proc/${pid}/cwd`)
    return dev === clusterStat.dev && ino === clusterStat.ino
  } catch {
    // In some containers even root may not inspect other users' processes. The command line is still readable.
    return command.includes(`${cluster} `) || findOwner(command) !== undefined
  }
}

/** Removes a stale pid file, unless a server has written a new one in the meantime. */
function removePidFile(pidFile: string, expected: string): void {
  const renamed = `${pidFile}.${process.pid}`
  try {
    renameSync(pidFile, renamed)
    if (readFileSync(renamed, 'utf8') !== expected && !existsSync(pidFile)) linkSync(renamed, pidFile)
  } finally {
    rmSync(renamed, { force: true })
  }
}

const connectTo = (socketDir: string) =>
  openClient({ host: socketDir, user: 'postgres', database: 'postgres', connectionTimeoutMillis: 5_000 })

/** True if a server answers at the socket, even with an error such as "starting up". */
async function acceptsConnections(socketDir: string): Promise<boolean> {
  if (socketDir === '') return false
  const client = connectTo(socketDir)
  try {
    await client.connect()
    return true
  } catch (error) {
    return !['ENOENT', 'ECONNREFUSED', 'EACCES', 'ENOTDIR'].includes(String((error as { code?: string }).code))
  } finally {
    await client.end().catch(() => {})
  }
}

/** A server answers immediately, even during recovery. No answer for this long is an error. */
const MAX_SILENCE_MS = 60_000
const STARTING_UP = '57P03'

/** Connects as soon as the server accepts connections. Returns undefined when `isRunning` becomes false. */
export async function connectWhenReady(socketDir: string, isRunning: () => boolean): Promise<pg.Client | undefined> {
  let deadline = Date.now() + MAX_SILENCE_MS
  while (isRunning()) {
    const client = connectTo(socketDir)
    try {
      await client.connect()
      return client
    } catch (error) {
      await client.end().catch(() => {})
      if ((error as { code?: string }).code === STARTING_UP) deadline = Date.now() + MAX_SILENCE_MS
      if (Date.now() > deadline) {
        throw new OperatorError(`The bundled PostgreSQL does not answer at ${socketDir}.`, { cause: error })
      }
      await sleep(20)
    }
  }
  return undefined
}

const STOP_TIMEOUT_MS = 5_000

/** Stops a server and waits until it has exited. Uses a stronger signal after each timeout. */
export async function stopServer(pid: number): Promise<void> {
  const start = readProcessStart(pid)
  const hasExited = () => start === undefined || readProcessStart(pid) !== start
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (hasExited()) return
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (!hasExited()) throw new OperatorError(`The PostgreSQL with pid ${pid} cannot be ended.`, { cause: error })
    }
    const deadline = Date.now() + STOP_TIMEOUT_MS
    while (!hasExited() && Date.now() < deadline) await sleep(20)
  }
  if (!hasExited()) throw new OperatorError(`The PostgreSQL with pid ${pid} does not end.`)
}
