import { readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, expect } from 'vitest'
import { processStart } from '../../src/lib/process-identity.ts'
import { freePort, type Program, READY, type RunOptions, run, tempFolder } from './program.ts'

export const isRoot = process.getuid?.() === 0
export const NOBODY = 65_534

const programs: Program[] = []
const folders: string[] = []

afterEach(async () => {
  for (const program of programs.splice(0)) {
    program.child.kill('SIGTERM')
    await program.exited
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A folder that is gone after the test. */
export function newFolder(): string {
  const folder = tempFolder()
  folders.push(folder)
  return folder
}

export function removeAfterTest(folder: string): void {
  folders.push(folder)
}

/** Runs the demo with the data folder `data` in this folder, and stops it after the test. */
export async function beginDemo(
  folder: string,
  options: RunOptions = {},
): Promise<Program & { port: string }> {
  const port = await freePort()
  const env = { PORT: port, LATCHKEY_DATA_DIR: join(folder, 'data'), DRAIN_DELAY_MS: '0' }
  const program = run(['demo'], { env, ...options })
  programs.push(program)
  return { ...program, port }
}

export async function startDemo(
  folder: string,
  options: RunOptions = {},
): Promise<Program & { port: string }> {
  const program = await beginDemo(folder, options)
  await program.prints(READY)
  return program
}

export const clusterOf = (folder: string) => join(realpathSync(join(folder, 'data', 'postgres')), 'cluster')
export const pidFileOf = (folder: string) =>
  readFileSync(join(clusterOf(folder), 'postmaster.pid'), 'utf8').split('\n')
export const postmasterOf = (folder: string) => Number(pidFileOf(folder)[0])

/** A connection past the service, to the bundled server itself. */
export async function connectTo(folder: string): Promise<pg.Client> {
  const client = new pg.Client({ host: pidFileOf(folder)[4] ?? '', user: 'latchkey', database: 'latchkey' })
  client.on('error', () => {})
  await client.connect()
  return client
}

export async function untilGone(pid: number): Promise<void> {
  await expect.poll(() => processStart(pid), { timeout: 20_000 }).toBeUndefined()
}
