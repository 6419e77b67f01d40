import { beginSlowWork } from '../lib/slow-work.ts'

const MOST_BYTES = 1024 * 1024

/** Fetches as ever, but reads no more of an answer than any honest provider sends. */
export async function limitedFetch(url: string, options: object): Promise<Response> {
  beginSlowWork('request to another server')
  const response = await fetch(url, options)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MOST_BYTES) throw new TypeError('the answer is too long')
    chunks.push(chunk)
  }
  const { status, statusText, headers } = response
  // Some statuses may have no body at all, not even an empty one.
  return new Response(size === 0 ? null : Buffer.concat(chunks), { status, statusText, headers })
}
