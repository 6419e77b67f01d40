import { Type } from 'typebox'
import { defineRoute } from '../../src/http/routing/define-route.ts'

const Note = Type.Object({
  title: Type.String({ minLength: 1, maxLength: 20 }),
  stars: Type.Optional(Type.Integer({ minimum: 1 })),
  tags: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  extra: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

/** Routes for tests of the HTTP layer, independent of the product's own routes. */
export const sampleRoutes = [
  defineRoute({
    method: 'POST',
    path: '/sample/notes',
    operationId: 'sample1',
    tag: 'Sample',
    summary: 'Returns its body',
    caller: 'anyone',
    body: Note,
    reply: { 201: Note },
    handler: (_ctx, { body }) => ({ ...body, secret: 'not in the schema, so never sent' }),
  }),
  defineRoute({
    method: 'GET',
    path: '/sample/notes/:id',
    operationId: 'sample2',
    tag: 'Sample',
    summary: 'Parses numbers in the query',
    caller: 'anyone',
    params: Type.Object({ id: Type.String() }),
    query: Type.Object({ page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }) }),
    reply: { 200: Type.Object({ id: Type.String(), page: Type.Integer() }) },
    handler: (_ctx, { params, query }) => ({ id: params.id, page: query.page }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/sample/notes/:id',
    operationId: 'sample3',
    tag: 'Sample',
    summary: 'Takes no body',
    caller: 'anyone',
    reply: { 200: Type.Object({ success: Type.Boolean() }) },
    handler: () => ({ success: true }),
  }),
  defineRoute({
    method: 'GET',
    path: '/sample/broken',
    operationId: 'sample4',
    tag: 'Sample',
    summary: 'Throws an internal error',
    caller: 'anyone',
    reply: { 200: Type.Object({}) },
    handler: () => {
      throw new Error('select * from secrets; password=hunter2')
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/sample/away',
    operationId: 'sample5',
    tag: 'Sample',
    summary: 'Throws a connection error of the database',
    caller: 'anyone',
    reply: { 200: Type.Object({}) },
    handler: () => {
      throw Object.assign(new Error('terminating connection'), { code: '57P01' })
    },
  }),
]
