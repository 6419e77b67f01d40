import { beginSlowWork } from '../lib/concurrency/slow-work.ts'

const MAX_BYTES = 1024 * 1024

/** Like fetch, but fails for a response body above MAX_BYTES. */
export async function limitedFetch(url: string, options: object): Promise<Response> {
  beginSlowWork('request to another server')
  const response = await fetch(url, options)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) throw new TypeError('the response is too long')
    chunks.push(chunk)
  }
  const { status, statusText, headers } = response
  // Some statuses must not have a body.
  return new Response(size === 0 ? null : Buffer.concat(chunks), { status, statusText, headers })
}
