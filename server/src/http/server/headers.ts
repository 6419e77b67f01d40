import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import type { Ctx } from '../../context.ts'
import { sendError } from '../errors/errors.ts'

/** For responses that are not pages. */
const API_POLICY = "default-src 'none'; frame-ancestors 'none'"

export interface PagePolicyOptions {
  /** Other origins that a form submission may redirect to. */
  formTargets?: string[]
  scripts?: boolean
  styleNonce?: string
  /** The page contains frames with pages of this service. */
  frames?: boolean
}

/**
 * For pages: styles, fonts, images and forms of this service only, and scripts only if the page needs them. Browsers apply
 * `form-action` to redirects after a form submission too, so a page that redirects to an application lists its origin.
 */
export const pagePolicy = ({
  formTargets = [],
  scripts = false,
  styleNonce,
  frames = false,
}: PagePolicyOptions = {}): string =>
  [
    "default-src 'none'",
    ...(scripts ? ["script-src 'self'", "connect-src 'self'"] : []),
    `style-src 'self'${styleNonce === undefined ? '' : ` 'nonce-${styleNonce}'`}`,
    "font-src 'self'",
    "img-src 'self' data:",
    ...(frames ? ["frame-src 'self'"] : []),
    `form-action ${["'self'", ...formTargets].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/**
 * For a document in a frame of a page of this service, such as a mail. It has no origin, no scripts and nothing from
 * the network. Of its inline styles only those with these hashes apply.
 */
export const framedPolicy = (styleHashes: readonly string[]): string =>
  [
    "default-src 'none'",
    `style-src 'unsafe-hashes' ${styleHashes.map((hash) => `'${hash}'`).join(' ')}`,
    'img-src data:',
    'sandbox allow-popups allow-popups-to-escape-sandbox',
    "frame-ancestors 'self'",
  ].join('; ')

const FIXED_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
}
/** A route may replace these. */
const REPLACEABLE_HEADERS = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': API_POLICY,
  'cache-control': 'no-store',
}
const TLS_HEADERS = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }

type Headers = Record<string, string>

const defaultHeaders = ({ baseUrl }: Config): Headers => ({
  ...FIXED_HEADERS,
  ...REPLACEABLE_HEADERS,
  ...(baseUrl.startsWith('https://') && TLS_HEADERS),
})

/** Sets the headers of every response, including errors and unknown routes. */
export function setDefaultHeaders(app: FastifyInstance, { config, state }: Pick<Ctx, 'config' | 'state'>): void {
  const headers = defaultHeaders(config)
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(headers).header('x-request-id', request.id)
    // While draining, `Connection: close` makes clients reconnect, and the proxy routes them to another node.
    if (state.draining) reply.header('connection', 'close')
    done()
  })
}

/** Sends an error that occurs before routing, for which Fastify runs no hooks. */
export const sendRoutingError =
  ({ config }: Pick<Ctx, 'config'>) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    reply.headers(defaultHeaders(config)).header('x-request-id', request.id)
    sendError(error, request, reply)
  }
