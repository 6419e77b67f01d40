import { mkdtempSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { inject } from 'vitest'

/** A way to the database that can be broken. */
export interface BrokenLine {
  /** The folder of its socket: what a node needs to go by it. */
  host: string
  /**
   * Breaks all connections of the line once the database has answered a message that holds these bytes, as they are or in
   * hex, for the `nth` time. The answer is lost. Nobody gets through until `mend` is called.
   */
  breakAfter(bytes: Buffer, nth: number): void
  break(): void
  mend(): void
  close(): Promise<void>
}

export async function openBrokenLine(): Promise<BrokenLine> {
  const host = mkdtempSync(join(inject('scratch'), 'l-'))
  const pairs = new Set<[Socket, Socket]>()
  let awaited: { bytes: Buffer; hex: Buffer; left: number } | undefined
  let broken = false
  const breakAll = () => {
    broken = true
    for (const [near, far] of pairs) {
      near.destroy()
      far.destroy()
    }
    pairs.clear()
  }
  const server = createServer((near) => {
    near.on('error', () => {})
    if (broken) return void near.destroy()
    const far = connect(join(inject('socketDir'), '.s.PGSQL.5432'))
    const pair: [Socket, Socket] = [near, far]
    pairs.add(pair)
    /** The statement that is waited for was sent by this connection. */
    let isLast = false
    near.on('data', (chunk: Buffer) => {
      const { bytes, hex } = awaited ?? {}
      if (awaited && bytes && hex && (chunk.includes(bytes) || chunk.includes(hex)) && --awaited.left === 0) {
        awaited = undefined
        isLast = true
      }
      far.write(chunk)
    })
    far.on('data', (chunk: Buffer) => {
      if (!isLast) return void near.write(chunk)
      // By the time that it says it is ready for the next statement, the last one is done.
      if (chunk.includes(READY_FOR_QUERY)) breakAll()
    })
    const end = () => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const socket of pair) socket.on('error', () => {}).on('close', end)
  })
  await new Promise<void>((resolve) => server.listen(join(host, '.s.PGSQL.5432'), resolve))
  return {
    host,
    breakAfter: (bytes, nth) => {
      awaited = { bytes, hex: Buffer.from(bytes.toString('hex')), left: nth }
    },
    break: breakAll,
    mend: () => {
      broken = false
    },
    async close() {
      breakAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The beginning of the message, and its length. */
const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5])
