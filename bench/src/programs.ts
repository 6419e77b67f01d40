import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Database } from './database.ts'
import type { Program, ProgramName } from './row.ts'

/** Programs that are measured, each a process of its own with a database of its own. */

export interface Running extends Program {
  pid: number
  /** The name of its database. */
  database: string
  stop(): Promise<void>
}

/** Where programs run. */
export interface Site {
  /** For logs and whatever else falls due; gone when all is over. */
  folder: string
  database: Database
}

/** How long a program may take to become ready. */
const PATIENCE_MS = 120_000
const STOP_MS = 12_000

/** What all of them are given: threads as Node has them, and no fewer than cores. The service sets its own number. */
export const commonEnv = (): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  UV_THREADPOOL_SIZE: String(Math.max(4, availableParallelism())),
})

/** Those that are files of the bench. */
export type BenchProgram = Exclude<ProgramName, 'latchkey' | 'latchkey-two'>

const FILES: Record<BenchProgram, string> = {
  limits: 'limits/server.js',
  'oidc-provider': 'peers/oidc-provider.js',
  'better-auth': 'peers/better-auth.js',
}

/** Starts a program of the bench, which says itself when it is ready and what is to be known. */
export async function startProgram(site: Site, name: BenchProgram): Promise<Running> {
  const database = databaseName(name)
  const port = await freePort()
  const child = launch(site, {
    label: name,
    args: [fileURLToPath(new URL(FILES[name], import.meta.url))],
    env: { ...commonEnv(), PORT: String(port), DATABASE_URL: await site.database.create(database) },
  })
  const facts = await child.until(() => findReadyLine(child.readOutput()))
  return { name, url: `http://127.0.0.1:${port}`, facts, pid: child.pid, database, stop: child.stop }
}

export const databaseName = (name: ProgramName): string => `bench_${name.replaceAll('-', '_')}`

function findReadyLine(output: string): Record<string, string> | undefined {
  const line = output.split('\n').find((text) => text.startsWith('{"ready":true'))
  if (line === undefined) return undefined
  const { ready: _, ...facts } = JSON.parse(line)
  return facts
}

export interface Launch {
  /** Names its log. */
  label: string
  /** Those of node. */
  args: string[]
  env: Record<string, string>
}

export interface Launched {
  pid: number
  readOutput(): string
  /** Asks again and again until there is something; fails when the process ends before. */
  until<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T>
  /** How it ended. */
  ended: Promise<number | null>
  stop(): Promise<void>
}

/** All that run, so that an end in the midst leaves none behind. */
const launched = new Set<Pick<Launched, 'stop'> & { child: ChildProcess }>()

process.on('exit', () => {
  for (const { child } of launched) child.kill('SIGKILL')
})

/** Ends everything that runs, also what is just starting. */
export async function stopAll(): Promise<void> {
  await Promise.all([...launched].map(({ stop }) => stop()))
}

let isClosed = false

/** The same, and nothing is started after it. */
export async function closeAll(): Promise<void> {
  isClosed = true
  await stopAll()
}

/** Starts a process of node whose output goes straight into files, so that nobody has to read it while the clock runs. */
export function launch({ folder }: Pick<Site, 'folder'>, { label, args, env }: Launch): Launched {
  if (isClosed) throw new Error(`${label} was not started: the bench is ending.`)
  const log = (kind: string) => join(folder, `${label}.${kind}.log`)
  const fds = [openSync(log('out'), 'a', 0o600), openSync(log('err'), 'a', 0o600)] as const
  const child = spawn(process.execPath, args, { env, cwd: folder, stdio: ['ignore', ...fds] })
  for (const fd of fds) closeSync(fd)
  let running = true
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(null))
    child.once('exit', resolve)
  })
  const stop = async () => {
    child.kill('SIGTERM')
    const late = sleep(STOP_MS, 'late', { ref: false })
    if ((await Promise.race([ended, late])) === 'late') child.kill('SIGKILL')
    await ended
  }
  const entry = { child, stop }
  launched.add(entry)
  void ended.then(() => {
    running = false
    launched.delete(entry)
  })
  const read = (kind: string) => readFileSync(log(kind), 'utf8')
  return {
    pid: child.pid ?? Number.NaN,
    readOutput: () => read('out'),
    ended,
    async until(look) {
      const deadline = Date.now() + PATIENCE_MS
      while (running && Date.now() < deadline) {
        const found = await look()
        if (found !== undefined) return found
        await sleep(20)
      }
      const said = `${read('out')}${read('err')}`.trim().split('\n').slice(-15).join('\n')
      throw new Error(`${label} ${running ? 'did not become ready' : 'ended at its start'}:\n${said}`)
    },
    stop,
  }
}

/** A port that nobody listens on just now. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('There is no free port.')
  return address.port
}
