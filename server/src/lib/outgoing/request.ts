import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { beginSlowWork } from '../concurrency/slow-work.ts'
import { AddressRefused, type Guard } from './guard.ts'

export interface OutgoingRequest {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string
}

export interface RequestLimits {
  stop: AbortSignal
  /** For the whole request: DNS, connection and complete response. */
  timeoutMs: number
  /** 0: the body is not read. */
  maxResponseBytes: number
}

export interface OutgoingResponse {
  status: number
  headers: IncomingHttpHeaders
  /** Undefined if it is longer than allowed. */
  body: Buffer | undefined
}

/**
 * Sends a request to a URL chosen by a user. The host name is resolved once, all of its addresses must be allowed, and
 * the connection uses one of them, so that DNS rebinding has no effect. Redirects are not followed, connections are not
 * reused, and no proxy is used.
 */
export async function sendRequest(
  guard: Guard,
  outgoing: OutgoingRequest,
  { stop, timeoutMs, maxResponseBytes }: RequestLimits,
): Promise<OutgoingResponse> {
  beginSlowWork('request to another server')
  const { protocol, hostname } = new URL(outgoing.url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  // A connection to an IP literal does not call `lookup`, so it is checked here.
  if (isIP(host) !== 0 && !guard.allows(host, protocol)) throw new AddressRefused(true)
  const timeout = AbortSignal.timeout(timeoutMs)
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(timeout.aborted ? timeout.reason : error)
    const request = open(guard, outgoing, AbortSignal.any([stop, timeout]))
    request.on('response', (response) => {
      const { statusCode: status = 0, headers } = response
      readBody(response, maxResponseBytes, (body) => resolve({ status, headers, body }), fail)
      request.off('close', failOnClose)
    })
    const failOnClose = () => fail(new Error('closed without a response'))
    request.on('close', failOnClose)
    request.on('error', fail)
    request.end(outgoing.body)
  })
}

function open(guard: Guard, { method, url, headers, body }: OutgoingRequest, signal: AbortSignal): ClientRequest {
  const { protocol } = new URL(url)
  const options = {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }) },
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

function readBody(
  response: IncomingMessage,
  maxBytes: number,
  done: (body: Buffer | undefined) => void,
  failed: (error: Error) => void,
): void {
  const chunks: Buffer[] = []
  let size = 0
  response.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size <= maxBytes) {
      chunks.push(chunk)
      return
    }
    done(undefined)
    response.destroy()
  })
  response.on('end', () => done(Buffer.concat(chunks)))
  response.on('error', failed)
  response.on('close', () => failed(new Error('closed before its end')))
  if (maxBytes > 0) return
  done(undefined)
  response.destroy()
}
