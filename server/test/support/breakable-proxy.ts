import { mkdtempSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { inject } from 'vitest'

/** A proxy in front of the database whose connections can be broken. */
export interface BreakableProxy {
  /** The folder of its socket, to be used as the host of the database. */
  host: string
  /**
   * Breaks all connections after the database has answered the `nth` message that contains these bytes, raw or as hex. The
   * answer is lost, and new connections fail until `mend` is called.
   */
  breakAfter(bytes: Buffer, nth: number): void
  break(): void
  repair(): void
  close(): Promise<void>
}

export async function openBreakableProxy(): Promise<BreakableProxy> {
  const host = mkdtempSync(join(inject('scratch'), 'l-'))
  const pairs = new Set<[Socket, Socket]>()
  let trigger: { bytes: Buffer; hex: Buffer; left: number } | undefined
  let broken = false
  const breakAll = () => {
    broken = true
    for (const [client, database] of pairs) {
      client.destroy()
      database.destroy()
    }
    pairs.clear()
  }
  const server = createServer((client) => {
    client.on('error', () => {})
    if (broken) return void client.destroy()
    const database = connect(join(inject('socketDir'), '.s.PGSQL.5432'))
    const pair: [Socket, Socket] = [client, database]
    pairs.add(pair)
    /** This connection has sent the triggering statement. */
    let isTriggered = false
    client.on('data', (chunk: Buffer) => {
      const { bytes, hex } = trigger ?? {}
      if (trigger && bytes && hex && (chunk.includes(bytes) || chunk.includes(hex)) && --trigger.left === 0) {
        trigger = undefined
        isTriggered = true
      }
      database.write(chunk)
    })
    database.on('data', (chunk: Buffer) => {
      if (!isTriggered) return void client.write(chunk)
      // ReadyForQuery means that the statement has been executed.
      if (chunk.includes(READY_FOR_QUERY)) breakAll()
    })
    const end = () => {
      pairs.delete(pair)
      client.destroy()
      database.destroy()
    }
    for (const socket of pair) socket.on('error', () => {}).on('close', end)
  })
  await new Promise<void>((resolve) => server.listen(join(host, '.s.PGSQL.5432'), resolve))
  return {
    host,
    breakAfter: (bytes, nth) => {
      trigger = { bytes, hex: Buffer.from(bytes.toString('hex')), left: nth }
    },
    break: breakAll,
    repair: () => {
      broken = false
    },
    async close() {
      breakAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The type and the length of the message. */
const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5])
