import type { IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import proxyAddresses from '@fastify/proxy-addr'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

/** Who is calling. A trusted proxy may pass on rubbish in X-Forwarded-For; then the proxy itself is the caller. */
export const clientAddress = ({ ip, socket }: FastifyRequest): string => addressOr(ip, socket)

const addressOr = (ip: string | undefined, { remoteAddress = 'unknown' }: Socket): string =>
  ip === undefined || isIP(ip) === 0 ? remoteAddress : ip

/** The same for requests that the framework has not seen. */
export function createAddressReader({ trustedProxies }: Config): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress ?? 'unknown'
  const isTrusted = proxyAddresses.compile([...trustedProxies])
  return (request) => addressOr(proxyAddresses.all(request, isTrusted).at(-1), request.socket)
}

/** The caller's part of the network: one IPv4 address, or the /64 of IPv6 that a single line usually has. */
export function clientNetwork(request: FastifyRequest): string {
  const address = clientAddress(request)
  if (isIP(address) !== 6 || address.includes('.')) return address
  const [head = '', tail = ''] = address.split('::')
  const [left, right] = [head.split(':').filter(Boolean), tail.split(':').filter(Boolean)]
  const groups = [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}

const LONGEST_PROGRAM = 512

/** What the caller's program calls itself, fit to be shown and logged. */
export const clientProgram = ({ headers }: FastifyRequest): string =>
  (headers['user-agent'] ?? '').replace(/\p{Cc}/gu, ' ').slice(0, LONGEST_PROGRAM)
