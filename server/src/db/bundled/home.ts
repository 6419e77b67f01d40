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
 * The folder of the bundled PostgreSQL. It belongs to the user of the service, so that nobody else can place files in it.
 * PostgreSQL's user owns only the cluster and the socket folder inside it.
 */
export interface Home {
  folder: string
  cluster: string
  log: string
  identity: Identity | undefined
  /** The folder is outside the data folder, because PostgreSQL's user cannot access the latter. */
  relocated: boolean
}

/** Used when the service runs as root and PostgreSQL's user cannot access the data folder. */
const RELOCATED_ROOT = '/var/lib/latchkey'

/** A unix socket path has at most 107 bytes on Linux and 103 on macOS; ".s.PGSQL.5432" and a slash take 14. */
const MAX_SOCKET_DIR_LENGTH = 103 - 14

const SOCKET_DIR_PREFIX = 'run-'

export function prepareHome(dataDir: string): Home {
  // 0711 lets PostgreSQL's user traverse root's folders but not list them. Secrets in them have mode 0600.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  if (!existsSync(dataDir)) {
    mkdirSync(dirname(dataDir), { recursive: true })
    makeFolder(dataDir, mode)
  }
  const path = join(dataDir, 'postgres')
  if (!lstatSync(path, { throwIfNoEntry: false })) {
    if (canEnter(realpathSync(dataDir), chooseIdentity(undefined))) makeFolder(path, mode)
    else createRelocated(path, mode)
  }
  const relocated = lstatSync(path).isSymbolicLink()
  requireOwnership(path)
  const folder = resolveLink(path)
  requireOwnership(folder)
  const cluster = join(folder, 'cluster')
  return { folder, cluster, log: join(folder, 'postgres.log'), identity: chooseIdentity(cluster), relocated }
}

/** Without `recursive`, which hides the reason of a failure. chmod makes the mode independent of the umask. */
function makeFolder(path: string, mode: number): void {
  try {
    mkdirSync(path)
    chmodSync(path, mode)
  } catch (error) {
    if (!existsSync(path)) throw error
  }
}

function createRelocated(path: string, mode: number): void {
  if (!existsSync(RELOCATED_ROOT)) makeFolder(RELOCATED_ROOT, 0o755)
  requireOwnership(RELOCATED_ROOT)
  const folder = mkdtempSync(join(RELOCATED_ROOT, 'db-'))
  chmodSync(folder, mode)
  try {
    symlinkSync(folder, path)
  } catch (error) {
    rmdirSync(folder)
    // A concurrent start may have created the link.
    if (!existsSync(path)) throw error
  }
}

/** A symbolic link of another user may lead anywhere, and root must not follow it. */
function requireOwnership(path: string): void {
  const { uid } = lstatSync(path)
  if (uid === process.getuid?.()) return
  throw new OperatorError(
    `${path} belongs to another user (uid ${uid}). Start Latchkey as that user, or choose another data folder ` +
      'with LATCHKEY_DATA_DIR.',
  )
}

function resolveLink(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  throw new OperatorError(
    `${path} is a link to a database that is no longer there. Put it back, or delete the link to start afresh.`,
  )
}

/** Makes PostgreSQL's user the only one with access to a newly created folder. */
export function handOver(folder: string, { identity }: Home): void {
  chmodSync(folder, 0o700)
  if (identity) chownSync(folder, identity.uid, identity.gid)
}

/** Deletes a folder as PostgreSQL's user, who owns it, because root must not follow links in it. */
export function removeOwned(folder: string, { identity }: Home): void {
  if (!identity) {
    rmSync(folder, { recursive: true, force: true })
    return
  }
  spawnSync('/bin/rm', ['-rf', '--', folder], { ...identity, stdio: 'ignore' })
  if (existsSync(folder)) rmdirSync(folder)
}

/**
 * Creates a private folder for the server's socket, because every process that can open the socket is trusted. It is in
 * the home unless the path would be too long. The pid file of a running server contains the path.
 */
export function makeSocketDir(home: Home): string {
  const prefix = join(home.folder, SOCKET_DIR_PREFIX)
  const fits = Buffer.byteLength(prefix) + 6 <= MAX_SOCKET_DIR_LENGTH
  const folder = mkdtempSync(fits ? prefix : '/tmp/latchkey-')
  handOver(folder, home)
  return folder
}

/** Removes the socket folders of earlier servers. Only the server that runs on the cluster may call this. */
export function removeOtherSocketDirs(home: Home, current: string): void {
  for (const name of readdirSync(home.folder)) {
    const path = join(home.folder, name)
    if (name.startsWith(SOCKET_DIR_PREFIX) && path !== current) removeOwned(path, home)
  }
}
