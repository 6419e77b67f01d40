import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Ctx } from '../../context.ts'
import { AppError, type ErrorCode, OAuthError } from '../../errors.ts'
import { COMMON_ERRORS, impliedErrors } from '../errors/errors.ts'
import { FORM_LIMIT } from '../request/bodies.ts'
import { type Authenticator, authorizeCaller } from './callers.ts'
import { allowOrigin, type IsKnownOrigin } from './cross-origin.ts'
import type { Route } from './define-route.ts'
import type { Exchange } from './exchange.ts'
import { type HandlerDependencies, handleRoute } from './handle-route.ts'

export interface ApiRouteDependencies extends HandlerDependencies {
  authenticate: Authenticator
  isKnownOrigin: IsKnownOrigin
}

export function registerRoute(app: FastifyInstance, ctx: Ctx, route: Route, dependencies: ApiRouteDependencies): void {
  const { method, path, body, bodyType, query, params, reply: replies, oauthErrors } = route
  const statuses = Object.keys(replies).map(Number)
  app.route({
    method,
    url: path,
    config: {
      bodyType,
      bodyOptional: Type.IsOptional(body),
      otherBodiesIgnored: route.ignoresOtherBodies,
      oauth: oauthErrors !== undefined,
      takesResource: oauthErrors?.includes('invalid_target') ?? false,
    },
    ...((bodyType === 'form' || oauthErrors) && { bodyLimit: FORM_LIMIT }),
    // HEAD on a stream would read the whole stream and discard it.
    exposeHeadRoute: !route.streams,
    ...(Type.IsOptional(body) && { preValidation: setEmptyBody }),
    // The handler throws the validation error itself: with an Idempotency-Key the error is stored for replay, and for
    // a member the tenant is checked first.
    attachValidation: route.idempotent || route.caller === 'member',
    ...(checksBeforeBody(route) && {
      onRequest: (request, reply) => authenticateBeforeBody(ctx, { request, reply }, route, dependencies),
    }),
    ...(checksAfterBody(route) && {
      preHandler: (request, reply) => authenticateAfterBody(ctx, { request, reply }, route, dependencies),
    }),
    schema: {
      ...(body && { body }),
      ...(query && { querystring: query }),
      ...(params && { params }),
      response: replies,
    },
    handler: async (request: FastifyRequest, reply: FastifyReply) => {
      if (statuses.length === 1) reply.code(statuses[0] ?? 200)
      try {
        return await handleRoute(ctx, route, { request, reply }, dependencies)
      } catch (error) {
        throw ctx.strict ? requireDeclaredError(route, error) : error
      }
    },
  })
}

/** An omitted optional body is validated as an empty object. */
async function setEmptyBody(request: FastifyRequest): Promise<void> {
  request.body ??= {}
}

const checksBeforeBody = ({ crossOrigin, caller }: Route) => crossOrigin !== undefined || caller !== 'anyone'

/** Runs before the body is read: a rejected caller cannot make the service parse a body or see validation errors. */
async function authenticateBeforeBody(
  ctx: Ctx,
  exchange: Exchange,
  route: Route,
  { authenticate, isKnownOrigin }: ApiRouteDependencies,
): Promise<void> {
  const { crossOrigin, caller } = route
  if (crossOrigin) await allowOrigin(ctx, exchange, { rule: crossOrigin, isKnownOrigin })
  if (caller !== 'anyone') await setCaller(ctx, exchange, route, authenticate)
}

async function setCaller(
  ctx: Ctx,
  exchange: Exchange,
  { caller: kind, allowsSupport }: Route,
  authenticate: Authenticator,
): Promise<void> {
  exchange.request.caller = await authorizeCaller(ctx, exchange, { kind, allowsSupport, authenticate })
}

const checksAfterBody = ({ caller, bodyType }: Route) => caller !== 'anyone' && bodyType !== undefined

/** Authenticates again, because access may be revoked while a slow body arrives. */
const authenticateAfterBody = (
  ctx: Ctx,
  exchange: Exchange,
  route: Route,
  { authenticate }: ApiRouteDependencies,
): Promise<void> => setCaller(ctx, exchange, route, authenticate)

/** Replaces an error code that the route does not declare, because the API description would be wrong. */
function requireDeclaredError(route: Route, error: unknown): unknown {
  const declared: readonly ErrorCode[] = [...COMMON_ERRORS, ...route.errors, ...impliedErrors(route)]
  const isDeclared =
    error instanceof OAuthError
      ? route.oauthErrors?.includes(error.code)
      : !(error instanceof AppError) || declared.includes(error.code)
  if (isDeclared) return error
  const { code } = error as AppError | OAuthError
  return new Error(`${route.method} ${route.path} threw ${code} without declaring it`, { cause: error })
}
