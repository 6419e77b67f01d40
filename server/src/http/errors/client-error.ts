import type { Socket } from 'node:net'
import { AppError, type ErrorCode } from '../../errors.ts'
import { newRequestId } from '../../lib/ids.ts'
import { toErrorBody } from './errors.ts'

const CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
}

/** Answers bytes that Node could not parse as HTTP. There is no request object, so the response is written by hand. */
export function handleClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const problem = new AppError(CODES[error.code ?? ''] ?? 'INVALID_REQUEST')
  const body = JSON.stringify(toErrorBody(problem, newRequestId()))
  const head = [
    `HTTP/1.1 ${problem.status} ${problem.code}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // A client that never closes its side would keep the socket open.
  setTimeout(() => socket.destroy(), 1_000).unref()
}
