import { isCrossOrigin } from './csrf.ts'
import type { PageAnswer, PageInput } from './define-route.ts'

const LONGEST_QUERY = 8_000

/**
 * A form on another site's page comes without our cookies, as if nobody were signed in. The browser sends them when
 * it comes again by GET, so that is where such a form is sent. Undefined when there is no need, or no way.
 */
export function comeAgainByGet({ request, form }: PageInput): PageAnswer | undefined {
  if (!isCrossOrigin(request) || form.repeated.length > 0) return undefined
  const query = new URLSearchParams(form.toObject()).toString()
  return query.length > LONGEST_QUERY ? undefined : { redirect: `${request.routeOptions.url}?${query}` }
}
