import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { TlsSettings } from '../../../config/audit-streams.ts'
import { beginSlowWork } from '../../../lib/concurrency/slow-work.ts'
import { VERSION } from '../../../lib/version.ts'
import { lookupInTurn } from './lookup.ts'
import { SEND_TIMEOUT_MS, TargetError, toConnectionError } from './target-error.ts'

/** Larger responses are cut off. */
const MAX_RESPONSE_BYTES = 64 * 1024
/** The part of a response that is logged. */
const MAX_EXCERPT_LENGTH = 300

export interface Message {
  method: 'POST' | 'PUT'
  url: string
  headers: Record<string, string>
  body: Buffer
  tls: TlsSettings
  /** Removed from error messages, in case a response repeats one. */
  secrets: string[]
}

/**
 * Sends a request to a target and returns the body of the response. The operator has chosen the address, so private
 * addresses are allowed. Redirects are not followed, because the request contains credentials.
 */
export async function sendMessage(message: Message, abort: AbortSignal): Promise<string> {
  beginSlowWork('request to another server')
  const timeout = AbortSignal.timeout(SEND_TIMEOUT_MS)
  const { response, body } = await exchange(message, AbortSignal.any([abort, timeout])).catch((error: unknown) => {
    throw toConnectionError(error, timeout)
  })
  const { statusCode: status = 0, headers } = response
  if (status >= 200 && status < 300) return body
  const excerpt = toExcerpt(body, message.secrets)
  throw new TargetError(`status ${status}${excerpt === '' ? '' : `: ${excerpt}`}`, {
    retryAfterMs: parseRetryAfter(headers['retry-after']),
  })
}

function exchange(
  { method, url, headers, body, tls }: Message,
  signal: AbortSignal,
): Promise<{ response: IncomingMessage; body: string }> {
  const options = {
    method,
    headers: { 'user-agent': `Latchkey/${VERSION}`, ...headers, 'content-length': String(body.length) },
    // A new connection for each batch: a reused one may be closed by the target at any time.
    agent: false,
    lookup: lookupInTurn,
    signal,
  } as const
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https:')
      ? requestHttps(url, { ...options, ...tls, rejectUnauthorized: true })
      : requestHttp(url, options)
    request.on('error', reject)
    const failOnClose = () => reject(new Error('closed without a response'))
    request.on('close', failOnClose)
    request.on('response', (response) => {
      // A response that is cut off closes the request too.
      request.off('close', failOnClose)
      readBody(response).then((text) => resolve({ response, body: text }), reject)
    })
    request.end(body)
  })
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_RESPONSE_BYTES) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function toExcerpt(body: string, secrets: string[]): string {
  const masked = secrets.filter(Boolean).reduce((text, secret) => text.replaceAll(secret, '[secret]'), body)
  return masked
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_EXCERPT_LENGTH)
}

/** Retry-After is a number of seconds or a date (RFC 9110 §10.2.3). */
function parseRetryAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const delay = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now()
  return Number.isNaN(delay) ? undefined : delay
}
