import type { Socket } from 'node:net'
import { AppError, type ErrorCode } from '../errors.ts'
import { newRequestId } from '../lib/ids.ts'
import { toBody } from './errors.ts'

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** What arrives is not HTTP, or too much of it: there is no request to answer, only a connection. */
export function refuseBrokenConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const problem = new AppError(CODES[error.code ?? ''] ?? 'INVALID_REQUEST')
  const body = JSON.stringify(toBody(problem, newRequestId()))
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.code}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // A client that keeps its side open would keep the socket; it has had its answer.
  setTimeout(() => socket.destroy(), 1_000).unref()
}
