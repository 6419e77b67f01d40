import { execFileSync } from 'node:child_process'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { OperatorError } from '../../errors.ts'
import { processStart } from '../../lib/process-identity.ts'
import { openClient } from '../connections.ts'
import type { Home } from './home.ts'
import { findOwner, type Owner } from './owner.ts'

/** What there is to see of a server on a cluster. */
export type Sighting =
  | { kind: 'none' }
  /** Starting or ending: look again. */
  | { kind: 'unclear' }
  /** It answers, but it is no process that we can see, or none that Latchkey started. */
  | { kind: 'foreign' }
  | { kind: 'running'; pid: number; owner: Owner; socketDir: string }

const SOCKET_LINE = 4

/**
 * Looks for a server on the cluster. Where it cannot tell, it never says "none": two servers on one cluster would
 * destroy it. A pid file whose process is gone is left to PostgreSQL, which knows what to do with it.
 */
export async function lookForServer(home: Home): Promise<Sighting> {
  const pidFile = join(home.cluster, 'postmaster.pid')
  const text = readIfThere(pidFile)
  if (text === undefined) return { kind: 'none' }
  const lines = text.split('\n')
  const pid = Number(lines[0])
  const socketDir = lines[SOCKET_LINE]?.trim() ?? ''
  if (!(pid > 0)) return { kind: 'unclear' }
  if (processStart(pid) === undefined) {
    if (await answers(socketDir)) return { kind: 'foreign' }
    // PostgreSQL would take a zombie, or a thread of that number, for a living server.
    if (existsInAnyForm(pid)) discard(pidFile, text)
    return { kind: 'none' }
  }
  const command = readCommandLine(pid)
  if (command === undefined) return { kind: (await answers(socketDir)) ? 'foreign' : 'unclear' }
  if (!worksOn(pid, command, home)) {
    discard(pidFile, text)
    return { kind: 'none' }
  }
  const owner = findOwner(command)
  if (!owner) return { kind: 'foreign' }
  // PostgreSQL writes the file line by line; until the socket's line is there, it is starting.
  return socketDir === '' ? { kind: 'unclear' } : { kind: 'running', pid, owner, socketDir }
}

function existsInAnyForm(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function readCommandLine(pid: number): string | undefined {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  } catch {
    return undefined
  }
}

/** A pid may belong to anybody by now. A postmaster is our user's, works in its cluster, and is told so with -D. */
function worksOn(pid: number, command: string, { cluster, identity }: Home): boolean {
  if (process.platform !== 'linux') return command.includes(cluster)
  const home = statSync(cluster)
  try {
    if (statSync(`/proc/${pid}`).uid !== (identity?.uid ?? process.getuid?.())) return false
    const { dev, ino } = statSync(`/proc/${pid}/cwd`)
    return dev === home.dev && ino === home.ino
  } catch {
    // Not every root may look into another user's process. Its command line still says what it is.
    return command.includes(`${cluster} `) || findOwner(command) !== undefined
  }
}

/** Takes away a pid file that names a stranger, unless a server has written a new one meanwhile. */
function discard(pidFile: string, text: string): void {
  const aside = `${pidFile}.${process.pid}`
  try {
    renameSync(pidFile, aside)
    if (readFileSync(aside, 'utf8') !== text && !existsSync(pidFile)) linkSync(aside, pidFile)
  } finally {
    rmSync(aside, { force: true })
  }
}

const connectTo = (socketDir: string) =>
  openClient({ host: socketDir, user: 'postgres', database: 'postgres', connectionTimeoutMillis: 5_000 })

/** Whether anybody at all is behind the socket, be it only to say that it is not ready. */
async function answers(socketDir: string): Promise<boolean> {
  if (socketDir === '') return false
  const client = connectTo(socketDir)
  try {
    await client.connect()
    return true
  } catch (error) {
    return !['ENOENT', 'ECONNREFUSED', 'EACCES', 'ENOTDIR'].includes(
      String((error as { code?: string }).code),
    )
  } finally {
    await client.end().catch(() => {})
  }
}

/** A server answers its socket at once, if only to say that it is recovering; silence for this long is a fault. */
const SILENCE_MS = 60_000
const STARTING_UP = '57P03'

/** Connects as soon as the server lets us in, for as long as `stillThere` says it is worth waiting. */
export async function connectWhenReady(
  socketDir: string,
  stillThere: () => boolean,
): Promise<pg.Client | undefined> {
  let patience = Date.now() + SILENCE_MS
  while (stillThere()) {
    const client = connectTo(socketDir)
    try {
      await client.connect()
      return client
    } catch (error) {
      await client.end().catch(() => {})
      if ((error as { code?: string }).code === STARTING_UP) patience = Date.now() + SILENCE_MS
      if (Date.now() > patience) {
        throw new OperatorError(`The bundled PostgreSQL does not answer at ${socketDir}.`, { cause: error })
      }
      await sleep(20)
    }
  }
  return undefined
}

const STOP_PATIENCE_MS = 5_000

/** Ends a server and waits for it. One that hangs is ended hard and recovers at its next start. */
export async function stopServer(pid: number): Promise<void> {
  const started = processStart(pid)
  const gone = () => started === undefined || processStart(pid) !== started
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (gone()) return
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (!gone())
        throw new OperatorError(`The PostgreSQL with pid ${pid} cannot be ended.`, { cause: error })
    }
    const deadline = Date.now() + STOP_PATIENCE_MS
    while (!gone() && Date.now() < deadline) await sleep(20)
  }
  if (!gone()) throw new OperatorError(`The PostgreSQL with pid ${pid} does not end.`)
}
