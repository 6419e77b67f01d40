import type { FastifyInstance } from 'fastify'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { groupBy } from '../../lib/group-by.ts'
import { allowOrigin, answerPreflight, type IsKnownOrigin } from './cross-origin.ts'
import type { Method, Route } from './define-route.ts'

const METHODS: Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Answers CORS preflight requests (OPTIONS) for every route with a `crossOrigin` setting. */
export function registerPreflights(
  app: FastifyInstance,
  ctx: Ctx,
  routes: Route[],
  { isKnownOrigin }: { isKnownOrigin: IsKnownOrigin },
): void {
  const crossOriginRoutes = routes.filter(({ crossOrigin }) => crossOrigin !== undefined)
  for (const [path, entries] of groupBy(crossOriginRoutes, (route) => route.path)) {
    const rule = entries[0]?.crossOrigin ?? 'registered'
    const methods: string[] = entries.map(({ method }) => method)
    app.options(path, async (request, reply) => {
      // Browsers do not compare POST with the allowed methods. Only the missing origin keeps them from sending it.
      const requested = request.headers['access-control-request-method']
      if (requested === undefined || methods.includes(requested)) {
        await allowOrigin(ctx, { request, reply }, { rule, isKnownOrigin })
      }
      answerPreflight(reply, methods)
      return reply
    })
  }
}

interface Endpoint {
  method: Method
  path: string
  streams?: Route['streams']
}

/** Answers METHOD_NOT_ALLOWED with an Allow header for every other method of a registered path. */
export function rejectOtherMethods(app: FastifyInstance, endpoints: Endpoint[]): void {
  const byPath = groupBy(endpoints, ({ path }) => path)
  for (const [path, entries] of byPath) {
    const allowed = entries.map(({ method }) => method)
    const hasHead = entries.some(({ method, streams }) => method === 'GET' && !streams)
    const headers = { Allow: [...allowed, ...(hasHead ? ['HEAD'] : [])].join(', ') }
    const others = METHODS.filter((method) => !allowed.includes(method))
    app.route({
      method: allowed.includes('GET') && !hasHead ? [...others, 'HEAD'] : others,
      url: path,
      handler: () => {
        throw new AppError('METHOD_NOT_ALLOWED', { headers })
      },
    })
  }
}
