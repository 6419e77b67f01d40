import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, onTestFinished } from 'vitest'
import { readProcessStart } from '../../src/lib/process-identity.ts'
import { adminOf } from './database.ts'
import { freePort, type Program, READY, type RunOptions, run, tempFolder } from './program.ts'

export const isRoot = process.getuid?.() === 0
export const NOBODY = 65_534

/** A folder that is removed after the test. */
export function newFolder(): string {
  const folder = tempFolder()
  removeAfterTest(folder)
  return folder
}

/** A copy of a data folder in which the demo has run before, so that it starts in about a second. */
export async function initializedFolder(): Promise<string> {
  const [original, folder] = [join(inject('scratch'), 'initialized-demo'), newFolder()]
  const admin = await adminOf(inject('socketDir'))
  try {
    // Another test file may be creating it.
    await admin.query("select pg_advisory_lock(hashtext('initialized-demo'))")
    if (!existsSync(original)) await initializeFolder(original)
  } finally {
    await admin.end()
  }
  execFileSync('cp', ['-a', join(original, 'data'), folder])
  return folder
}

async function initializeFolder(original: string): Promise<void> {
  const folder = tempFolder()
  const env = {
    PORT: await freePort(),
    LATCHKEY_DATA_DIR: join(folder, 'data'),
    PASSWORD_HASH_MEMORY_MIB: '1',
  }
  const program = run(['demo'], { env })
  await program.prints(READY)
  program.child.kill('SIGTERM')
  await program.exited
  renameSync(folder, original)
}

export function removeAfterTest(folder: string): void {
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
}

/** Runs the demo with the data folder `data` in this folder, and stops it after the test. */
export async function beginDemo(folder: string, options: RunOptions = {}): Promise<Program & { port: string }> {
  const port = await freePort()
  const env = {
    PORT: port,
    LATCHKEY_DATA_DIR: join(folder, 'data'),
    PASSWORD_HASH_MEMORY_MIB: '1',
  }
  const program = run(['demo'], { env, ...options })
  onTestFinished(async () => {
    program.child.kill('SIGTERM')
    await program.exited
  })
  return { ...program, port }
}

export async function startDemo(folder: string, options: RunOptions = {}): Promise<Program & { port: string }> {
  const program = await beginDemo(folder, options)
  await program.prints(READY)
  return program
}

export const clusterOf = (folder: string) => join(realpathSync(join(folder, 'data', 'postgres')), 'cluster')
export const pidFileOf = (folder: string) => readFileSync(join(clusterOf(folder), 'postmaster.pid'), 'utf8').split('\n')
export const postmasterOf = (folder: string) => Number(pidFileOf(folder)[0])

/** A direct connection to the bundled server. */
export async function connectTo(folder: string): Promise<pg.Client> {
  const client = new pg.Client({ host: pidFileOf(folder)[4] ?? '', user: 'latchkey', database: 'latchkey' })
  client.on('error', () => {})
  await client.connect()
  return client
}

export async function waitUntilExited(pid: number): Promise<void> {
  await expect.poll(() => readProcessStart(pid)).toBeUndefined()
}
