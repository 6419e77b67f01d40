import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../errors.ts'
import { describeFsError } from '../../lib/fs-error.ts'
import { ensureCluster } from './cluster.ts'
import { prepareHome } from './home.ts'
import { launch, type RunningServer } from './launch.ts'
import { isAlive } from './owner.ts'
import { connectWhenReady, findServer, type ServerState, stopServer } from './postmaster.ts'
import { findBundledPackage, locatePrograms } from './programs.ts'

/** A bundled server that this process uses. `stop` does nothing if another process owns the server. */
export interface BundledServer extends RunningServer {
  /** The folder of the database, if it is not in the data folder. */
  relocatedTo: string | undefined
}

export interface BundledOptions {
  /** `own`: a service, which needs exclusive use of the folder; `share`: a command, which may use the service's server. */
  use: 'own' | 'share'
  /** Additional server settings. */
  settings?: Record<string, string>
  /** Runs while the server starts. */
  meanwhile?: (() => Promise<unknown>) | undefined
}

/** How long to wait for a server that is starting, stopping or owned by a command. */
const TIMEOUT_MS = 60_000

/**
 * Starts the PostgreSQL of the data folder. The server of a killed Latchkey is stopped and started again. If two
 * processes start concurrently, PostgreSQL's pid file decides.
 */
export async function startBundled(dataDir: string, options: BundledOptions): Promise<BundledServer> {
  try {
    return await start(dataDir, options)
  } catch (error) {
    const reason = describeFsError(error)
    if (!reason) throw error
    throw new OperatorError(
      `The data folder ${dataDir} cannot be used: ${reason}. Fix that, or choose another with LATCHKEY_DATA_DIR.`,
      { cause: error },
    )
  }
}

async function start(dataDir: string, options: BundledOptions): Promise<BundledServer> {
  // Found before the data folder is created: in a container it is missing, and the file system may be read-only.
  const bundledPackage = findBundledPackage()
  const home = prepareHome(dataDir)
  const programs = locatePrograms(home, bundledPackage)
  ensureCluster(home, programs)
  const kind = options.use === 'own' ? 'service' : 'command'
  const relocatedTo = home.relocated ? home.folder : undefined
  const deadline = Date.now() + TIMEOUT_MS
  for (;;) {
    const found = await findServer(home)
    if (found.kind === 'none') {
      const { settings = {}, meanwhile } = options
      const server = await launch(home, programs, { kind, settings, meanwhile })
      if (server) return { ...server, relocatedTo }
    } else if (found.kind === 'running' && !isAlive(found.owner)) {
      await stopServer(found.pid)
      continue
    } else if (found.kind === 'running' && found.owner.kind === 'service') {
      if (options.use === 'own')
        throw inUseError(dataDir, `Another Latchkey (pid ${found.owner.pid}) is already running`)
      const client = await connectWhenReady(found.socketDir, () => isAlive(found.owner))
      await client?.end()
      if (client) return { ...toSharedServer(found.socketDir), relocatedTo }
    }
    if (found.kind === 'foreign') throw inUseError(dataDir, 'A PostgreSQL that this Latchkey did not start is running')
    if (Date.now() > deadline) throw inUseError(dataDir, describeWait(found))
    await sleep(50)
  }
}

/** Uses the server of the parent process, for a worker. */
export async function joinBundled(dataDir: string): Promise<BundledServer> {
  const home = prepareHome(dataDir)
  const found = await findServer(home)
  if (found.kind === 'running' && found.owner.pid === process.ppid && isAlive(found.owner)) {
    return { ...toSharedServer(found.socketDir), relocatedTo: home.relocated ? home.folder : undefined }
  }
  throw new OperatorError('The bundled PostgreSQL of this service is gone.')
}

const toSharedServer = (socketDir: string): RunningServer => ({
  socketDir,
  stop: async () => {},
  lost: new Promise(() => {}),
})

const inUseError = (dataDir: string, reason: string) =>
  new OperatorError(
    `${reason} on the data folder ${dataDir}. Stop it first, or choose another folder with LATCHKEY_DATA_DIR.`,
  )

const describeWait = (found: ServerState) =>
  found.kind === 'running'
    ? `A Latchkey command (pid ${found.owner.pid}) has been running for a minute`
    : 'A PostgreSQL has been neither up nor down for a minute'
