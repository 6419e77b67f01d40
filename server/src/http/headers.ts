import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'

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

/** What every answer carries, also errors and unknown routes. */
export const securityHeaders = (requestId: string, { baseUrl }: Config): Record<string, string> => ({
  'X-Request-Id': requestId,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Security-Policy': API_POLICY,
  'Cache-Control': 'no-store',
  ...(baseUrl.startsWith('https://') && {
    'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
  }),
})

export function setSecurityHeaders(app: FastifyInstance, config: Config): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders(request.id, config))
    done()
  })
}
