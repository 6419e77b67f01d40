import { createHash } from 'node:crypto'
import type { Exchange } from '../http/exchange.ts'

/** Long enough to spare us most requests, short against the time for which a new key is published before use. */
const MAX_AGE_SECONDS = 300

/** Sends a public JSON text that clients may keep, or says that theirs is still good. */
export function sendCacheable({ request, reply }: Exchange, text: string): string {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  reply.type('application/json; charset=utf-8')
  reply.header('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`).header('ETag', etag)
  if (request.headers['if-none-match'] !== etag) return text
  reply.code(304)
  return ''
}
