import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import type { Brand } from '../../ui/brand.ts'
import { ErrorPage } from '../../ui/error-page.tsx'
import { render } from '../../ui/render.ts'
import { pagePolicy } from '../server/headers.ts'

/** An error as an HTML page. A form cannot be sent again by a link, so only other pages offer to try again. */
export const renderError = (
  error: AppError,
  { id, method, url, supportBanner }: FastifyRequest,
  brand?: Brand,
): string =>
  render(ErrorPage({ error, requestId: id, retryPath: method === 'GET' ? url : undefined, supportBanner }), brand)

/** A page for browsers at an address that does not exist. Programs get the same error as JSON. */
export function sendNotFound(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('Vary', 'Accept')
  const error = new AppError('NOT_FOUND')
  if (!acceptsPage(request)) throw error
  reply
    .code(error.status)
    .type('text/html; charset=utf-8')
    .header('Content-Security-Policy', pagePolicy())
    .send(renderError(error, request))
}

/** Browsers name HTML when they navigate. Programs name JSON, anything, or nothing. */
const acceptsPage = ({ method, headers: { accept = '' } }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(accept)
