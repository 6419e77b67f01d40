import { type Static, type TSchema, Type } from 'typebox'
import { toActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { retryOnDeadlock } from '../db/errors.ts'
import type { ErrorCode } from '../errors.ts'
import { defineRoute, type Method, type ReplyBody, type Route } from '../http/routing/define-route.ts'
import { PERMISSIONS } from '../tenants/permissions.ts'
import type { WebhookScope } from './webhooks/service.ts'

type Shape<S> = S extends TSchema ? Static<S> : undefined

interface Input<B, Q> {
  webhookId: string
  deliveryId: string
  body: Shape<B>
  query: Shape<Q>
}

interface RouteOptions<R extends Record<number, TSchema>, B, Q> {
  method: Method
  /** Relative to the webhooks of the instance or of a tenant. */
  path: string
  operationIds: { instance: string; tenant: string }
  summary: string
  body?: B
  query?: Q
  reply: R
  errors?: ErrorCode[]
  handle(ctx: Ctx, scope: WebhookScope, input: Input<B, Q>): Promise<ReplyBody<R>>
}

const tag = 'Webhooks'

/** Defines a route twice: for the webhooks of the instance, and for those of a tenant in its tenant scope. */
export function defineWebhookRoutes<
  const R extends Record<number, TSchema>,
  B extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
>({ path, operationIds, handle, ...options }: RouteOptions<R, B, Q>): Route[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const paramsOf = (leading: string[]) =>
    Type.Object(Object.fromEntries([...leading, ...names].map((name) => [name, Type.String()])))
  return [
    defineRoute<R, 'administrator', B, Q, ReturnType<typeof paramsOf>>({
      ...options,
      tag,
      caller: 'administrator',
      path: `/api/admin/webhooks${path}`,
      operationId: operationIds.instance,
      params: paramsOf([]),
      handler: (ctx, { caller, request, params, body, query }) =>
        retryOnDeadlock(() =>
          ctx.db.transaction().execute((tx) => {
            const scope = { tx, owner: null, source: { actor: toActor(caller), request } }
            return handle(ctx, scope, { ...toIds(params), body, query })
          }),
        ),
    }),
    defineRoute<R, 'member', B, Q, ReturnType<typeof paramsOf>>({
      ...options,
      tag,
      caller: 'member',
      roles: PERMISSIONS.manageWebhooks.roles,
      path: `/api/tenants/:id/webhooks${path}`,
      operationId: operationIds.tenant,
      params: paramsOf(['id']),
      handler: (ctx, { tx, caller, request, params, body, query }) => {
        const scope = { tx, owner: caller.tenantId, source: { actor: toActor(caller), request } }
        return handle(ctx, scope, { ...toIds(params), body, query })
      },
    }),
  ]
}

/** The ids in the path. */
const toIds = ({ webhookId = '', deliveryId = '' }: Record<string, string>) => ({ webhookId, deliveryId })
