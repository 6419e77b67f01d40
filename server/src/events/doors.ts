import { type Static, type TSchema, Type } from 'typebox'
import { actorOf } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { yielding } from '../db/violations.ts'
import type { ErrorCode } from '../errors.ts'
import { type Answer, defineRoute, type Method, type Route } from '../http/define-route.ts'
import { PERMISSIONS } from '../tenants/permissions.ts'
import type { Desk } from './webhooks/service.ts'

type Shape<S> = S extends TSchema ? Static<S> : undefined

interface Given<B, Q> {
  webhookId: string
  deliveryId: string
  body: Shape<B>
  query: Shape<Q>
}

interface DoorOptions<R extends Record<number, TSchema>, B, Q> {
  method: Method
  /** Below the webhooks of the instance, or of a tenant. */
  path: string
  summary: string
  body?: B
  query?: Q
  reply: R
  errors?: ErrorCode[]
  act(ctx: Ctx, desk: Desk, given: Given<B, Q>): Promise<Answer<R>>
}

const tag = 'Webhooks'

/** The same door twice: for operators, and for those who look after a tenant, behind its wall. */
export function defineDoors<
  const R extends Record<number, TSchema>,
  B extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
>({ path, act, ...door }: DoorOptions<R, B, Q>): Route[] {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const paramsOf = (known: string[]) =>
    Type.Object(Object.fromEntries([...known, ...names].map((name) => [name, Type.String()])))
  return [
    defineRoute<R, 'administrator', B, Q, ReturnType<typeof paramsOf>>({
      ...{ ...door, tag, caller: 'administrator', path: `/api/admin/webhooks${path}`, params: paramsOf([]) },
      handler: (ctx, { caller, request, params, body, query }) =>
        yielding(() =>
          ctx.db.transaction().execute((tx) => {
            const desk = { tx, owner: null, source: { actor: actorOf(caller), request } }
            return act(ctx, desk, { ...idsIn(params), body, query })
          }),
        ),
    }),
    defineRoute<R, 'member', B, Q, ReturnType<typeof paramsOf>>({
      ...{ ...door, tag, caller: 'member', roles: PERMISSIONS.manageWebhooks.roles },
      path: `/api/tenants/:id/webhooks${path}`,
      params: paramsOf(['id']),
      handler: (ctx, { tx, caller, request, params, body, query }) => {
        const desk = { tx, owner: caller.tenantId, source: { actor: actorOf(caller), request } }
        return act(ctx, desk, { ...idsIn(params), body, query })
      },
    }),
  ]
}

/** Those that the address names. */
const idsIn = ({ webhookId = '', deliveryId = '' }: Record<string, string>) => ({ webhookId, deliveryId })
