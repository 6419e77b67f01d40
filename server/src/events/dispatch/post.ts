import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { beginSlowWork } from '../../lib/slow-work.ts'
import { AddressRefused, type Guard } from './guard.ts'

/** How long all of it may take: the name, the connection, the answer to its end. */
const PATIENCE_MS = 15_000
/** An answer is read to its end, so that the receiver is not cut off, and thrown away; but not one of any length. */
const MOST_ANSWER = 64 * 1024

export interface Message {
  url: string
  headers: Record<string, string>
  body: string
}

export interface Answer {
  status: number
  retryAfter: string | undefined
}

/**
 * Posts to an address that somebody has given us. The name is resolved once, every address it has must be allowed,
 * and the connection goes to one of those: whoever changes where the name leads in between changes nothing. Nothing
 * is followed, no connection is used twice, and no proxy is asked.
 */
export async function post(guard: Guard, message: Message, stop: AbortSignal): Promise<Answer> {
  beginSlowWork('request to another server')
  const { protocol, hostname } = new URL(message.url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  // A connection to an address that is written out resolves nothing, and so asks nobody.
  if (isIP(host) !== 0 && !guard.allows(host, protocol)) throw new AddressRefused(true)
  const timeout = AbortSignal.timeout(PATIENCE_MS)
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => reject(timeout.aborted ? timeout.reason : error)
    const sending = open(guard, message, AbortSignal.any([stop, timeout]))
    sending.on('response', (response) => {
      const { statusCode: status = 0, headers } = response
      drain(response, () => resolve({ status, retryAfter: headers['retry-after'] }), fail)
      sending.off('close', endEarly)
    })
    const endEarly = () => fail(new Error('closed without an answer'))
    sending.on('close', endEarly)
    sending.on('error', fail)
    sending.end(message.body)
  })
}

function open(guard: Guard, { url, headers, body }: Message, signal: AbortSignal): ClientRequest {
  const { protocol } = new URL(url)
  const options = {
    method: 'POST',
    headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    agent: false,
    lookup: guarded(guard, protocol, signal),
    signal,
  } as const
  return protocol === 'https:'
    ? requestHttps(url, { ...options, rejectUnauthorized: true })
    : requestHttp(url, options)
}

/** Resolves a name for a connection, which then goes to these addresses and no others. */
const guarded =
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
    if (size <= MOST_ANSWER) return
    done()
    response.destroy()
  })
  response.on('end', done)
  response.on('error', failed)
  response.on('close', () => failed(new Error('closed before its end')))
}

const TLS_PROBLEM = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH)/

/** Who reads why nothing came of it. */
export type Reader = 'operator' | 'tenant'

/**
 * Why nothing came of it, in a word that stays the same and tells nothing of our network: for a tenant, a name that
 * leads into it is like one that there is not.
 */
export function toProblem(error: unknown, reader: Reader): string {
  if (error instanceof AddressRefused) {
    return error.isWrittenOut || reader === 'operator' ? 'address_refused' : 'connection'
  }
  const { name = '', code = '' } = error as { name?: string; code?: string | number }
  if (name === 'TimeoutError') return 'timeout'
  return TLS_PROBLEM.test(String(code)) ? 'tls' : 'connection'
}
