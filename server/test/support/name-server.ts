import { createSocket } from 'node:dgram'

export const A = 1
export const AAAA = 28

/** The address bytes by name and record type. */
export type Names = Record<string, Record<number, number[]>>

export interface NameServer {
  port: number
  /** The known names; queries for others are never answered. It may be changed at any time. */
  names: Names
  /** The delay of every answer. It may be changed at any time. */
  delayMs: number
  /** The number of queries without an answer. */
  unanswered(): number
  close(): Promise<void>
}

/** A DNS server that answers for known names and ignores all other queries. */
export async function startNameServer(names: Names, host = '127.0.0.1', port = 0): Promise<NameServer> {
  const socket = createSocket('udp4')
  let unanswered = 0
  const server: NameServer = {
    port,
    names,
    delayMs: 0,
    unanswered: () => unanswered,
    close: () => new Promise((resolve) => socket.close(resolve)),
  }
  socket.on('message', (query, from) => {
    const reply = replyTo(query, server.names)
    if (reply) setTimeout(() => socket.send(reply, from.port, from.address), server.delayMs).unref()
    else unanswered++
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.bind(port, host, resolve)
  })
  server.port = socket.address().port
  return server
}

function replyTo(query: Buffer, names: Names): Buffer | undefined {
  const labels: string[] = []
  let at = 12
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.subarray(at + 1, at + 1 + size).toString())
    at += size + 1
  }
  const records = names[labels.join('.').toLowerCase()]
  if (!records) return undefined
  const type = query.readUInt16BE(at + 1)
  const data = records[type]
  const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, data ? 1 : 0, 0, 0, 0, 0])
  const answer = data ? [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, data.length, ...data] : []
  return Buffer.concat([header, query.subarray(12, at + 5), Buffer.from(answer)])
}
