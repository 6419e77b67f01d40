import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Exchange } from '../http/routing/exchange.ts'

/** Much shorter than the time for which a new key is published before it signs. */
const MAX_AGE_SECONDS = 300

/** ETags by response text. There are few distinct texts. */
const etags = new LRUCache<string, string>({ max: 10 })

function etagOf(text: string): string {
  const cached = etags.get(text)
  if (cached !== undefined) return cached
  const etag = `"${hash('sha256', text, 'base64url').slice(0, 22)}"`
  etags.set(text, etag)
  return etag
}

/** Sends a public, cacheable JSON text, or 304 if the client has it. */
export function sendCacheable({ request, reply }: Exchange, text: string): string {
  const etag = etagOf(text)
  reply
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', `public, max-age=${MAX_AGE_SECONDS}`)
    .header('etag', etag)
  if (request.headers['if-none-match'] !== etag) return text
  reply.code(304)
  return ''
}
