import { randomInt, randomUUID } from 'node:crypto'
import type pg from 'pg'
import { openClient } from './connections.ts'
import { PROCESS_LOCK } from './processes.ts'

const CHANNEL = 'latchkey_changes'
const HEARTBEAT_INTERVAL_MS = 250
const QUERY_TIMEOUT_MS = 600
const RECONNECT_INTERVAL_MS = 200
const CONNECT_TIMEOUT_MS = 2_000

const MAX_PROCESS_NUMBER = 2 ** 31

/**
 * Change notifications (LISTEN/NOTIFY) of all nodes, commands and this process, sent by the transaction that made the
 * change. A subject is a word and an id, such as `session:0197…`.
 */
export interface ChangeFeed {
  /** False while notifications may be lost. Cached values must not be used then. */
  isCurrent(): boolean
  /** Seconds since the database last answered on this connection. */
  secondsSinceAnswer(): number
  /** Seconds since the connection was last lost; infinite if it never was. */
  secondsSinceLoss(): number
  /** The listener is called for every change, and with undefined if notifications may have been lost. */
  subscribe(listener: (subject: string | undefined) => void): void
  /** The number of this process. While connected, the process holds the advisory lock of that number. */
  processNumber: number | undefined
  /** Waits until all notifications of earlier commits have been received, or until `isCurrent` is false. */
  waitUntilCurrent(): Promise<void>
  stop(): Promise<void>
}

/** For commands, which do not use a cache. */
export const noopChangeFeed: ChangeFeed = {
  isCurrent: () => false,
  secondsSinceAnswer: () => 0,
  secondsSinceLoss: () => Number.POSITIVE_INFINITY,
  subscribe: () => {},
  processNumber: undefined,
  waitUntilCurrent: async () => {},
  stop: async () => {},
}

export async function openChangeFeed(
  direct: pg.ClientConfig,
  { timeoutMs = QUERY_TIMEOUT_MS }: { timeoutMs?: number } = {},
): Promise<ChangeFeed> {
  const processNumber = randomInt(MAX_PROCESS_NUMBER)
  const listeners: ((subject: string | undefined) => void)[] = []
  const publish = (subject: string | undefined) => {
    for (const listener of listeners) listener(subject)
  }
  let connection: ListenConnection | undefined
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let beating: Promise<void> | undefined
  let answeredAt = performance.now()
  let lostAt = Number.NEGATIVE_INFINITY

  async function connect(): Promise<void> {
    const opened = await openListenConnection(direct, { publish, timeoutMs, processNumber })
    // Notifications before this point were not received.
    publish(undefined)
    connection = opened
    void opened.lost.then(() => drop(opened))
  }

  async function drop(broken: ListenConnection | undefined): Promise<void> {
    if (!stopped) lostAt = performance.now()
    // A new connection may have replaced it in the meantime.
    if (connection === broken) connection = undefined
    await broken?.close()
  }

  async function beat(): Promise<void> {
    const checked = connection
    try {
      if (checked) await checked.query('select 1')
      else await connect()
      answeredAt = performance.now()
    } catch {
      await drop(checked)
    }
    if (!stopped) schedule(connection ? HEARTBEAT_INTERVAL_MS : RECONNECT_INTERVAL_MS)
  }

  /** Without a row, other processes do not treat this one as killed. */
  async function unregister(): Promise<void> {
    if (!connection) await connect()
    await connection?.query('delete from processes where number = $1', [processNumber])
  }

  function schedule(ms: number): void {
    timer = setTimeout(() => {
      beating = beat()
    }, ms)
  }

  await connect()
  schedule(HEARTBEAT_INTERVAL_MS)
  return {
    isCurrent: () => connection !== undefined,
    secondsSinceAnswer: () => (performance.now() - answeredAt) / 1000,
    secondsSinceLoss: () => (performance.now() - lostAt) / 1000,
    subscribe: (listener) => void listeners.push(listener),
    processNumber,
    async waitUntilCurrent() {
      const checked = connection
      try {
        await checked?.echo()
      } catch {
        await drop(checked)
      }
    },
    async stop() {
      if (stopped) return
      stopped = true
      clearTimeout(timer)
      // A heartbeat in progress may be about to connect and to add the row again.
      await beating
      // The connection may have broken since the last heartbeat, so there is a second attempt.
      await unregister()
        .catch(() => drop(connection).then(unregister))
        .catch(() => {})
      await drop(connection)
    },
  }
}

/** A connection that receives notifications. */
interface ListenConnection {
  query(text: string, values?: unknown[]): Promise<unknown>
  /** Sends a notification and waits until it is received. All earlier notifications have been received then. */
  echo(): Promise<void>
  close(): Promise<void>
  /** Resolves when the connection is closed. A connection that stays silent is detected by the heartbeat. */
  lost: Promise<void>
}

interface ListenOptions {
  publish: (subject: string) => void
  timeoutMs: number
  processNumber: number
}

async function openListenConnection(
  direct: pg.ClientConfig,
  { publish, timeoutMs, processNumber }: ListenOptions,
): Promise<ListenConnection> {
  const client = openClient(direct)
  const echoes = new Map<string, () => void>()
  client.on('notification', ({ payload = '' }) => {
    if (!payload.startsWith('echo:')) publish(payload)
    else echoes.get(payload)?.()
  })
  const lost = new Promise<void>((resolve) => client.once('end', resolve))
  // client.end() would wait forever for a dead peer.
  const close = async () => void (await withTimeout(client.end(), QUERY_TIMEOUT_MS).catch(() => {}))
  try {
    await withTimeout(client.connect(), CONNECT_TIMEOUT_MS)
    await withTimeout(client.query(`listen ${CHANNEL}; ${toRegistration(processNumber)}`), timeoutMs)
  } catch (error) {
    await close()
    throw error
  }

  let last: Promise<unknown> = Promise.resolve()
  /** Runs one query at a time. */
  const query: ListenConnection['query'] = (text, values = []) => {
    const result = last.then(() => withTimeout(client.query(text, values), timeoutMs))
    last = result.catch(() => {})
    return result
  }

  let nextEcho: Promise<void> | undefined
  return {
    query,
    close,
    lost,
    echo() {
      // Callers share an echo that has not started yet.
      nextEcho ??= last.then(async () => {
        nextEcho = undefined
        const name = `echo:${randomUUID()}`
        const received = new Promise<void>((resolve) => echoes.set(name, resolve))
        await query('select pg_notify($1, $2)', [CHANNEL, name])
        await withTimeout(received, timeoutMs)
        echoes.delete(name)
      })
      return nextEcho
    },
  }
}

/**
 * Does not wait for the lock: until the server notices that the previous connection of this process is closed, that
 * connection still holds it. With these keepalive settings the server detects a dead peer within seconds.
 */
const toRegistration = (processNumber: number) => `
  set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3;
  select pg_try_advisory_lock(${PROCESS_LOCK}, ${processNumber});
  insert into processes (number) values (${processNumber}) on conflict (number) do update set gone_at = null`

async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('the change feed does not answer')), ms)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
    work.catch(() => {})
  }
}
