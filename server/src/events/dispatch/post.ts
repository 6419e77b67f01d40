import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { beginSlowWork } from '../../lib/concurrency/slow-work.ts'
import { AddressRefused, type Guard } from './guard.ts'

/** The time limit for the whole request: DNS, connection and complete response. */
const TIMEOUT_MS = 15_000
/** The response body is read and discarded up to this size, so that the receiver sees no aborted connection. */
const MAX_RESPONSE_BYTES = 64 * 1024

export interface Message {
  url: string
  headers: Record<string, string>
  body: string
}

export interface PostResult {
  status: number
  retryAfter: string | undefined
}

/**
 * Posts to a URL chosen by a user. The host name is resolved once, all of its addresses must be allowed, and the
 * connection uses one of them, so that DNS rebinding has no effect. Redirects are not followed, connections are not
 * reused, and no proxy is used.
 */
export async function post(guard: Guard, message: Message, stop: AbortSignal): Promise<PostResult> {
  beginSlowWork('request to another server')
  const { protocol, hostname } = new URL(message.url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  // A connection to an IP literal does not call `lookup`, so it is checked here.
  if (isIP(host) !== 0 && !guard.allows(host, protocol)) throw new AddressRefused(true)
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(timeout.aborted ? timeout.reason : error)
    const request = open(guard, message, AbortSignal.any([stop, timeout]))
    request.on('response', (response) => {
      const { statusCode: status = 0, headers } = response
      drain(response, () => resolve({ status, retryAfter: headers['retry-after'] }), fail)
      request.off('close', failOnClose)
    })
    const failOnClose = () => fail(new Error('closed without a response'))
    request.on('close', failOnClose)
    request.on('error', fail)
    request.end(message.body)
  })
}

function open(guard: Guard, { url, headers, body }: Message, signal: AbortSignal): ClientRequest {
  const { protocol } = new URL(url)
  const options = {
    method: 'POST',
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    agent: false,
    lookup: createLookup(guard, protocol, signal),
    signal,
  } as const
  return protocol === 'https:' ? requestHttps(url, { ...options, rejectUnauthorized: true }) : requestHttp(url, options)
}

/** A lookup function that fails unless all addresses of the name are allowed. */
const createLookup =
  (guard: Guard, protocol: string, signal: AbortSignal): LookupFunction =>
  (hostname, options, done) => {
    const refuse = (error: NodeJS.ErrnoException) => done(error, '', 0)
    guard.resolve(hostname, signal).then((addresses) => {
      const [first] = addresses
      if (!first || !addresses.every(({ address }) => guard.allows(address, protocol))) {
        refuse(new AddressRefused(false))
      } else if (options.all) done(null, addresses)
      else done(null, first.address, first.family)
    }, refuse)
  }

function drain(response: IncomingMessage, done: () => void, failed: (error: Error) => void): void {
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= MAX_RESPONSE_BYTES) return
    done()
    response.destroy()
  })
  response.on('end', done)
  response.on('error', failed)
  response.on('close', () => failed(new Error('closed before its end')))
}

const TLS_PROBLEM = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH)/

/** Who sees the error. */
export type ErrorAudience = 'operator' | 'tenant'

/**
 * The stable error code of a failed request. It reveals nothing about the internal network: a tenant sees the same
 * code for a name with a private address as for a name that does not exist.
 */
export function toErrorCode(error: unknown, reader: ErrorAudience): string {
  if (error instanceof AddressRefused) {
    return error.isIpLiteral || reader === 'operator' ? 'address_refused' : 'connection'
  }
  const { name = '', code = '' } = error as { name?: string; code?: string | number }
  if (name === 'TimeoutError') return 'timeout'
  return TLS_PROBLEM.test(String(code)) ? 'tls' : 'connection'
}
