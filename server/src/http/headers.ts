import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Ctx } from '../context.ts'

/** For answers that are no page: nothing in them may run, load or be framed. */
const API_POLICY = "default-src 'none'; frame-ancestors 'none'"

interface PageNeeds {
  /** Origins beside ours to which a form may lead. */
  formTargets?: string[]
  scripts?: boolean
  styleNonce?: string
}

/**
 * For pages: our own styles, images and forms, nothing from elsewhere, no script unless the page needs one of ours.
 * Browsers hold the way on from a form to the same rule, so the page that leads back to an application names its
 * origin.
 */
export const pagePolicy = ({ formTargets = [], scripts = false, styleNonce }: PageNeeds = {}): string =>
  [
    "default-src 'none'",
    ...(scripts ? ["script-src 'self'", "connect-src 'self'"] : []),
    `style-src 'self'${styleNonce === undefined ? '' : ` 'nonce-${styleNonce}'`}`,
    "img-src 'self' data:",
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

declare module 'node:http' {
  interface IncomingMessage {
    /** The name of the request, once it has one. */
    requestId?: string
  }
}

/** What every answer carries. */
const ALWAYS = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
}
const WITH_TLS = { 'Strict-Transport-Security': 'max-age=31536000; includeSubDomains' }

/** What it carries unless it says otherwise. */
const BY_DEFAULT = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': API_POLICY,
  'cache-control': 'no-store',
}

const toLines = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

/** How Node writes the head of an answer: the first line, then each header once it has been looked at. */
type WriteHead = (firstLine: string, headers?: OutgoingHttpHeaders) => void
const { _storeHeader: writeHead } = ServerResponse.prototype as unknown as { _storeHeader: WriteHead }

/**
 * Answers of this service, whatever becomes of them: errors, unknown routes and what the framework itself says too.
 * Set one by one, these headers cost a third of the time of a short answer, because Node examines each anew. They are
 * the same every time, so they go out as one text behind the first line.
 */
export function createResponse({ config, state }: Pick<Ctx, 'config' | 'state'>) {
  const secure = config.baseUrl.startsWith('https://')
  const always = toLines({ ...ALWAYS, ...(secure && WITH_TLS) })
  const defaults = Object.entries(BY_DEFAULT).map(([name, value]) => ({
    name,
    line: toLines({ [name]: value }),
  }))
  // A Node that writes heads in another way would leave all of it out without a word.
  if (typeof writeHead !== 'function')
    throw new Error('this version of Node writes headers in an unknown way')
  return class Response<R extends IncomingMessage> extends ServerResponse<R> {
    _storeHeader(firstLine: string, headers: OutgoingHttpHeaders = {}): void {
      const { requestId } = this.req
      let lines = firstLine + always
      if (requestId !== undefined) lines += `X-Request-Id: ${requestId}\r\n`
      for (const { name, line } of defaults) if (headers[name] === undefined) lines += line
      // While draining, ask clients to reconnect: they will be led to another node.
      if (state.draining) this.shouldKeepAlive = false
      writeHead.call(this, lines, headers)
    }
  }
}
