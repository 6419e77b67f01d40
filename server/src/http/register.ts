import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx } from '../context.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { groupBy } from '../lib/group-by.ts'
import { ErrorPage } from '../ui/error-page.tsx'
import { render } from '../ui/render.ts'
import type { Asset, Method, Page, PageAnswer, Route } from './define-route.ts'
import { COMMON_ERRORS, logServerError, toAppError } from './errors.ts'
import { PAGE_POLICY } from './headers.ts'
import { ErrorBody } from './schema.ts'

const METHODS: Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export interface Surface {
  routes: Route[]
  pages: Page[]
  assets: Asset[]
}

/** Hangs the doors. */
export function registerAll(app: FastifyInstance, ctx: Ctx, { routes, pages, assets }: Surface): void {
  for (const route of routes) registerRoute(app, ctx, route)
  for (const page of pages) registerPage(app, ctx, page)
  for (const asset of assets) registerAsset(app, ctx, asset)
  const doors = [...routes, ...pages, ...assets.map(({ path }) => ({ method: 'GET' as const, path }))]
  refuseOtherMethods(app, doors)
}

function registerRoute(app: FastifyInstance, ctx: Ctx, route: Route): void {
  const { method, path, body, query, params, reply: replies } = route
  const statuses = Object.keys(replies).map(Number)
  app.route({
    method,
    url: path,
    schema: {
      ...(body && { body }),
      ...(query && { querystring: query }),
      ...(params && { params }),
      response: { ...replies, '4xx': ErrorBody },
    },
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      if (statuses.length === 1) reply.code(statuses[0] ?? 200)
      try {
        const { body, query, params } = request
        return await route.handler(ctx, { body, query, params, request, reply })
      } catch (error) {
        throw ctx.strict ? declared(route, error) : error
      }
    },
  })
}

/** A code that the route does not declare is a mistake in the house: its documentation would be wrong. */
function declared(route: Route, error: unknown): unknown {
  const known: readonly ErrorCode[] = [...COMMON_ERRORS, ...route.errors]
  if (!(error instanceof AppError) || known.includes(error.code)) return error
  return new Error(`${route.method} ${route.path} threw ${error.code} without declaring it`, { cause: error })
}

function registerPage(app: FastifyInstance, ctx: Ctx, page: Page): void {
  app.route({
    method: page.method,
    url: page.path,
    handler: async (request, reply) => {
      const { status = 200, html } = await answerPage(ctx, page, request)
      reply.code(status).type('text/html; charset=utf-8').header('Content-Security-Policy', PAGE_POLICY)
      return html
    },
  })
}

/** A page answers a person, so its errors are pages too. */
async function answerPage(ctx: Ctx, page: Page, request: FastifyRequest): Promise<PageAnswer> {
  try {
    return await page.handler(ctx, request)
  } catch (thrown) {
    const error = toAppError(thrown)
    logServerError(error, request)
    return {
      status: error.status,
      html: render(ErrorPage({ message: error.message, requestId: request.id })),
    }
  }
}

function registerAsset(app: FastifyInstance, ctx: Ctx, { path, type, maxAge, content }: Asset): void {
  app.get(path, async (_request, reply) => {
    reply.type(type)
    if (maxAge > 0) reply.header('Cache-Control', `public, max-age=${maxAge}`)
    return content(ctx)
  })
}

function refuseOtherMethods(app: FastifyInstance, doors: { method: Method; path: string }[]): void {
  const byPath = groupBy(doors, ({ path }) => path)
  for (const [path, entries] of byPath) {
    const allowed = entries.map(({ method }) => method)
    const headers = { Allow: [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].join(', ') }
    app.route({
      method: METHODS.filter((method) => !allowed.includes(method)),
      url: path,
      handler: () => {
        throw new AppError('METHOD_NOT_ALLOWED', { headers })
      },
    })
  }
}
