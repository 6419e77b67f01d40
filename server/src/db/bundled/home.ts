import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { OperatorError } from '../../errors.ts'
import { fsProblem } from '../../lib/fs-problem.ts'
import { canEnter, chooseIdentity, type Identity } from './identity.ts'

/** Where the bundled PostgreSQL lives. */
export interface Home {
  /** The folder that holds the cluster, its log and, where needed, its programs. */
  folder: string
  cluster: string
  log: string
  identity: Identity | undefined
}

/** Where root keeps a database whose own folder PostgreSQL's user cannot enter. */
const RELOCATED = '/var/lib/latchkey'

/** A unix socket's address holds 107 bytes on Linux and 103 on macOS; ".s.PGSQL.5432" and a slash take 14. */
const LONGEST_SOCKET_DIR = 103 - 14

const SOCKET_DIR = 'run-'

export function prepareHome(dataDir: string): Home {
  try {
    return layOut(dataDir)
  } catch (error) {
    const reason = fsProblem(error)
    if (!reason) throw error
    throw new OperatorError(
      `The data folder ${dataDir} cannot be used: ${reason}. Mend that, or choose another with LATCHKEY_DATA_DIR.`,
      { cause: error },
    )
  }
}

/**
 * A new folder for a server's socket, private to its identity: whoever can reach the socket is trusted. It lies
 * in the home unless that path is too long for a socket's address. A running server's pid file names it.
 */
export function makeSocketDir({ folder, identity }: Home): string {
  const inside = join(folder, SOCKET_DIR)
  const fits = Buffer.byteLength(inside) + 6 <= LONGEST_SOCKET_DIR
  const made = mkdtempSync(fits ? inside : '/tmp/latchkey-')
  claim(made, identity)
  return made
}

/** Clears what earlier servers of this home left behind; only the server that now holds the cluster may. */
export function removeOtherSocketDirs({ folder }: Home, current: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (name.startsWith(SOCKET_DIR) && path !== current) rmSync(path, { recursive: true, force: true })
  }
}

function layOut(dataDir: string): Home {
  const isRoot = process.getuid?.() === 0
  // Root's folder lets PostgreSQL's user pass, but not look around; its secrets are files of mode 0600.
  if (!existsSync(dataDir)) {
    mkdirSync(dirname(dataDir), { recursive: true })
    makeFolder(dataDir, isRoot ? 0o711 : 0o700)
  }
  const link = join(dataDir, 'postgres')
  const identity = chooseIdentity(existsSync(link) ? link : undefined)
  if (!existsSync(link)) {
    if (canEnter(realpathSync(dataDir), identity)) mkdirSync(link, { recursive: true, mode: 0o700 })
    else relocate(link)
  }
  const folder = realpathSync(link)
  claim(folder, identity)
  return { folder, cluster: join(folder, 'cluster'), log: join(folder, 'postgres.log'), identity }
}

function relocate(link: string): void {
  mkdirSync(RELOCATED, { recursive: true, mode: 0o755 })
  const folder = mkdtempSync(join(RELOCATED, 'db-'))
  try {
    symlinkSync(folder, link)
  } catch (error) {
    rmSync(folder, { recursive: true })
    // Another start was faster: its place is as good.
    if (!existsSync(link)) throw error
  }
}

/** Not `recursive`, which hides why a folder cannot be made. */
function makeFolder(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if (!existsSync(path)) throw error
  }
}

/** Gives a folder to PostgreSQL's user alone. */
export function claim(folder: string, identity: Identity | undefined): void {
  if (!identity) return
  chownSync(folder, identity.uid, identity.gid)
  chmodSync(folder, 0o700)
}
