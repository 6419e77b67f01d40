import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Fields } from '../lib/fields.ts'
import { readCookie, setCookie } from './cookies.ts'

/** Names the browser, so that a form made for one cannot be sent by another. It says nothing about the person. */
const BROWSER_COOKIE = 'latchkey_browser'
const BROWSER_SECONDS = 7 * 86_400
const PURPOSE = 'csrf'

/** The field that every form of ours carries. */
export const CSRF_FIELD = 'csrf'

/** A value for the hidden field: only a form that we made for this browser can hold it. */
export function csrfToken(ctx: Ctx, request: FastifyRequest, reply: FastifyReply): string {
  const known = readCookie(request, ctx.config, BROWSER_COOKIE)
  const browser = known && /^[\w-]{43}$/.test(known) ? known : randomBytes(32).toString('base64url')
  setCookie(reply, ctx.config, { name: BROWSER_COOKIE, value: browser, maxAgeSeconds: BROWSER_SECONDS })
  return ctx.keys.seal(PURPOSE, browser).toString('base64url')
}

/** Refuses a form that some other site, or some other browser's page, has sent. */
export function requireCsrf(ctx: Ctx, request: FastifyRequest, form: Fields): void {
  const browser = readCookie(request, ctx.config, BROWSER_COOKIE)
  if (browser && !isCrossOrigin(request) && open(ctx, form.get(CSRF_FIELD) ?? '') === browser) return
  throw new AppError('FORBIDDEN', {
    message: 'This form is too old, or did not come from this page. Go back, reload the page and try again.',
  })
}

/** Whether a page of another origin sent this, as browsers say of their own accord. */
export function isCrossOrigin({ headers }: FastifyRequest): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (site !== undefined) return site === 'cross-site' || site === 'same-site'
  // Pages that send no referrer, as ours do, have the origin null.
  return origin !== undefined && origin !== 'null' && !origin.endsWith(`://${host}`)
}

function open(ctx: Ctx, token: string): string | undefined {
  try {
    return ctx.keys.unseal(PURPOSE, Buffer.from(token, 'base64url'))
  } catch {
    return undefined
  }
}
