import { createHash } from 'node:crypto'
import type { Exchange } from '../sessions/browser-session.ts'

/** Long enough to spare us most requests, short against the time for which a new key is published before use. */
const MAX_AGE_SECONDS = 300

const tags = new Map<string, string>()

/** Sends a public JSON text that clients may keep, or says that theirs is still good. */
export function sendCacheable({ request, reply }: Exchange, text: string): string {
  const etag = tagOf(text)
  reply.type('application/json; charset=utf-8')
  reply.header('Cache-Control', `public, max-age=${MAX_AGE_SECONDS}`).header('ETag', etag)
  if (request.headers['if-none-match'] !== etag) return text
  reply.code(304)
  return ''
}

function tagOf(text: string): string {
  const known = tags.get(text)
  if (known !== undefined) return known
  // Few texts are ever published, and a new one replaces the old.
  if (tags.size > 20) tags.clear()
  const made = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  tags.set(text, made)
  return made
}
