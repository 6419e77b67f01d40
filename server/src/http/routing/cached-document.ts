import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { Exchange } from './exchange.ts'

const compressAsync = promisify(brotliCompress)
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }

/** Compresses with Brotli, on the thread pool. */
export const compress = (text: string): Promise<Buffer> => compressAsync(text, QUALITY)

/** A document that is the same for every caller, until another version of the service runs. */
export interface CachedDocument {
  text: string
  /** The text compressed with Brotli. */
  compressed: Buffer
  etag: string
}

/** Creates the document at the first request. */
export function cacheDocument(create: () => string): () => Promise<CachedDocument> {
  let document: Promise<CachedDocument> | undefined
  const load = async () => {
    const text = create()
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
    return { text, etag, compressed: await compress(text) }
  }
  return () => {
    document ??= load()
    return document
  }
}

/** Sends 304 if the browser has this version. Otherwise it asks each time whether there is another one. */
export function sendCachedDocument({ request, reply }: Exchange, { text, compressed, etag }: CachedDocument) {
  reply.header('Cache-Control', 'no-cache').header('ETag', etag)
  if (request.headers['if-none-match'] === etag) return reply.header('Vary', 'Accept-Encoding').code(304).send()
  return sendCompressed({ request, reply }, { body: text, compressed })
}

/** Sends the compressed body to callers that accept Brotli. */
export function sendCompressed(
  { request, reply }: Exchange,
  { body, compressed }: { body: string | Buffer; compressed: Buffer },
) {
  reply.header('Vary', 'Accept-Encoding')
  const acceptsBrotli = /\bbr\b/.test(request.headers['accept-encoding'] ?? '')
  return acceptsBrotli ? reply.header('Content-Encoding', 'br').send(compressed) : reply.send(body)
}
