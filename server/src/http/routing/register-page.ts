import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { runInLanguage } from '../../languages/current-language.ts'
import type { Language } from '../../languages/languages.ts'
import { t } from '../../languages/translate.ts'
import { type Fields, NO_FIELDS, parseFields } from '../../lib/fields.ts'
import type { Brand } from '../../ui/brand.ts'
import { type CurrentPage, runAsPage } from '../../ui/current-page.ts'
import { renderError } from '../errors/error-page.ts'
import { logServerError, toAppError } from '../errors/errors.ts'
import { FORM_LIMIT } from '../request/bodies.ts'
import { createCsrfToken } from '../request/csrf.ts'
import { findBrowserLanguage } from '../request/language-cookie.ts'
import { framedPolicy, pagePolicy } from '../server/headers.ts'
import { sendCachedDocument } from './cached-document.ts'
import type { Page, PageResult } from './define-route.ts'
import type { Exchange } from './exchange.ts'

interface RegisteredPage {
  page: Page
  /** Its path can be opened with GET. */
  isReadable: boolean
}

export interface PageDependencies {
  findPageLanguage(ctx: Ctx, page: { request: FastifyRequest; query: Fields }): Promise<Language | undefined>
  /** Finds the branding for an error page. */
  brandOf(ctx: Ctx, query: Fields): Promise<Brand | undefined>
  /** While an operator acts as a member in this browser: the path of the page about that. */
  findSupportPage(ctx: Ctx, exchange: Exchange): Promise<string | undefined>
}

export function registerPage(
  app: FastifyInstance,
  ctx: Ctx,
  { page, isReadable }: RegisteredPage,
  dependencies: PageDependencies,
): void {
  app.route({
    method: page.method,
    url: page.path,
    config: { bodyType: 'fields' },
    bodyLimit: FORM_LIMIT,
    handler: async (request, reply) => {
      // An application may open the sign-in page in a pop-up and needs the reference to that window afterwards.
      reply.header('Cross-Origin-Opener-Policy', 'unsafe-none')
      const language = await findLanguage(ctx, request, dependencies)
      const returnPage = isReadable ? findReturnPage(ctx, { request, reply }) : undefined
      const result = await runInLanguage(language, () =>
        runAsPage(returnPage, () => handlePage(ctx, page, { request, reply }, dependencies)),
      )
      // RFC 9700 §4.12: a 307 would make the browser post the form to the redirect target.
      if ('redirect' in result) return reply.code(303).header('Location', result.redirect).send()
      if ('framed' in result) {
        reply.header('X-Frame-Options', 'SAMEORIGIN').type('text/html; charset=utf-8')
        reply.header('Content-Security-Policy', framedPolicy(result.framed.styleHashes))
        return result.html
      }
      if ('document' in result) {
        reply.type('text/html; charset=utf-8').header('Content-Security-Policy', pagePolicy(result))
        return sendCachedDocument({ request, reply }, result.document)
      }
      const { status = 200, html, scripts = containsScript(html), ...policyOptions } = result
      reply.code(status).type('text/html; charset=utf-8')
      reply.header('Content-Security-Policy', pagePolicy({ ...policyOptions, scripts }))
      return html
    },
  })
}

/** What the address of a page that can be opened again may have. All other parameters are requests of other programs. */
const RETURN_PARAMETERS = ['journey', 'client_id', 'token', 'ui_locales']

/** Undefined for a page whose address must not be repeated in it, because others decide what it contains. */
function findReturnPage(ctx: Ctx, { request, reply }: Exchange): CurrentPage | undefined {
  const names = [...new URLSearchParams(request.url.split('?')[1]).keys()]
  if (names.some((name) => !RETURN_PARAMETERS.includes(name))) return undefined
  return { path: request.url, createCsrf: () => createCsrfToken(ctx, request, reply) }
}

/** Only our own components create elements: all values are escaped. */
const containsScript = (html: string): boolean => html.includes('<script ')

/** A failure is reported by the page itself. */
async function findLanguage(
  ctx: Ctx,
  request: FastifyRequest,
  { findPageLanguage }: PageDependencies,
): Promise<Language | undefined> {
  try {
    return await findPageLanguage(ctx, { request, query: readQuery(request) })
  } catch {
    return findBrowserLanguage(request, ctx.config)
  }
}

/** Renders errors as HTML pages. */
async function handlePage(
  ctx: Ctx,
  page: Page,
  { request, reply }: Exchange,
  dependencies: PageDependencies,
): Promise<PageResult> {
  try {
    const supportPage = page.allowsSupport ? undefined : await dependencies.findSupportPage(ctx, { request, reply })
    if (supportPage !== undefined) return { redirect: supportPage }
    const form = (request.body as Fields | undefined) ?? NO_FIELDS
    return await page.handler(ctx, { request, reply, query: readQuery(request), form })
  } catch (thrown) {
    const error = toAppError(thrown)
    logServerError(error, request)
    reply.headers(error.headers)
    const brand = await findErrorBrand(ctx, { request, reply }, dependencies)
    return { status: error.status, html: renderError(error, request, brand) }
  }
}

/** Finds the branding, and the banner for an operator who acts as a member. A failure must not replace the error. */
async function findErrorBrand(
  ctx: Ctx,
  exchange: Exchange,
  { brandOf, findSupportPage }: PageDependencies,
): Promise<Brand | undefined> {
  try {
    await findSupportPage(ctx, exchange)
    return await brandOf(ctx, readQuery(exchange.request))
  } catch {
    return undefined
  }
}

/** Does not use Fastify's query parser, which turns repeated parameters into arrays. */
function readQuery({ url }: FastifyRequest): Fields {
  const start = url.indexOf('?')
  const fields = start === -1 ? NO_FIELDS : parseFields(url.slice(start + 1))
  if (!fields) throw new AppError('INVALID_REQUEST', { message: t('The URL has invalid or too many parameters.') })
  return fields
}
