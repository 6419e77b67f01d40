import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx } from '../../context.ts'
import { isSecret, newSecret } from '../../lib/secrets.ts'
import type { Exchange } from '../routing/exchange.ts'
import { readCookie, setCookie } from './cookies.ts'

/** A random id of the browser. It binds a sign-in to the browser that started it, and identifies known devices. */
const COOKIE = 'latchkey_browser'
/** The longest lifetime that browsers accept. */
const MAX_AGE_SECONDS = 400 * 86_400

export function findBrowserId({ config }: Ctx, request: FastifyRequest): string | undefined {
  const id = readCookie(request, config, COOKIE)
  return id !== undefined && isSecret(id) ? id : undefined
}

/** The new ids of browsers without the cookie. Several forms of one page belong to the same id. */
const newIds = new WeakMap<FastifyRequest, string>()

/** Does not set the cookie. */
export function findOrCreateBrowserId(ctx: Ctx, request: FastifyRequest): string {
  const id = findBrowserId(ctx, request) ?? newIds.get(request) ?? newSecret()
  newIds.set(request, id)
  return id
}

export const setBrowserId = ({ config }: Ctx, reply: FastifyReply, id: string): void =>
  setCookie(reply, config, { name: COOKIE, value: id, maxAgeSeconds: MAX_AGE_SECONDS })

/** Finds or creates the id, and sets or renews the cookie. */
export function ensureBrowserId(ctx: Ctx, { request, reply }: Exchange): string {
  const id = findOrCreateBrowserId(ctx, request)
  setBrowserId(ctx, reply, id)
  return id
}
