import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'

const isSecure = ({ baseUrl }: Config) => baseUrl.startsWith('https://')

/** With the `__Host-` prefix a browser rejects a cookie that was set by another host or over plain HTTP. */
const toCookieName = (name: string, config: Config) => (isSecure(config) ? `__Host-${name}` : name)

/** Returns undefined if the cookie is absent, or present with different values. */
export function readCookie(request: FastifyRequest, config: Config, name: string): string | undefined {
  const prefix = `${toCookieName(name, config)}=`
  const found = (request.headers.cookie ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
  return new Set(found).size === 1 ? found[0]?.slice(prefix.length) : undefined
}

interface CookieOptions {
  name: string
  value: string
  maxAgeSeconds: number
}

/** Sets a cookie with HttpOnly and SameSite=Lax. */
export function setCookie(reply: FastifyReply, config: Config, { name, value, maxAgeSeconds }: CookieOptions): void {
  const parts = [
    `${toCookieName(name, config)}=${value}`,
    'Path=/',
    `Max-Age=${maxAgeSeconds}`,
    'HttpOnly',
    'SameSite=Lax',
  ]
  if (isSecure(config)) parts.push('Secure')
  // Replace an earlier Set-Cookie of the same name in this response.
  const others = [reply.getHeader('Set-Cookie') ?? []]
    .flat()
    .filter((cookie) => !String(cookie).startsWith(`${toCookieName(name, config)}=`))
  reply.removeHeader('Set-Cookie')
  for (const cookie of [...others, parts.join('; ')]) reply.header('Set-Cookie', cookie)
}

export const clearCookie = (reply: FastifyReply, config: Config, name: string): void =>
  setCookie(reply, config, { name, value: '', maxAgeSeconds: 0 })
