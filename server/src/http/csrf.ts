import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Fields } from '../lib/fields.ts'
import { sealText, unsealText } from '../lib/seal.ts'
import { CSRF_FIELD } from '../ui/form.tsx'
import { findBrowser, nameBrowser } from './browser-cookie.ts'

const PURPOSE = 'csrf'

/** A value for the hidden field: only a form that we made for this browser can hold it. */
export const csrfToken = (ctx: Ctx, request: FastifyRequest, reply: FastifyReply): string =>
  sealText(ctx.keys, PURPOSE, nameBrowser(ctx, { request, reply }))

/** Refuses a form that some other site, or some other browser's page, has sent. */
export function requireCsrf(ctx: Ctx, request: FastifyRequest, form: Fields): void {
  const browser = findBrowser(ctx, request)
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

/** Another site must not sign anybody in or out here. */
export function refuseCrossOrigin(request: FastifyRequest): void {
  if (isCrossOrigin(request)) throw new AppError('FORBIDDEN')
}

/**
 * Refuses a write that lives by a cookie unless the browser says that a page of ours sent it: a cookie comes along
 * with whatever any site makes a browser send.
 */
export function requireSameOrigin(ctx: Ctx, request: FastifyRequest): void {
  const { method } = request
  if (method === 'GET' || method === 'HEAD' || isSameOrigin(ctx, request)) return
  throw new AppError('FORBIDDEN', {
    message: 'With a cookie this works from our own pages only; send an access token instead.',
  })
}

/** Whether the browser says that a page of ours sent the request. */
export function isSameOrigin({ config }: Ctx, { headers }: FastifyRequest): boolean {
  const { origin, 'sec-fetch-site': site } = headers
  return site === undefined ? origin === config.baseUrl : site === 'same-origin'
}
