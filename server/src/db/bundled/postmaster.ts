import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { OperatorError } from '../../errors.ts'
import { processStart } from '../../lib/process-identity.ts'
import { openClient } from '../connections.ts'
import type { Home } from './home.ts'

/** A PostgreSQL found running on the home's cluster, and the Latchkey process that started it. */
export interface Postmaster {
  pid: number
  /** Empty while the server is still starting: it writes its pid file line by line. */
  socketDir: string
}

const SOCKET_LINE = 4

/** Given to the server as a setting of its own, so that whoever finds it running can ask whose it is. */
export const OWNER_SETTING = 'latchkey.owner'

export const ownerMark = (): string => `${hostname()}/${process.pid}/${processStart(process.pid)}`

/** Whether the Latchkey that started a server still lives. On another host we cannot know: assume so. */
export function isAlive(owner: string): boolean {
  const [host, pid, start] = owner.split('/')
  return host !== hostname() || processStart(Number(pid)) === start
}

/** The server on this cluster, if one runs. A pid file left by a crash is cleared away. */
export function findPostmaster({ cluster }: Home): Postmaster | undefined {
  const pidFile = join(cluster, 'postmaster.pid')
  let lines: string[]
  try {
    lines = readFileSync(pidFile, 'utf8').split('\n')
  } catch {
    return undefined
  }
  const pid = Number(lines[0])
  const socketDir = lines[SOCKET_LINE]?.trim() ?? ''
  if (processStart(pid) !== undefined && isPostgresOn(pid, cluster)) return { pid, socketDir }
  rmSync(pidFile, { force: true })
  return undefined
}

/** A pid may belong to anybody by now. A postmaster works in its cluster, and its command line names it. */
function isPostgresOn(pid: number, cluster: string): boolean {
  try {
    if (process.platform === 'linux') return readlinkSync(`/proc/${pid}/cwd`) === cluster
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(cluster)
  } catch {
    return false
  }
}

/** A server answers its socket at once, if only to say that it is recovering; silence for this long is a fault. */
const SILENCE_MS = 60_000
const STARTING_UP = '57P03'

/** Connects as soon as the server lets us in, for as long as `stillThere` says it is worth waiting. */
export async function connectWhenReady(
  socketDir: string,
  stillThere: () => boolean,
): Promise<pg.Client | undefined> {
  let patience = Date.now() + SILENCE_MS
  while (stillThere()) {
    const client = openClient({ host: socketDir, user: 'postgres', database: 'postgres' })
    try {
      await client.connect()
      return client
    } catch (error) {
      await client.end().catch(() => {})
      if ((error as { code?: string }).code === STARTING_UP) patience = Date.now() + SILENCE_MS
      if (Date.now() > patience) {
        throw new OperatorError(`The bundled PostgreSQL does not answer at ${socketDir}.`, { cause: error })
      }
      await sleep(20)
    }
  }
  return undefined
}

export async function readOwner(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ owner: string | null }>('select current_setting($1, true) as owner', [
    OWNER_SETTING,
  ])
  return rows[0]?.owner ?? ''
}

/** Ends a server and waits for it. Fast shutdown first; a server that hangs is ended hard and recovers at its next start. */
export async function stopPostmaster(pid: number, patienceMs: number): Promise<void> {
  const started = processStart(pid)
  const gone = () => processStart(pid) !== started
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    if (gone()) return
    process.kill(pid, signal)
    const deadline = Date.now() + patienceMs
    while (!gone() && Date.now() < deadline) await sleep(20)
  }
  if (!gone()) throw new OperatorError(`The PostgreSQL with pid ${pid} does not end.`)
}
