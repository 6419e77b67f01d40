import { toAuditSource } from '../audit/record.ts'
import { defineRoute } from '../http/routing/define-route.ts'
import { ActionResult } from '../http/routing/schema.ts'
import { changeClient, getClient, getClientPage, registerClient, removeClient } from './clients/registration.ts'
import { addSecret, revokeSecret } from './clients/secrets.ts'
import type { StoredClient } from './clients/store.ts'
import {
  ApplicationBody,
  ApplicationChange,
  ApplicationPage,
  ApplicationQuery,
  ById,
  BySecretId,
  ClientBody,
  ClientChange,
  ClientPage,
  ClientQuery,
  CreatedClient,
  CreatedSecret,
  NewApplication,
  NewClient,
} from './schema.ts'
import {
  changeApplication,
  createApplication,
  getApplication,
  getApplicationPage,
  removeApplication,
} from './service.ts'
import type { Application } from './store.ts'

const common = { tag: 'Administration', caller: 'administrator' } as const

const toApplicationBody = ({ createdAt, updatedAt, ...application }: Application): ApplicationBody => ({
  ...application,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

const toClientBody = ({ createdAt, updatedAt, secrets, ...client }: StoredClient): ClientBody => ({
  ...client,
  // Without the hash.
  secrets: secrets.map(({ id, createdAt }) => ({ id, createdAt: new Date(createdAt).toISOString() })),
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

const toDone = (message: string) => ({ success: true, message })

const applicationRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/applications',
    operationId: 'listApplications',
    summary: 'Lists the applications',
    query: ApplicationQuery,
    reply: { 200: ApplicationPage },
    async handler(ctx, { query }) {
      const { applications, pagination } = await getApplicationPage(ctx, query)
      return { applications: applications.map(toApplicationBody), pagination }
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/admin/applications',
    operationId: 'createApplication',
    summary: 'Creates an application',
    body: NewApplication,
    reply: { 201: ApplicationBody },
    errors: ['SLUG_TAKEN'],
    async handler(ctx, { body, caller, request }) {
      const source = toAuditSource(caller, request)
      const created = await ctx.db.transaction().execute((tx) => createApplication(ctx, tx, body, source))
      return toApplicationBody(created)
    },
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/applications/:id',
    operationId: 'getApplication',
    summary: 'Shows an application',
    params: ById,
    reply: { 200: ApplicationBody },
    errors: ['APPLICATION_NOT_FOUND'],
    handler: async (ctx, { params }) => toApplicationBody(await getApplication(ctx, params.id)),
  }),
  defineRoute({
    ...common,
    method: 'PATCH',
    path: '/api/admin/applications/:id',
    operationId: 'updateApplication',
    summary: 'Changes an application',
    params: ById,
    body: ApplicationChange,
    reply: { 200: ApplicationBody },
    errors: ['APPLICATION_NOT_FOUND', 'SLUG_TAKEN'],
    async handler(ctx, { params, body: change, caller, request }) {
      const input = { id: params.id, change, source: toAuditSource(caller, request) }
      const application = await ctx.db.transaction().execute((tx) => changeApplication(ctx, tx, input))
      await ctx.changes.waitUntilCurrent()
      return toApplicationBody(application)
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/admin/applications/:id',
    operationId: 'deleteApplication',
    summary: 'Deletes an application, its clients and their tokens',
    params: ById,
    reply: { 200: ActionResult },
    errors: ['APPLICATION_NOT_FOUND'],
    async handler(ctx, { params, caller, request }) {
      await removeApplication(ctx, params.id, toAuditSource(caller, request))
      return toDone('Application deleted')
    },
  }),
]

const clientRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/clients',
    operationId: 'listClients',
    summary: 'Lists the clients',
    query: ClientQuery,
    reply: { 200: ClientPage },
    async handler(ctx, { query }) {
      const { clients, pagination } = await getClientPage(ctx, query)
      return { clients: clients.map(toClientBody), pagination }
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/admin/clients',
    operationId: 'createClient',
    summary: 'Registers a client; its secret is shown only once',
    idempotent: true,
    body: NewClient,
    reply: { 201: CreatedClient },
    errors: ['CLIENT_ID_TAKEN'],
    async handler(ctx, { body, caller, request }) {
      const source = toAuditSource(caller, request)
      const { client, clientSecret } = await ctx.db
        .transaction()
        .execute((tx) => registerClient(ctx, tx, body, { source }))
      return { ...toClientBody(client), clientSecret }
    },
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/clients/:id',
    operationId: 'getClient',
    summary: 'Shows a client',
    params: ById,
    reply: { 200: ClientBody },
    errors: ['CLIENT_NOT_FOUND'],
    handler: async (ctx, { params }) => toClientBody(await getClient(ctx, params.id)),
  }),
  defineRoute({
    ...common,
    method: 'PATCH',
    path: '/api/admin/clients/:id',
    operationId: 'updateClient',
    summary: 'Changes a client',
    params: ById,
    body: ClientChange,
    reply: { 200: ClientBody },
    errors: ['CLIENT_NOT_FOUND'],
    async handler(ctx, { params, body: change, caller, request }) {
      const input = { id: params.id, change, source: toAuditSource(caller, request) }
      const client = await ctx.db.transaction().execute((tx) => changeClient(ctx, tx, input))
      await ctx.changes.waitUntilCurrent()
      return toClientBody(client)
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/admin/clients/:id',
    operationId: 'deleteClient',
    summary: 'Deletes a client and its tokens',
    params: ById,
    reply: { 200: ActionResult },
    errors: ['CLIENT_NOT_FOUND'],
    async handler(ctx, { params, caller, request }) {
      await removeClient(ctx, params.id, toAuditSource(caller, request))
      return toDone('Client deleted')
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/admin/clients/:id/secrets',
    operationId: 'createClientSecret',
    summary: 'Adds a secret to a client, so that the old one can be replaced',
    params: ById,
    reply: { 201: CreatedSecret },
    errors: ['CLIENT_NOT_FOUND', 'TOO_MANY_SECRETS'],
    async handler(ctx, { params, caller, request }) {
      const { createdAt, ...secret } = await addSecret(ctx, params.id, toAuditSource(caller, request))
      return { ...secret, createdAt: createdAt.toISOString() }
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/admin/clients/:id/secrets/:secretId',
    operationId: 'deleteClientSecret',
    summary: 'Revokes a secret of a client and the tokens that were issued with it',
    params: BySecretId,
    reply: { 200: ActionResult },
    errors: ['CLIENT_NOT_FOUND', 'SECRET_NOT_FOUND'],
    async handler(ctx, { params, caller, request }) {
      await revokeSecret(ctx, { ...params, source: toAuditSource(caller, request) })
      return toDone('Secret ended')
    },
  }),
]

export const applicationsRoutes = [...applicationRoutes, ...clientRoutes]
