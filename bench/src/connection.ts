import { connect } from 'node:net'
import type { Answer, Request } from './row.ts'

/**
 * One connection that is kept open, with one request at a time: as little of HTTP as the measured programs speak, so that
 * whoever asks needs far less time than whoever answers.
 */
export interface Connection {
  send(request: string): void
  close(): void
}

export interface Listener {
  onAnswer(answer: Answer): void
  /** It broke, or what came is no HTTP. Nothing more comes after it. */
  onBroken(reason: string): void
}

const ROOM = 64 * 1024

export function openConnection(url: URL, { onAnswer, onBroken }: Listener): Promise<Connection> {
  let buffered: Buffer | undefined
  let done = false
  const end = (reason: string) => {
    if (done) return
    done = true
    socket.destroy()
    onBroken(reason)
  }
  const receive = (piece: Buffer) => {
    const bytes = buffered ? Buffer.concat([buffered, piece]) : piece
    const answer = readAnswer(bytes)
    // The room that a piece came in is used again for the next.
    buffered = answer === undefined ? Buffer.from(bytes) : undefined
    if (done || answer === undefined) return
    if (typeof answer === 'string') end(answer)
    else onAnswer(answer)
  }
  // One buffer that is filled again and again spares a third of the time that streams would take.
  const onread = {
    buffer: Buffer.alloc(ROOM),
    callback: (length: number, room: Uint8Array) => {
      receive(Buffer.from(room.buffer, room.byteOffset, length))
      return true
    },
  }
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true, onread })
  const connection = {
    send: (request: string) => void socket.write(request),
    close() {
      done = true
      socket.destroy()
    },
  }
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(connection))
    socket.on('error', (error) => {
      reject(error)
      end(error.message)
    })
    socket.on('close', () => end('the connection was closed'))
  })
}

const LENGTH = /\r\ncontent-length: *(\d+)/i
const CHUNKED = /\r\ntransfer-encoding: *chunked/i

/** A whole answer; undefined: more of it is to come; a text: why it is none. */
export function readAnswer(bytes: Buffer): Answer | string | undefined {
  const end = bytes.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = bytes.toString('latin1', 0, end)
  const status = Number(head.slice(9, 12))
  if (!head.startsWith('HTTP/1.1 ') || !(status >= 200)) return `no HTTP answer: ${head.slice(0, 60)}`
  const start = end + 4
  const length = LENGTH.exec(head)
  if (length) return cut(bytes, { status, start, length: Number(length[1]) })
  if (CHUNKED.test(head)) return joinChunks(bytes, status, start)
  return status === 204 || status === 304 ? { status, body: '' } : 'an answer without a length'
}

interface Place {
  status: number
  start: number
  length: number
}

function cut(bytes: Buffer, { status, start, length }: Place): Answer | string | undefined {
  if (bytes.length < start + length) return undefined
  if (bytes.length > start + length) return 'more than one answer to one request'
  return { status, body: bytes.toString('utf8', start, start + length) }
}

function joinChunks(bytes: Buffer, status: number, start: number): Answer | undefined {
  const parts: Buffer[] = []
  let at = start
  for (;;) {
    const line = bytes.indexOf('\r\n', at)
    if (line < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    if (bytes.length < line + 2 + size + 2) return undefined
    if (size === 0) return { status, body: Buffer.concat(parts).toString() }
    parts.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
}

/** A request as it goes over the wire. */
export function writeRequest({ host }: URL, { method, path, headers = {}, body = '' }: Request): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  if (body !== '' || method === 'POST') lines.push(`content-length: ${Buffer.byteLength(body)}\r\n`)
  return `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n${lines.join('')}\r\n${body}`
}
