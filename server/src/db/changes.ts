import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { openClient } from './connections.ts'

const CHANNEL = 'latchkey_changes'
/** How often the connection is asked whether it still hears, and how long it may take to answer. */
const HEARTBEAT_MS = 250
const PATIENCE_MS = 600
const RECONNECT_MS = 200
const SETTLE_MS = 2_000

/**
 * What other nodes, commands and this very process change, announced by the database with the transaction that did
 * it. A subject is a word and an id, such as `session:0197…`.
 */
export interface ChangeFeed {
  /** False while changes may be missed: then nothing remembered can be trusted. */
  isCurrent(): boolean
  /** Called for every change; with undefined when some may have been missed. */
  subscribe(listener: (subject: string | undefined) => void): void
  /** Waits until everything committed so far has been heard here. */
  settle(): Promise<void>
  stop(): Promise<void>
}

/** For commands, which remember nothing. */
export const silentFeed: ChangeFeed = {
  isCurrent: () => false,
  subscribe: () => {},
  settle: async () => {},
  stop: async () => {},
}

export async function openChangeFeed(direct: pg.ClientConfig): Promise<ChangeFeed> {
  const listeners: ((subject: string | undefined) => void)[] = []
  const echoes = new Map<string, () => void>()
  let client: pg.Client | undefined
  let current = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  const tell = (subject: string | undefined) => {
    for (const listener of listeners) listener(subject)
  }
  const hear = (payload: string) => {
    const echo = payload.startsWith('echo:') ? echoes.get(payload) : undefined
    if (echo) echo()
    else if (!payload.startsWith('echo:')) tell(payload)
  }

  async function listen(): Promise<void> {
    const fresh = openClient(direct)
    client = fresh
    fresh.on('notification', ({ payload = '' }) => hear(payload))
    await fresh.connect()
    await fresh.query(`listen ${CHANNEL}`)
    // Whatever was announced before this moment was not heard.
    tell(undefined)
    current = true
  }

  async function drop(): Promise<void> {
    current = false
    const broken = client
    client = undefined
    // A dead peer would keep a polite goodbye waiting.
    await Promise.race([broken?.end().catch(() => {}), pause(PATIENCE_MS)])
  }

  async function beat(): Promise<void> {
    try {
      if (client === undefined) await withPatience(listen(), SETTLE_MS)
      else await withPatience(client.query('select 1'), PATIENCE_MS)
    } catch {
      await drop()
    }
    if (!stopped) timer = setTimeout(beat, current ? HEARTBEAT_MS : RECONNECT_MS)
  }

  await listen()
  timer = setTimeout(beat, HEARTBEAT_MS)
  return {
    isCurrent: () => current,
    subscribe: (listener) => void listeners.push(listener),
    async settle() {
      const echo = `echo:${randomUUID()}`
      if (!client || !current) return
      const heard = new Promise<void>((resolve) => echoes.set(echo, resolve))
      try {
        // Announcements arrive in the order of their commits, so this one comes after all that matter.
        await withPatience(
          Promise.all([client.query('select pg_notify($1, $2)', [CHANNEL, echo]), heard]),
          SETTLE_MS,
        )
      } catch {
        await drop()
      } finally {
        echoes.delete(echo)
      }
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await drop()
    },
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

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
