import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/** Who is calling. A trusted proxy may pass on rubbish in X-Forwarded-For; then the proxy itself is the caller. */
export const clientAddress = ({ ip, socket }: FastifyRequest): string =>
  isIP(ip) === 0 ? (socket.remoteAddress ?? 'unknown') : ip
