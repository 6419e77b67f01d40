import type { FastifyRequest } from 'fastify'
import type { PageInput, PageResult } from '../routing/define-route.ts'
import { isCrossOrigin } from './csrf.ts'

const MAX_QUERY_LENGTH = 8_000

/**
 * A cross-site POST arrives without the SameSite=Lax cookies, as if the user were signed out. Redirects it to a GET with
 * the same parameters, which carries the cookies. Returns undefined if a redirect is unnecessary or impossible.
 */
export function redirectToGet({ request, form }: PageInput): PageResult | undefined {
  if (!isCrossOrigin(request) || isBackgroundRequest(request) || form.repeated.length > 0) return undefined
  const query = new URLSearchParams(form.toObject()).toString()
  return query.length > MAX_QUERY_LENGTH ? undefined : { redirect: `${request.routeOptions.url}?${query}` }
}

/** A script sends such a request without cookies on purpose. The browser would block the redirect. */
const isBackgroundRequest = ({ headers }: FastifyRequest): boolean => headers['sec-fetch-mode'] === 'no-cors'
