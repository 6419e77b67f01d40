import type { FastifyRequest } from 'fastify'

const HEADER_NAME = 'authorization'

/**
 * Returns undefined if there is no Authorization header, and null if there are several: the request is ambiguous then.
 * Node keeps the first and drops the others, so this counts the raw headers.
 */
export function readAuthorization({ raw }: FastifyRequest): string | undefined | null {
  const first = raw.headers.authorization
  if (first === undefined) return undefined
  const { rawHeaders } = raw
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === HEADER_NAME.length && name.toLowerCase() === HEADER_NAME) count += 1
  }
  return count === 1 ? first : null
}
