import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { runInLanguage } from '../../languages/current-language.ts'
import { DEFAULT_LANGUAGE } from '../../languages/languages.ts'
import type { Brand } from '../../ui/brand.ts'
import { ErrorPage } from '../../ui/error-page.tsx'
import { render } from '../../ui/render.ts'
import { findBrowserLanguage } from '../request/language-cookie.ts'
import { pagePolicy } from '../server/headers.ts'

/** An error as an HTML page. A form cannot be sent again by a link, so only other pages offer to try again. */
export const renderError = (
  error: AppError,
  { id, method, url, supportBanner }: FastifyRequest,
  brand?: Brand,
): string =>
  render(ErrorPage({ error, requestId: id, retryPath: method === 'GET' ? url : undefined, supportBanner }), brand)

/** A page for browsers at an address that does not exist. Programs get the same error as JSON. */
export const sendNotFound =
  ({ config }: Pick<Ctx, 'config'>) =>
  (request: FastifyRequest, reply: FastifyReply): void => {
    reply.header('Vary', 'Accept, Accept-Language, Cookie')
    const error = new AppError('NOT_FOUND')
    if (!acceptsPage(request)) throw error
    const language = findBrowserLanguage(request, config) ?? DEFAULT_LANGUAGE
    reply
      .code(error.status)
      .type('text/html; charset=utf-8')
      .header('Content-Security-Policy', pagePolicy())
      .send(runInLanguage(language, () => renderError(error, request)))
  }

/** Browsers name HTML when they navigate. Programs name JSON, anything, or nothing. */
const acceptsPage = ({ method, headers: { accept = '' } }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(accept)
