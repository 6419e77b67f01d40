import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { t } from '../../languages/translate.ts'
import type { Fields } from '../../lib/fields.ts'
import { sealText, unsealText } from '../../lib/seal.ts'
import { CSRF_FIELD } from '../../ui/form.tsx'
import { ensureBrowserId, findBrowserId } from './browser-cookie.ts'

const PURPOSE = 'csrf'

/** The value of the hidden form field, bound to the browser cookie. */
export const createCsrfToken = (ctx: Ctx, request: FastifyRequest, reply: FastifyReply): string =>
  sealText(ctx.keys, PURPOSE, ensureBrowserId(ctx, { request, reply }))

/** Rejects a form that was sent by another site or from a page of another browser. */
export function requireCsrf(ctx: Ctx, request: FastifyRequest, form: Fields): void {
  const browser = findBrowserId(ctx, request)
  if (browser && !isCrossOrigin(request) && unsealText(ctx.keys, PURPOSE, form.get(CSRF_FIELD)) === browser) return
  throw new AppError('FORBIDDEN', {
    message: t('This form is too old, or did not come from this page. Go back, reload the page and try again.'),
  })
}

/** True if the browser's headers say that a page of another origin sent the request. */
export function isCrossOrigin({ headers }: FastifyRequest): boolean {
  const { origin, host, 'sec-fetch-site': site } = headers
  if (site !== undefined) return site === 'cross-site' || site === 'same-site'
  // The hosted pages use `Referrer-Policy: no-referrer`, with which browsers send `Origin: null`.
  return origin !== undefined && origin !== 'null' && !origin.endsWith(`://${host}`)
}

/** Prevents login CSRF and forced sign-out by another site. */
export function rejectCrossOrigin(request: FastifyRequest): void {
  if (isCrossOrigin(request)) throw new AppError('FORBIDDEN')
}

/**
 * Rejects a write that is authenticated by a cookie unless the browser says that a page of this service sent it. Browsers
 * attach the cookie to requests of other sites as well.
 */
export function requireSameOrigin(ctx: Ctx, request: FastifyRequest): void {
  const { method } = request
  if (method === 'GET' || method === 'HEAD' || isSameOrigin(ctx, request)) return
  throw new AppError('FORBIDDEN', {
    message: t('With a cookie this works from our own pages only; send an access token instead.'),
  })
}

/** True if the browser's headers say that a page of this service sent the request. */
export function isSameOrigin({ config }: Ctx, { headers }: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  return site === undefined ? origin === config.baseUrl : site === 'same-origin'
}
