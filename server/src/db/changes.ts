import { randomInt, randomUUID } from 'node:crypto'
import type pg from 'pg'
import { openClient } from './connections.ts'
import { PROCESS_LOCK } from './processes.ts'

const CHANNEL = 'latchkey_changes'
/** How often the connection is asked whether it still hears, and how long it may take to answer. */
const HEARTBEAT_MS = 250
const PATIENCE_MS = 600
const RECONNECT_MS = 200
const CONNECT_MS = 2_000

const MOST_PROCESS_NUMBERS = 2 ** 31

/**
 * What other nodes, commands and this very process change, announced by the database with the transaction that did
 * it. A subject is a word and an id, such as `session:0197…`.
 */
export interface ChangeFeed {
  /** False while changes may be missed: then nothing remembered can be trusted. */
  isCurrent(): boolean
  /** Seconds since the database last answered here. */
  silentFor(): number
  /** Seconds since the connection was last lost; infinite if it never was. */
  lostFor(): number
  /** Called for every change; with undefined when some may have been missed. */
  subscribe(listener: (subject: string | undefined) => void): void
  /** The number of this process among all that serve. While it is connected, it holds the lock of that number. */
  processNumber: number | undefined
  /** Waits until everything committed so far has been heard here, or until nothing remembered is trusted. */
  settle(): Promise<void>
  stop(): Promise<void>
}

/** For commands, which remember nothing. */
export const silentFeed: ChangeFeed = {
  isCurrent: () => false,
  silentFor: () => 0,
  lostFor: () => Number.POSITIVE_INFINITY,
  subscribe: () => {},
  processNumber: undefined,
  settle: async () => {},
  stop: async () => {},
}

export async function openChangeFeed(
  direct: pg.ClientConfig,
  { timeoutMs = PATIENCE_MS }: { timeoutMs?: number } = {},
): Promise<ChangeFeed> {
  const processNumber = randomInt(MOST_PROCESS_NUMBERS)
  const listeners: ((subject: string | undefined) => void)[] = []
  const tell = (subject: string | undefined) => {
    for (const listener of listeners) listener(subject)
  }
  let line: Line | undefined
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let heardAt = performance.now()
  let lostAt = Number.NEGATIVE_INFINITY

  async function connect(): Promise<void> {
    const fresh = await openLine(direct, { tell, timeoutMs, processNumber })
    // Whatever was announced before this moment was not heard.
    tell(undefined)
    line = fresh
    void fresh.lost.then(() => drop(fresh))
  }

  async function drop(broken: Line | undefined): Promise<void> {
    if (!stopped) lostAt = performance.now()
    // Another may have taken its place by now.
    if (line === broken) line = undefined
    await broken?.close()
  }

  async function beat(): Promise<void> {
    const asked = line
    try {
      if (asked) await asked.ask('select 1')
      else await connect()
      heardAt = performance.now()
    } catch {
      await drop(asked)
    }
    if (stopped) await drop(line)
    else timer = setTimeout(beat, line ? HEARTBEAT_MS : RECONNECT_MS)
  }

  await connect()
  timer = setTimeout(beat, HEARTBEAT_MS)
  return {
    isCurrent: () => line !== undefined,
    silentFor: () => (performance.now() - heardAt) / 1000,
    lostFor: () => (performance.now() - lostAt) / 1000,
    subscribe: (listener) => void listeners.push(listener),
    processNumber,
    async settle() {
      const asked = line
      try {
        await asked?.echo()
      } catch {
        await drop(asked)
      }
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      // What it gave out was answered: nobody is to take it for one that was killed.
      await line?.ask('delete from processes where number = $1', [processNumber]).catch(() => {})
      await drop(line)
    },
  }
}

/** A connection that listens. */
interface Line {
  ask(query: string, values?: unknown[]): Promise<unknown>
  /** Sends an announcement of its own and waits to hear it: by then all earlier ones were heard. */
  echo(): Promise<void>
  close(): Promise<void>
  /** The other end has hung up. One that only falls silent is found out by its heartbeat. */
  lost: Promise<void>
}

interface LineOptions {
  tell: (subject: string) => void
  timeoutMs: number
  processNumber: number
}

async function openLine(
  direct: pg.ClientConfig,
  { tell, timeoutMs, processNumber }: LineOptions,
): Promise<Line> {
  const client = openClient(direct)
  const echoes = new Map<string, () => void>()
  client.on('notification', ({ payload = '' }) => {
    if (!payload.startsWith('echo:')) tell(payload)
    else echoes.get(payload)?.()
  })
  const lost = new Promise<void>((resolve) => client.once('end', resolve))
  // A dead peer would keep a polite goodbye waiting.
  const close = async () => void (await withPatience(client.end(), PATIENCE_MS).catch(() => {}))
  try {
    await withPatience(client.connect(), CONNECT_MS)
    await withPatience(client.query(`listen ${CHANNEL}; ${toRegistration(processNumber)}`), timeoutMs)
  } catch (error) {
    await close()
    throw error
  }

  let last: Promise<unknown> = Promise.resolve()
  /** One question at a time. */
  const ask: Line['ask'] = (query, values = []) => {
    last = last.then(() => withPatience(client.query(query, values), timeoutMs))
    return last
  }

  let next: Promise<void> | undefined
  return {
    ask,
    close,
    lost,
    echo() {
      // One that has not begun yet serves everybody who asks before it does.
      next ??= last.then(async () => {
        next = undefined
        const name = `echo:${randomUUID()}`
        const heard = new Promise<void>((resolve) => echoes.set(name, resolve))
        await ask('select pg_notify($1, $2)', [CHANNEL, name])
        await withPatience(heard, timeoutMs)
        echoes.delete(name)
      })
      return next
    },
  }
}

/**
 * The lock is not waited for: a server that has not yet noticed the end of the last connection holds it for that one. One
 * whose machine is gone is noticed within seconds.
 */
const toRegistration = (processNumber: number) => `
  set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3;
  select pg_try_advisory_lock(${PROCESS_LOCK}, ${processNumber});
  insert into processes (number) values (${processNumber}) on conflict (number) do update set gone_at = null`

/** The work, or an error when it takes too long. */
async function withPatience<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the change feed does not answer')), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
    work.catch(() => {})
  }
}
