import { Type } from 'typebox'
import { sourceOf } from '../../audit/record.ts'
import { AppError } from '../../errors.ts'
import { defineRoute } from '../../http/define-route.ts'
import { describePage, toRange } from '../../http/pagination.ts'
import { KeyQuery, RotationRequest, SigningKeyBody, SigningKeyPage } from './schema.ts'
import { listKeys, rotateKeys } from './service.ts'

const common = { tag: 'Administration', caller: 'administrator' } as const

type DescribedKey = Awaited<ReturnType<typeof listKeys>>[number]

const show = ({ createdAt, activatesAt, retiresAt, ...key }: DescribedKey): SigningKeyBody => ({
  ...key,
  alg: 'RS256',
  createdAt: createdAt.toISOString(),
  activatesAt: activatesAt.toISOString(),
  retiresAt: retiresAt?.toISOString() ?? null,
})

export const signingKeyRoutes = [
  defineRoute({
    ...common,
    method: 'GET',
    path: '/api/admin/keys',
    summary: 'Lists the keys that sign tokens, the newest first',
    query: KeyQuery,
    reply: { 200: SigningKeyPage },
    async handler(ctx, { query }) {
      const keys = await listKeys(ctx)
      const { offset, limit } = toRange(query)
      return {
        keys: keys.slice(offset, offset + limit).map(show),
        pagination: describePage(query, keys.length),
      }
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/admin/keys/rotate',
    summary: 'Makes the next key; one that waits for its turn, or was made just now, is answered with 200',
    body: Type.Optional(RotationRequest),
    reply: { 200: SigningKeyBody, 201: SigningKeyBody },
    idempotent: true,
    async handler(ctx, { body, caller, request, reply }) {
      const { kid, isNew } = await rotateKeys(ctx, body, sourceOf(caller, request))
      const keys = await listKeys(ctx)
      const made = keys.find((key) => key.kid === kid)
      // Somebody else may have withdrawn it at once: then theirs is the one that counts.
      const newest = made ?? keys[0]
      if (!newest) throw new AppError('UNAVAILABLE')
      reply.code(made && isNew ? 201 : 200)
      return show(newest)
    },
  }),
]
