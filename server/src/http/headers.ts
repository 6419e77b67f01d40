import { type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Config } from '../config.ts'
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

const toLines = (headers: OutgoingHttpHeaders): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

/** How answers begin, behind the first line. */
export interface Heads {
  /** What all of them carry, and what they carry unless their own headers, in small letters, say otherwise. */
  linesFor(headers: OutgoingHttpHeaders): string
  /** All of it as one text, for an answer that is given often. */
  prepare(headers: OutgoingHttpHeaders): string
}

export function createHeads({ baseUrl }: Config): Heads {
  const always = toLines({ ...ALWAYS, ...(baseUrl.startsWith('https://') && WITH_TLS) })
  const defaults = Object.entries(BY_DEFAULT).map(([name, value]) => ({
    ...{ name, line: toLines({ [name]: value }) },
  }))
  const linesFor: Heads['linesFor'] = (headers) => {
    let lines = always
    for (const { name, line } of defaults) if (headers[name] === undefined) lines += line
    return lines
  }
  return { linesFor, prepare: (headers) => linesFor(headers) + toLines(headers) }
}

declare module 'node:http' {
  interface ServerResponse {
    /** The head of an answer that was given before. */
    prepared?: string
  }
}

/** For how long clients are told that they may come again on the same connection; a little less than they really may. */
const KEEP_ALIVE_MS = 55_000

/** How Node writes the head of an answer: the first line, then each header once it has been looked at. */
type WriteHead = (firstLine: string, headers?: OutgoingHttpHeaders) => void
/** How it sends a piece of an answer, the head in front of the first. */
type Send = (
  data: string | Uint8Array,
  encoding?: string | null,
  whenSent?: () => void,
  bytes?: number,
) => boolean
const { _storeHeader: writeHead, _send: send } = ServerResponse.prototype as unknown as {
  _storeHeader: WriteHead
  _send: Send
}

/**
 * Answers of this service, whatever becomes of them: errors, unknown routes and what the framework itself says too.
 * Set one by one, these headers cost a third of the time of a short answer, because Node examines each anew. They are
 * the same every time, so they go out as one text behind the first line.
 */
export function createResponse({ config, state }: Pick<Ctx, 'config' | 'state'>) {
  const { linesFor } = createHeads(config)
  // A Node that writes heads in another way would leave all of it out without a word.
  if (typeof writeHead !== 'function' || typeof send !== 'function')
    throw new Error('this version of Node writes headers in an unknown way')
  return class Response<R extends IncomingMessage> extends ServerResponse<R> {
    /** The whole of the answer, while it ends. */
    whole: Parameters<Send> | undefined
    isEnding = false
    declare _keepAliveTimeout: number

    _storeHeader(firstLine: string, headers: OutgoingHttpHeaders = {}): void {
      const { requestId } = this.req
      let lines = firstLine + (this.prepared ?? linesFor(headers))
      if (requestId !== undefined) lines += `X-Request-Id: ${requestId}\r\n`
      // While draining, ask clients to reconnect: they will be led to another node.
      if (state.draining) this.shouldKeepAlive = false
      this._keepAliveTimeout = KEEP_ALIVE_MS
      writeHead.call(this, lines, headers)
    }

    override end(...given: [chunk?: unknown, encoding?: unknown, whenSent?: () => void]): this {
      this.isEnding = true
      try {
        return super.end(...(given as [unknown, BufferEncoding, () => void]))
      } finally {
        this.isEnding = false
        // Nothing came in whose place it could have gone out.
        if (this.whole) send.apply(this, this.whole)
        this.whole = undefined
      }
    }

    /**
     * Node sends an answer that it is given as a whole in two pieces, the second empty, only to hear when all of it
     * is gone. One takes less time than two: the first is kept back, and goes out in place of the second.
     */
    _send(...piece: Parameters<Send>): boolean {
      const [data, , whenSent] = piece
      const { whole } = this
      if (!whole && this.isEnding && typeof data === 'string' && data !== '' && !this.chunkedEncoding) {
        this.whole = piece
        return true
      }
      if (!whole) return send.apply(this, piece)
      this.whole = undefined
      const [text, encoding] = whole
      if (data === '') return send.call(this, text, encoding, whenSent)
      send.apply(this, whole)
      return send.apply(this, piece)
    }
  }
}
