import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import { createFingerprints, readIdempotencyKey, runOnce } from '../idempotency/idempotency.ts'
import { admitRoute } from '../limits/admission.ts'
import { type Caller, callerKey, type Person, type WithTenant } from './callers.ts'
import type { Route } from './define-route.ts'
import type { Exchange } from './exchange.ts'

export interface HandlerDependencies {
  withTenant: WithTenant
}

/** Calls the route's handler behind its admission limit, idempotency key and tenant transaction. */
export function handleRoute(ctx: Ctx, route: Route, exchange: Exchange, dependencies: HandlerDependencies): unknown {
  const { request } = exchange
  if (!route.admission) return handleAdmitted(ctx, route, exchange, dependencies)
  const admission = { request, account: callerKey(request.caller) }
  return admitRoute(ctx, route.admission, admission, () => handleAdmitted(ctx, route, exchange, dependencies))
}

function handleAdmitted(ctx: Ctx, route: Route, exchange: Exchange, dependencies: HandlerDependencies): unknown {
  const key = route.idempotent ? readIdempotencyKey(exchange.request.headers) : undefined
  return key === undefined
    ? callHandler(ctx, route, exchange, dependencies)
    : handleIdempotent(ctx, route, { ...exchange, key }, dependencies)
}

async function handleIdempotent(
  ctx: Ctx,
  route: Route,
  { request, reply, key }: Exchange & { key: string },
  dependencies: HandlerDependencies,
): Promise<unknown> {
  const { body, caller, method, url } = request
  // A stored response is replayed only to a caller who still has access to the tenant.
  if (route.caller === 'member') await runInTenant(ctx, { ...route, method: 'GET' }, request, dependencies)
  // For these routes the tenant is in the token, not in the URL.
  const tenantSuffix = route.caller === 'license-writer' ? `@${caller?.tenantId}` : ''
  const fingerprints = createFingerprints(ctx.keys, { method, url, body })
  const keyed = { caller: callerKey(caller) + tenantSuffix, key, fingerprints }
  const response = await runOnce(ctx, keyed, async () => ({
    body: await callHandler(ctx, route, { request, reply }, dependencies),
    status: reply.statusCode,
    headers: readDeclaredHeaders(route, reply),
  }))
  reply.code(response.status).headers(response.headers ?? {})
  if (response.replayed) reply.header('Idempotency-Replayed', 'true')
  return response.body
}

/** The reply headers that the route declares; they are stored and replayed with the body. */
const readDeclaredHeaders = ({ replyHeaders }: Route, reply: FastifyReply): Record<string, string> =>
  Object.fromEntries(Object.keys(replyHeaders).map((name) => [name, String(reply.getHeader(name))]))

function callHandler(ctx: Ctx, route: Route, { request, reply }: Exchange, dependencies: HandlerDependencies): unknown {
  const handle = (tx: Tx | undefined, caller: Caller | undefined) => {
    if (request.validationError) throw request.validationError
    const { body, query, params } = request
    return route.handler(ctx, { body, query, params, request, reply, tx, caller })
  }
  if (route.caller !== 'member') return handle(undefined, request.caller)
  return runInTenant(ctx, route, request, dependencies, async (tx, caller) => handle(tx, caller))
}

type TenantRoute = Pick<Route, 'roles' | 'method' | 'writes' | 'checksFactor'>

/**
 * Runs work in the tenant of the URL (`:id`). After a write it waits until this node has received the change
 * notifications, so that the caller's next request does not read stale cache entries.
 */
async function runInTenant(
  ctx: Ctx,
  { roles, method, writes, checksFactor }: TenantRoute,
  { params, caller }: FastifyRequest,
  { withTenant }: HandlerDependencies,
  work: (tx: Tx, caller: Caller) => Promise<unknown> = async () => undefined,
): Promise<unknown> {
  const { id: tenantId = '' } = params as { id?: string }
  const access = { tenantId, roles, checksFactor, readOnly: method === 'GET' && !writes }
  // authorizeCaller has rejected every other kind of caller for a `member` route.
  const result = await withTenant(ctx, caller as Person, access, work)
  if (!access.readOnly) await ctx.changes.waitUntilCurrent()
  return result
}
