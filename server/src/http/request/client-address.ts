import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** The client's IP address. If a trusted proxy sends an invalid X-Forwarded-For, it is the proxy's address. */
export const clientAddress = ({ ip, socket: { remoteAddress = 'unknown' } }: FastifyRequest): string =>
  ip === undefined || isIP(ip) === 0 ? remoteAddress : ip

/** The client's network for rate limits: one IPv4 address, or an IPv6 /64, which is what one customer usually has. */
export function clientNetwork(request: FastifyRequest): string {
  const address = clientAddress(request)
  if (isIP(address) !== 6 || address.includes('.')) return address
  const [head = '', tail = ''] = address.split('::')
  const [left, right] = [head.split(':').filter(Boolean), tail.split(':').filter(Boolean)]
  const groups = [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}

const MAX_USER_AGENT_LENGTH = 512

/** The User-Agent header without control characters, shortened. */
export const clientUserAgent = ({ headers }: FastifyRequest): string =>
  (headers['user-agent'] ?? '').replace(/\p{Cc}/gu, ' ').slice(0, MAX_USER_AGENT_LENGTH)
