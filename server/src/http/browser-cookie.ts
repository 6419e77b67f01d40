import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { isSecret, newSecret } from '../lib/secrets.ts'
import { readCookie, setCookie } from './cookies.ts'
import type { Exchange } from './exchange.ts'

/** Names the browser, so that what began in one cannot be finished in another. It says nothing about the person. */
const COOKIE = 'latchkey_browser'
/** As long as browsers keep a cookie at all: it is also how a person's own device is known again. */
const SECONDS = 400 * 86_400

/** The name this browser bears, if it has one. */
export function findBrowser({ config }: Ctx, request: FastifyRequest): string | undefined {
  const known = readCookie(request, config, COOKIE)
  return known !== undefined && isSecret(known) ? known : undefined
}

/** The name it bears, or one that it may be given. */
export const chooseName = (ctx: Ctx, request: FastifyRequest): string =>
  findBrowser(ctx, request) ?? newSecret()

export const giveName = ({ config }: Ctx, reply: FastifyReply, name: string): void =>
  setCookie(reply, config, { name: COOKIE, value: name, maxAgeSeconds: SECONDS })

/** The name of this browser, which it is given if it has none. */
export function nameBrowser(ctx: Ctx, { request, reply }: Exchange): string {
  const name = chooseName(ctx, request)
  giveName(ctx, reply, name)
  return name
}
