import { Type } from 'typebox'
import { defineRoute } from '../../src/http/define-route.ts'

const Note = Type.Object({
  title: Type.String({ minLength: 1, maxLength: 20 }),
  stars: Type.Optional(Type.Integer({ minimum: 1 })),
  tags: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  extra: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

/** Routes that show what the machinery does, whatever the product's own happen to be. */
export const sampleRoutes = [
  defineRoute({
    method: 'POST',
    path: '/sample/notes',
    tag: 'Sample',
    summary: 'Gives back what it was given',
    caller: 'anyone',
    body: Note,
    reply: { 201: Note },
    handler: (_ctx, { body }) => ({ ...body, secret: 'never leaves the house' }),
  }),
  defineRoute({
    method: 'GET',
    path: '/sample/notes/:id',
    tag: 'Sample',
    summary: 'Reads the query as numbers',
    caller: 'anyone',
    params: Type.Object({ id: Type.String() }),
    query: Type.Object({ page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }) }),
    reply: { 200: Type.Object({ id: Type.String(), page: Type.Integer() }) },
    handler: (_ctx, { params, query }) => ({ id: params.id, page: query.page }),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/sample/notes/:id',
    tag: 'Sample',
    summary: 'Takes no body',
    caller: 'anyone',
    reply: { 200: Type.Object({ success: Type.Boolean() }) },
    handler: () => ({ success: true }),
  }),
  defineRoute({
    method: 'GET',
    path: '/sample/broken',
    tag: 'Sample',
    summary: 'Fails by mistake',
    caller: 'anyone',
    reply: { 200: Type.Object({}) },
    handler: () => {
      throw new Error('select * from secrets; password=hunter2')
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/sample/away',
    tag: 'Sample',
    summary: 'Finds the database away',
    caller: 'anyone',
    reply: { 200: Type.Object({}) },
    handler: () => {
      throw Object.assign(new Error('terminating connection'), { code: '57P01' })
    },
  }),
]
