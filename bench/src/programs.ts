import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Database } from './database.ts'
import type { Program, ProgramName } from './row.ts'

/** Measured programs. Each is a separate process with a separate database. */

export interface RunningProgram extends Program {
  pid: number
  /** The database name. */
  database: string
  stop(): Promise<void>
}

export interface Sandbox {
  /** For logs and data. Deleted at the end. */
  folder: string
  database: Database
}

const READY_TIMEOUT_MS = 120_000
const STOP_TIMEOUT_MS = 12_000

/** At least as many threads as cores, and no fewer than the default of Node. The service sets its own number. */
export const commonEnv = (): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  UV_THREADPOOL_SIZE: String(Math.max(4, availableParallelism())),
})

/** Programs that are part of the bench. */
export type BenchProgram = Exclude<ProgramName, 'latchkey' | 'latchkey-two'>

const FILES: Record<BenchProgram, string> = {
  limits: 'limits/server.js',
  'oidc-provider': 'peers/oidc-provider.js',
  'better-auth': 'peers/better-auth.js',
}

/** Starts a program of the bench. The program itself reports when it is ready, with its outputs. */
export async function startProgram(sandbox: Sandbox, name: BenchProgram): Promise<RunningProgram> {
  const database = databaseName(name)
  const port = await findFreePort()
  const child = launch(sandbox, {
    label: name,
    args: [fileURLToPath(new URL(FILES[name], import.meta.url))],
    env: { ...commonEnv(), PORT: String(port), DATABASE_URL: await sandbox.database.create(database) },
  })
  const outputs = await child.waitFor(() => findReadyLine(child.readOutput()))
  return { name, url: `http://127.0.0.1:${port}`, outputs, pid: child.pid, database, stop: child.stop }
}

export const databaseName = (name: ProgramName): string => `bench_${name.replaceAll('-', '_')}`

function findReadyLine(output: string): Record<string, string> | undefined {
  const line = output.split('\n').find((text) => text.startsWith('{"ready":true'))
  if (line === undefined) return undefined
  const { ready: _, ...outputs } = JSON.parse(line)
  return outputs
}

export interface LaunchOptions {
  /** Used in the names of the log files. */
  label: string
  /** Arguments for Node. */
  args: string[]
  env: Record<string, string>
}

export interface LaunchedProcess {
  pid: number
  readOutput(): string
  /** Calls `probe` until it returns a value. Fails if the process ends before. */
  waitFor<T>(probe: () => T | undefined | Promise<T | undefined>): Promise<T>
  /** Resolves to the exit code. */
  ended: Promise<number | null>
  stop(): Promise<void>
}

/** Running processes. None of them may outlive the bench. */
const running = new Set<Pick<LaunchedProcess, 'stop'> & { child: ChildProcess }>()

process.on('exit', () => {
  for (const { child } of running) child.kill('SIGKILL')
})

/** Stops all processes, including those that are still starting. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(({ stop }) => stop()))
}

let isClosed = false

/** Stops all processes and prevents new ones. */
export async function closeAll(): Promise<void> {
  isClosed = true
  await stopAll()
}

/** Starts a Node process. Its output goes to files, so that reading it costs no CPU time during a measurement. */
export function launch({ folder }: Pick<Sandbox, 'folder'>, { label, args, env }: LaunchOptions): LaunchedProcess {
  if (isClosed) throw new Error(`${label} was not started: the bench is ending.`)
  const logPath = (kind: string) => join(folder, `${label}.${kind}.log`)
  const fds = [openSync(logPath('out'), 'a', 0o600), openSync(logPath('err'), 'a', 0o600)] as const
  const child = spawn(process.execPath, args, { env, cwd: folder, stdio: ['ignore', ...fds] })
  for (const fd of fds) closeSync(fd)
  let isRunning = true
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('exit', resolve)
  })
  const stop = async () => {
    child.kill('SIGTERM')
    const late = sleep(STOP_TIMEOUT_MS, 'late', { ref: false })
    if ((await Promise.race([ended, late])) === 'late') child.kill('SIGKILL')
    await ended
  }
  const entry = { child, stop }
  running.add(entry)
  void ended.then(() => {
    isRunning = false
    running.delete(entry)
  })
  const read = (kind: string) => readFileSync(logPath(kind), 'utf8')
  return {
    pid: child.pid ?? Number.NaN,
    readOutput: () => read('out'),
    ended,
    async waitFor(probe) {
      const deadline = Date.now() + READY_TIMEOUT_MS
      while (isRunning && Date.now() < deadline) {
        const value = await probe()
        if (value !== undefined) return value
        await sleep(20)
      }
      const output = `${read('out')}${read('err')}`.trim().split('\n').slice(-15).join('\n')
      throw new Error(`${label} ${isRunning ? 'did not become ready' : 'ended during its start'}:\n${output}`)
    },
    stop,
  }
}

export async function findFreePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('There is no free port.')
  return address.port
}
