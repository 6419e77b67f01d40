import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../errors.ts'
import { fsProblem } from '../../lib/fs-problem.ts'
import { ensureCluster } from './cluster.ts'
import { prepareHome } from './home.ts'
import { launch, type RunningServer } from './launch.ts'
import { isAlive } from './owner.ts'
import { connectWhenReady, lookForServer, type Sighting, stopServer } from './postmaster.ts'
import { locatePrograms } from './programs.ts'

/** A bundled server that this process may use. One that it shares is left to its owner by `stop`. */
export interface BundledServer extends RunningServer {
  /** Where the database lies, if not in the data folder. */
  relocatedTo: string | undefined
}

export interface BundledOptions {
  /** `own` is for a service, which must be alone on the folder; `share` for a command, which may use its server. */
  use: 'own' | 'share'
  /** Further server settings, such as those of a test. */
  settings?: Record<string, string>
  /** What is done while the server starts, before anybody waits for its answer. */
  meanwhile?: (() => Promise<unknown>) | undefined
}

/** How long to wait for a server that starts, ends, or serves a command. */
const PATIENCE_MS = 60_000

/**
 * Starts the PostgreSQL of the data folder. A server left behind by a Latchkey that was killed is ended and
 * started again; the folder's own pid file decides between two that start at once.
 */
export async function startBundled(dataDir: string, options: BundledOptions): Promise<BundledServer> {
  try {
    return await start(dataDir, options)
  } catch (error) {
    const reason = fsProblem(error)
    if (!reason) throw error
    throw new OperatorError(
      `The data folder ${dataDir} cannot be used: ${reason}. Mend that, or choose another with LATCHKEY_DATA_DIR.`,
      { cause: error },
    )
  }
}

async function start(dataDir: string, options: BundledOptions): Promise<BundledServer> {
  const home = prepareHome(dataDir)
  const programs = locatePrograms(home)
  ensureCluster(home, programs)
  const kind = options.use === 'own' ? 'service' : 'command'
  const relocatedTo = home.relocated ? home.folder : undefined
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const seen = await lookForServer(home)
    if (seen.kind === 'none') {
      const { settings = {}, meanwhile } = options
      const server = await launch(home, programs, { kind, settings, meanwhile })
      if (server) return { ...server, relocatedTo }
    } else if (seen.kind === 'running' && !isAlive(seen.owner)) {
      await stopServer(seen.pid)
      continue
    } else if (seen.kind === 'running' && seen.owner.kind === 'service') {
      if (options.use === 'own')
        throw refusal(dataDir, `Another Latchkey (pid ${seen.owner.pid}) is already running`)
      const client = await connectWhenReady(seen.socketDir, () => isAlive(seen.owner))
      await client?.end()
      if (client) return { ...notOurs(seen.socketDir), relocatedTo }
    }
    if (seen.kind === 'foreign')
      throw refusal(dataDir, 'A PostgreSQL that this Latchkey did not start is running')
    if (Date.now() > deadline) throw refusal(dataDir, describeWait(seen))
    await sleep(50)
  }
}

/** The server of the process that started this one, which looks after it. There is no service without it. */
export async function joinBundled(dataDir: string): Promise<BundledServer> {
  const home = prepareHome(dataDir)
  const seen = await lookForServer(home)
  if (seen.kind === 'running' && seen.owner.pid === process.ppid && isAlive(seen.owner)) {
    return { ...notOurs(seen.socketDir), relocatedTo: home.relocated ? home.folder : undefined }
  }
  throw new OperatorError('The bundled PostgreSQL of this service is gone.')
}

const notOurs = (socketDir: string): RunningServer => ({
  socketDir,
  stop: async () => {},
  lost: new Promise(() => {}),
})

const refusal = (dataDir: string, what: string) =>
  new OperatorError(
    `${what} on the data folder ${dataDir}. Stop it first, or choose another folder with LATCHKEY_DATA_DIR.`,
  )

const describeWait = (seen: Sighting) =>
  seen.kind === 'running'
    ? `A Latchkey command (pid ${seen.owner.pid}) has been running for a minute`
    : 'A PostgreSQL has been neither up nor down for a minute'
