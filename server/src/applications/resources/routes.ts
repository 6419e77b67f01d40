import { toAuditSource } from '../../audit/record.ts'
import { defineRoute } from '../../http/routing/define-route.ts'
import { ActionResult } from '../../http/routing/schema.ts'
import { ById } from '../schema.ts'
import { changeResource, getResource, getResourcePage, registerResource, removeResource } from './registration.ts'
import { NewResource, ResourceBody, ResourceChange, ResourcePage, ResourceQuery } from './schema.ts'
import type { StoredResource } from './store.ts'

const common = { tag: 'Administration', caller: 'administrator' } as const

const toResourceBody = ({ createdAt, updatedAt, ...resource }: StoredResource): ResourceBody => ({
  ...resource,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

export const resourceRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/resources',
    operationId: 'listResources',
    summary: 'Lists the resources: APIs for which clients request tokens',
    query: ResourceQuery,
    reply: { 200: ResourcePage },
    async handler(ctx, { query }) {
      const { resources, pagination } = await getResourcePage(ctx, query)
      return { resources: resources.map(toResourceBody), pagination }
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/admin/resources',
    operationId: 'createResource',
    summary: 'Registers a resource of an application',
    idempotent: true,
    body: NewResource,
    reply: { 201: ResourceBody },
    errors: ['RESOURCE_URI_TAKEN'],
    async handler(ctx, { body, caller, request }) {
      const source = toAuditSource(caller, request)
      return toResourceBody(await ctx.db.transaction().execute((tx) => registerResource(ctx, tx, body, source)))
    },
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/resources/:id',
    operationId: 'getResource',
    summary: 'Shows a resource',
    params: ById,
    reply: { 200: ResourceBody },
    errors: ['RESOURCE_NOT_FOUND'],
    handler: async (ctx, { params }) => toResourceBody(await getResource(ctx, params.id)),
  }),
  defineRoute({
    ...common,
    method: 'PATCH',
    path: '/api/admin/resources/:id',
    operationId: 'updateResource',
    summary: 'Changes the name, the scopes or the allowed clients of a resource',
    params: ById,
    body: ResourceChange,
    reply: { 200: ResourceBody },
    errors: ['RESOURCE_NOT_FOUND'],
    async handler(ctx, { params, body: change, caller, request }) {
      const input = { id: params.id, change, source: toAuditSource(caller, request) }
      const resource = await ctx.db.transaction().execute((tx) => changeResource(ctx, tx, input))
      await ctx.changes.waitUntilCurrent()
      return toResourceBody(resource)
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/admin/resources/:id',
    operationId: 'deleteResource',
    summary: 'Deletes a resource; the tokens for it end',
    params: ById,
    reply: { 200: ActionResult },
    errors: ['RESOURCE_NOT_FOUND'],
    async handler(ctx, { params, caller, request }) {
      await removeResource(ctx, params.id, toAuditSource(caller, request))
      return { success: true, message: 'Resource deleted' }
    },
  }),
]
