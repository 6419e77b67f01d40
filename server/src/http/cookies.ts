import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

const isSecure = ({ baseUrl }: Config) => baseUrl.startsWith('https://')

/** Over https the prefix makes the browser itself refuse a cookie that another host or plain http has planted. */
const nameOf = (name: string, config: Config) => (isSecure(config) ? `__Host-${name}` : name)

/** The value of a cookie; undefined when it is absent, or there with several and so not certainly ours. */
export function readCookie(request: FastifyRequest, config: Config, name: string): string | undefined {
  const wanted = `${nameOf(name, config)}=`
  const found = (request.headers.cookie ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(wanted))
  return new Set(found).size === 1 ? found[0]?.slice(wanted.length) : undefined
}

interface CookieOptions {
  name: string
  value: string
  maxAgeSeconds: number
}

/** Sets a cookie that no script can read and that other sites' forms do not carry. */
export function setCookie(
  reply: FastifyReply,
  config: Config,
  { name, value, maxAgeSeconds }: CookieOptions,
): void {
  const parts = [
    `${nameOf(name, config)}=${value}`,
    'Path=/',
    `Max-Age=${maxAgeSeconds}`,
    'HttpOnly',
    'SameSite=Lax',
  ]
  if (isSecure(config)) parts.push('Secure')
  // What was set before in this answer under the same name is replaced, not contradicted.
  const others = [reply.getHeader('Set-Cookie') ?? []]
    .flat()
    .filter((cookie) => !String(cookie).startsWith(`${nameOf(name, config)}=`))
  reply.removeHeader('Set-Cookie')
  for (const cookie of [...others, parts.join('; ')]) reply.header('Set-Cookie', cookie)
}

export const clearCookie = (reply: FastifyReply, config: Config, name: string): void =>
  setCookie(reply, config, { name, value: '', maxAgeSeconds: 0 })
