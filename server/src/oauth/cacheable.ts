import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Exchange } from '../http/exchange.ts'

/** Long enough to spare us most requests, short against the time for which a new key is published before use. */
const MAX_AGE_SECONDS = 300

/** The names of texts sent before. There are few of them, and each is asked for again and again. */
const names = new LRUCache<string, string>({ max: 10 })

function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const etag = `"${hash('sha256', text, 'base64url').slice(0, 22)}"`
  names.set(text, etag)
  return etag
}

/** Sends a public JSON text that clients may keep, or says that theirs is still good. */
export function sendCacheable({ request, reply }: Exchange, text: string): string {
  const etag = nameOf(text)
  reply
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', `public, max-age=${MAX_AGE_SECONDS}`)
    .header('etag', etag)
  if (request.headers['if-none-match'] !== etag) return text
  reply.code(304)
  return ''
}
