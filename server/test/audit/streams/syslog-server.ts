import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import type { StreamEvent } from '../../../src/audit/streams/event.ts'
import type { Certificate } from './certificates.ts'

export interface SyslogMessage {
  priority: number
  timestamp: string
  host: string
  app: string
  process: string
  messageId: string
  dataId: string
  parameters: Record<string, string>
  text: string
}

export interface SyslogServer {
  url: string
  port: number
  /** All messages in the order of arrival, including repetitions. */
  messages: SyslogMessage[]
  /** What was not a message. */
  problems: string[]
  connections(): number
  events(): StreamEvent[]
  /** `closes`: closes each connection after the handshake; `hangs`: reads nothing and does not close. */
  setBehavior(behavior: 'closes' | 'hangs' | undefined): void
  close(): Promise<void>
}

/** A syslog receiver over TLS (RFC 5425). With `clientCa`, clients need a certificate. */
export async function startSyslogServer(
  { cert, key }: Certificate,
  { clientCa, port = 0 }: { clientCa?: Buffer; port?: number } = {},
): Promise<SyslogServer> {
  const messages: SyslogMessage[] = []
  const problems: string[] = []
  const sockets = new Set<TLSSocket>()
  let behavior: 'closes' | 'hangs' | undefined
  let connections = 0
  const server = createServer({ cert, key, ...(clientCa && { ca: clientCa, requestCert: true }) }, (socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    if (behavior === 'closes') return socket.end()
    if (behavior === 'hangs') return socket.pause()
    let rest: Buffer<ArrayBufferLike> = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      rest = readFrames(Buffer.concat([rest, chunk]), (text) => {
        const message = parseMessage(text)
        if (message) messages.push(message)
        else problems.push(text)
      })
    })
    socket.on('end', () => {
      if (rest.length > 0) problems.push(`incomplete: ${rest}`)
    })
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: actualPort } = server.address() as AddressInfo
  return {
    url: `tls://localhost:${actualPort}`,
    port: actualPort,
    messages,
    problems,
    connections: () => connections,
    events: () => messages.map(({ text }) => JSON.parse(text)),
    setBehavior(next) {
      behavior = next
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Reads complete frames and returns the incomplete rest. */
function readFrames(bytes: Buffer, onMessage: (text: string) => void): Buffer {
  const space = bytes.indexOf(' ')
  const length = Number(bytes.subarray(0, Math.max(space, 0)).toString())
  if (space === -1 || bytes.length < space + 1 + length) return bytes
  const end = space + 1 + length
  onMessage(bytes.subarray(space + 1, end).toString())
  return readFrames(bytes.subarray(end), onMessage)
}

const HEADER =
  /^<(\d{1,3})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z) ([!-~]{1,255}) ([!-~]{1,48}) ([!-~]{1,128}) ([!-~]{1,32}) \[([!-~]{1,32}?)((?: [^\s="\]]{1,32}="(?:[^"\\\]]|\\["\\\]])*")*)\] ([ -~]*)$/

/** Parses a message as RFC 5424 defines it, with one element of structured data and ASCII text. */
function parseMessage(line: string): SyslogMessage | undefined {
  const match = HEADER.exec(line)
  if (!match) return undefined
  const [, priority, timestamp = '', host = '', app = '', pid = '', messageId = '', dataId = '', data = '', text = ''] =
    match
  const parameters = Object.fromEntries(
    [...data.matchAll(/ ([^\s="\]]+)="((?:[^"\\\]]|\\["\\\]])*)"/g)].map(([, name = '', value = '']) => [
      name,
      value.replace(/\\(["\\\]])/g, '$1'),
    ]),
  )
  return { priority: Number(priority), timestamp, host, app, process: pid, messageId, dataId, parameters, text }
}
