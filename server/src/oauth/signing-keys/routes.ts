import { Type } from 'typebox'
import { toAuditSource } from '../../audit/record.ts'
import { AppError } from '../../errors.ts'
import { defineRoute } from '../../http/routing/define-route.ts'
import { describePage, toRange } from '../../http/routing/pagination.ts'
import { KeyQuery, RotateKeyRequest, SigningKeyBody, SigningKeyPage } from './schema.ts'
import { listKeys, rotateKeys } from './service.ts'

const common = { tag: 'Administration', caller: 'administrator' } as const

type SigningKeyInfo = Awaited<ReturnType<typeof listKeys>>[number]

const toBody = ({ createdAt, activatesAt, retiresAt, ...key }: SigningKeyInfo): SigningKeyBody => ({
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
    operationId: 'listSigningKeys',
    summary: 'Lists the keys that sign tokens, the newest first',
    query: KeyQuery,
    reply: { 200: SigningKeyPage },
    async handler(ctx, { query }) {
      const keys = await listKeys(ctx)
      const { offset, limit } = toRange(query)
      return {
        keys: keys.slice(offset, offset + limit).map(toBody),
        pagination: describePage(query, keys.length),
      }
    },
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: '/api/admin/keys/rotate',
    operationId: 'rotateSigningKey',
    summary: 'Makes the next key; one that waits for its turn, or was made just now, is answered with 200',
    body: Type.Optional(RotateKeyRequest),
    reply: { 200: SigningKeyBody, 201: SigningKeyBody },
    idempotent: true,
    async handler(ctx, { body, caller, request, reply }) {
      const { kid, isNew } = await rotateKeys(ctx, body, toAuditSource(caller, request))
      const keys = await listKeys(ctx)
      const rotated = keys.find((key) => key.kid === kid)
      // A concurrent replacement may have withdrawn it; then the newest key is returned.
      const newest = rotated ?? keys[0]
      if (!newest) throw new AppError('UNAVAILABLE')
      reply.code(rotated && isNew ? 201 : 200)
      return toBody(newest)
    },
  }),
]
