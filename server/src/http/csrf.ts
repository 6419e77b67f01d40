import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Fields } from '../lib/fields.ts'
import { sealText, unsealText } from '../lib/seal.ts'
import { isSecret, newSecret } from '../lib/secrets.ts'
import { CSRF_FIELD } from '../ui/form.tsx'
import { readCookie, setCookie } from './cookies.ts'

/** Names the browser, so that a form made for one cannot be sent by another. It says nothing about the person. */
const BROWSER_COOKIE = 'latchkey_browser'
const BROWSER_SECONDS = 7 * 86_400
const PURPOSE = 'csrf'

/** A value for the hidden field: only a form that we made for this browser can hold it. */
export function csrfToken(ctx: Ctx, request: FastifyRequest, reply: FastifyReply): string {
  const known = readCookie(request, ctx.config, BROWSER_COOKIE)
  const browser = known && isSecret(known) ? known : newSecret()
  setCookie(reply, ctx.config, { name: BROWSER_COOKIE, value: browser, maxAgeSeconds: BROWSER_SECONDS })
  return sealText(ctx.keys, PURPOSE, browser)
}

/** Refuses a form that some other site, or some other browser's page, has sent. */
export function requireCsrf(ctx: Ctx, request: FastifyRequest, form: Fields): void {
  const browser = readCookie(request, ctx.config, BROWSER_COOKIE)
  if (browser && !isCrossOrigin(request) && unsealText(ctx.keys, PURPOSE, form.get(CSRF_FIELD)) === browser)
    return
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
