import type { FastifyRequest } from 'fastify'

const NAME = 'authorization'

/**
 * The Authorization header; undefined when there is none, null when there are several, of which none can be told to
 * be meant. Node hands on the first of them and keeps quiet about the rest, so they are counted as they came.
 */
export function readAuthorization({ raw }: FastifyRequest): string | undefined | null {
  const first = raw.headers.authorization
  if (first === undefined) return undefined
  const { rawHeaders } = raw
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === NAME.length && name.toLowerCase() === NAME) count += 1
  }
  return count === 1 ? first : null
}
