import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { prepareHome, removeOwned } from '../db/bundled/home.ts'
import { isAlive, pidNamespace } from '../db/bundled/owner.ts'
import { findServer, stopServer } from '../db/bundled/postmaster.ts'
import { OperatorError } from '../errors.ts'
import { readProcessStart } from '../lib/process-identity.ts'

/** The folder of test mode. Each user has one, because the files in it are trusted. */
const ROOT = join(tmpdir(), `latchkey-test-${process.getuid?.() ?? 0}`)

/** PostgreSQL's user must be able to enter the folders of root, but not to list them. */
const MODE = process.getuid?.() === 0 ? 0o711 : 0o700

const WEEK_MS = 7 * 86_400_000

/** The end of the name of a folder that belongs to this process. Pids are valid in their namespace only. */
const ownSuffix = () => `-${pidNamespace()}-${process.pid}-`
const OF_PROCESS = /-(\d*)-(\d+)-\w+$/

/**
 * Creates the data folder of one run as a copy of a prepared folder. `prepare` fills the prepared folder when there is
 * none for this key. Several processes may do this at the same time.
 */
export async function createRunFolder(key: string, prepare: (folder: string) => Promise<void>): Promise<string> {
  ensureRoot()
  await removeAbandoned()
  const prepared = join(ROOT, `prepared-${key}`)
  if (!existsSync(prepared)) await createPrepared(prepared, prepare)
  markUsed(prepared)
  const folder = makeFolder(join(ROOT, `run${ownSuffix()}`))
  try {
    // With the owners of the files: as root, the database belongs to another user.
    await promisify(execFile)('/bin/cp', ['-a', `${prepared}/.`, folder])
  } catch (error) {
    removeRunFolder(folder)
    throw new OperatorError(`The folder ${prepared} cannot be copied. Delete ${ROOT} and start again.`, {
      cause: error,
    })
  }
  return folder
}

/** Removes the folder of a run whose database has been stopped. */
export function removeRunFolder(folder: string): void {
  const home = prepareHome(folder)
  if (existsSync(home.cluster)) removeOwned(home.cluster, home)
  rmSync(folder, { recursive: true, force: true })
}

/** Another user could have created the folder in order to place files in it. */
function ensureRoot(): void {
  try {
    mkdirSync(ROOT)
    chmodSync(ROOT, MODE)
  } catch (error) {
    if (!existsSync(ROOT)) throw error
  }
  const found = lstatSync(ROOT)
  if (found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid) && (found.mode & 0o022) === 0) return
  throw new OperatorError(`${ROOT} is not a folder that only this user can change. Remove it, or set TMPDIR.`)
}

function makeFolder(prefix: string): string {
  const folder = mkdtempSync(prefix)
  chmodSync(folder, MODE)
  return folder
}

/** The folder is filled under another name, so that a crash leaves no partial one. */
async function createPrepared(target: string, prepare: (folder: string) => Promise<void>): Promise<void> {
  const unfinished = makeFolder(`${target}.unfinished${ownSuffix()}`)
  try {
    await prepare(unfinished)
    renameSync(unfinished, target)
  } catch (error) {
    removeRunFolder(unfinished)
    // Another process may have been faster.
    if (!existsSync(target)) throw error
  }
}

const markUsed = (folder: string) => utimesSync(folder, new Date(), new Date())

/** Removes what killed processes have left, and what nobody has used for a week. */
async function removeAbandoned(): Promise<void> {
  for (const name of readdirSync(ROOT)) {
    const folder = join(ROOT, name)
    try {
      if (isAbandoned(name, statSync(folder)) && (await hasStopped(folder))) removeRunFolder(folder)
    } catch {
      // Another process may be removing it as well.
    }
  }
}

/** The modification time is that of the last use of a prepared folder, which runs copy as well. */
function isAbandoned(name: string, { mtimeMs }: Stats): boolean {
  const [, namespace, pid] = OF_PROCESS.exec(name) ?? []
  const isKilled = namespace === pidNamespace() && readProcessStart(Number(pid)) === undefined
  return isKilled || Date.now() - mtimeMs > WEEK_MS
}

/** Stops the database of a killed process, if it runs. Returns false if somebody else still uses it. */
async function hasStopped(folder: string): Promise<boolean> {
  const found = await findServer(prepareHome(folder))
  if (found.kind !== 'running') return found.kind === 'none'
  if (isAlive(found.owner)) return false
  await stopServer(found.pid)
  return true
}
