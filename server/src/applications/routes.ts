import { sourceOf } from '../audit/record.ts'
import { defineRoute } from '../http/define-route.ts'
import { Done } from '../http/schema.ts'
import {
  changeClient,
  getClient,
  pageOfClients,
  registerClient,
  removeClient,
} from './clients/registration.ts'
import { addSecret, endSecret } from './clients/secrets.ts'
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
  pageOfApplications,
  removeApplication,
} from './service.ts'
import type { Application } from './store.ts'

const common = { tag: 'Administration', caller: 'administrator' } as const

const showApplication = ({ createdAt, updatedAt, ...application }: Application): ApplicationBody => ({
  ...application,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

const showClient = ({ createdAt, updatedAt, secrets, ...client }: StoredClient): ClientBody => ({
  ...client,
  // Never the hash.
  secrets: secrets.map(({ id, createdAt }) => ({ id, createdAt: new Date(createdAt).toISOString() })),
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})

const done = (message: string) => ({ success: true, message })

const applicationRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/applications',
    summary: 'Lists the applications',
    query: ApplicationQuery,
    reply: { 200: ApplicationPage },
    async handler(ctx, { query }) {
      const { applications, pagination } = await pageOfApplications(ctx, query)
      return { applications: applications.map(showApplication), pagination }
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/admin/applications',
    summary: 'Makes an application',
    body: NewApplication,
    reply: { 201: ApplicationBody },
    errors: ['SLUG_TAKEN'],
    async handler(ctx, { body, caller, request }) {
      const source = sourceOf(caller, request)
      const made = await ctx.db.transaction().execute((tx) => createApplication(ctx, tx, body, source))
      return showApplication(made)
    },
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/applications/:id',
    summary: 'Shows an application',
    params: ById,
    reply: { 200: ApplicationBody },
    errors: ['APPLICATION_NOT_FOUND'],
    handler: async (ctx, { params }) => showApplication(await getApplication(ctx, params.id)),
  }),
  defineRoute({
    ...common,
    method: 'PATCH',
    path: '/api/admin/applications/:id',
    summary: 'Changes an application',
    params: ById,
    body: ApplicationChange,
    reply: { 200: ApplicationBody },
    errors: ['APPLICATION_NOT_FOUND', 'SLUG_TAKEN'],
    async handler(ctx, { params, body: change, caller, request }) {
      const wanted = { id: params.id, change, source: sourceOf(caller, request) }
      const application = await ctx.db.transaction().execute((tx) => changeApplication(ctx, tx, wanted))
      await ctx.changes.settle()
      return showApplication(application)
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/admin/applications/:id',
    summary: 'Deletes an application, its clients and their tokens',
    params: ById,
    reply: { 200: Done },
    errors: ['APPLICATION_NOT_FOUND'],
    async handler(ctx, { params, caller, request }) {
      await removeApplication(ctx, params.id, sourceOf(caller, request))
      return done('Application deleted')
    },
  }),
]

const clientRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/clients',
    summary: 'Lists the clients',
    query: ClientQuery,
    reply: { 200: ClientPage },
    async handler(ctx, { query }) {
      const { clients, pagination } = await pageOfClients(ctx, query)
      return { clients: clients.map(showClient), pagination }
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/admin/clients',
    summary: 'Registers a client; its secret is shown this once',
    idempotent: true,
    body: NewClient,
    reply: { 201: CreatedClient },
    errors: ['CLIENT_ID_TAKEN'],
    async handler(ctx, { body, caller, request }) {
      const source = sourceOf(caller, request)
      const { client, clientSecret } = await ctx.db
        .transaction()
        .execute((tx) => registerClient(ctx, tx, body, { source }))
      return { ...showClient(client), clientSecret }
    },
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/clients/:id',
    summary: 'Shows a client',
    params: ById,
    reply: { 200: ClientBody },
    errors: ['CLIENT_NOT_FOUND'],
    handler: async (ctx, { params }) => showClient(await getClient(ctx, params.id)),
  }),
  defineRoute({
    ...common,
    method: 'PATCH',
    path: '/api/admin/clients/:id',
    summary: 'Changes a client',
    params: ById,
    body: ClientChange,
    reply: { 200: ClientBody },
    errors: ['CLIENT_NOT_FOUND'],
    async handler(ctx, { params, body: change, caller, request }) {
      const wanted = { id: params.id, change, source: sourceOf(caller, request) }
      const client = await ctx.db.transaction().execute((tx) => changeClient(ctx, tx, wanted))
      await ctx.changes.settle()
      return showClient(client)
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/admin/clients/:id',
    summary: 'Deletes a client and its tokens',
    params: ById,
    reply: { 200: Done },
    errors: ['CLIENT_NOT_FOUND'],
    async handler(ctx, { params, caller, request }) {
      await removeClient(ctx, params.id, sourceOf(caller, request))
      return done('Client deleted')
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/admin/clients/:id/secrets',
    summary: 'Gives a client one more secret, so that the old one can be replaced',
    params: ById,
    reply: { 201: CreatedSecret },
    errors: ['CLIENT_NOT_FOUND', 'TOO_MANY_SECRETS'],
    async handler(ctx, { params, caller, request }) {
      const { createdAt, ...secret } = await addSecret(ctx, params.id, sourceOf(caller, request))
      return { ...secret, createdAt: createdAt.toISOString() }
    },
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: '/api/admin/clients/:id/secrets/:secretId',
    summary: 'Ends a secret of a client and the tokens it got with it',
    params: BySecretId,
    reply: { 200: Done },
    errors: ['CLIENT_NOT_FOUND', 'SECRET_NOT_FOUND'],
    async handler(ctx, { params, caller, request }) {
      await endSecret(ctx, { ...params, source: sourceOf(caller, request) })
      return done('Secret ended')
    },
  }),
]

export const applicationsRoutes = [...applicationRoutes, ...clientRoutes]
