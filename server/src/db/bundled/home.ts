import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { OperatorError } from '../../errors.ts'
import { canEnter, chooseIdentity, type Identity } from './identity.ts'

/**
 * Where the bundled PostgreSQL lives. The folder itself stays ours, so that nobody else can plant anything in it;
 * PostgreSQL's user owns the cluster and the socket's folder in it, and no more.
 */
export interface Home {
  folder: string
  cluster: string
  log: string
  identity: Identity | undefined
  /** The folder lies outside the data folder, because PostgreSQL's user cannot enter that. */
  relocated: boolean
}

/** Where root keeps a database whose own folder PostgreSQL's user cannot enter. */
const RELOCATED = '/var/lib/latchkey'

/** A unix socket's address holds 107 bytes on Linux and 103 on macOS; ".s.PGSQL.5432" and a slash take 14. */
const LONGEST_SOCKET_DIR = 103 - 14

const SOCKET_DIR = 'run-'

export function prepareHome(dataDir: string): Home {
  // Root's folders let PostgreSQL's user pass, but not look around; secrets in them are files of mode 0600.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  if (!existsSync(dataDir)) {
    mkdirSync(dirname(dataDir), { recursive: true })
    makeFolder(dataDir, mode)
  }
  const place = join(dataDir, 'postgres')
  if (!lstatSync(place, { throwIfNoEntry: false })) {
    if (canEnter(realpathSync(dataDir), chooseIdentity(undefined))) makeFolder(place, mode)
    else relocate(place, mode)
  }
  const relocated = lstatSync(place).isSymbolicLink()
  requireOwn(place)
  const folder = follow(place)
  requireOwn(folder)
  const cluster = join(folder, 'cluster')
  return { folder, cluster, log: join(folder, 'postgres.log'), identity: chooseIdentity(cluster), relocated }
}

/** Not `recursive`, which hides why a folder cannot be made; and with a mode that no umask narrows. */
function makeFolder(path: string, mode: number): void {
  try {
    mkdirSync(path)
    chmodSync(path, mode)
  } catch (error) {
    if (!existsSync(path)) throw error
  }
}

function relocate(place: string, mode: number): void {
  if (!existsSync(RELOCATED)) makeFolder(RELOCATED, 0o755)
  requireOwn(RELOCATED)
  const folder = mkdtempSync(join(RELOCATED, 'db-'))
  chmodSync(folder, mode)
  try {
    symlinkSync(folder, place)
  } catch (error) {
    rmdirSync(folder)
    // Another start was faster: its place is as good.
    if (!existsSync(place)) throw error
  }
}

/** What belongs to somebody else may lead anywhere; above all root must not follow it. */
function requireOwn(path: string): void {
  const { uid } = lstatSync(path)
  if (uid === process.getuid?.()) return
  throw new OperatorError(
    `${path} belongs to another user (uid ${uid}). Start Latchkey as that user, or choose another data folder ` +
      'with LATCHKEY_DATA_DIR.',
  )
}

function follow(place: string): string {
  if (existsSync(place)) return realpathSync(place)
  throw new OperatorError(
    `${place} is a link to a database that is no longer there. Put it back, or delete the link to start afresh.`,
  )
}

/** Gives a folder that we have just made to PostgreSQL's user alone. */
export function handOver(folder: string, { identity }: Home): void {
  chmodSync(folder, 0o700)
  if (identity) chownSync(folder, identity.uid, identity.gid)
}

/** Deletes a folder of PostgreSQL's user, as that user: what it holds may be a trap for root. */
export function removeOwned(folder: string, { identity }: Home): void {
  if (!identity) {
    rmSync(folder, { recursive: true, force: true })
    return
  }
  spawnSync('/bin/rm', ['-rf', '--', folder], { ...identity, stdio: 'ignore' })
  if (existsSync(folder)) rmdirSync(folder)
}

/**
 * A new folder for a server's socket, private to its identity: whoever can reach the socket is trusted. It lies
 * in the home unless that path is too long for a socket's address. A running server's pid file names it.
 */
export function makeSocketDir(home: Home): string {
  const inside = join(home.folder, SOCKET_DIR)
  const fits = Buffer.byteLength(inside) + 6 <= LONGEST_SOCKET_DIR
  const made = mkdtempSync(fits ? inside : '/tmp/latchkey-')
  handOver(made, home)
  return made
}

/** Clears what earlier servers of this home left behind; only the server that now holds the cluster may. */
export function removeOtherSocketDirs(home: Home, current: string): void {
  for (const name of readdirSync(home.folder)) {
    const path = join(home.folder, name)
    if (name.startsWith(SOCKET_DIR) && path !== current) removeOwned(path, home)
  }
}
