import { Type } from 'typebox'
import { toAuditSource } from '../../audit/record.ts'
import { AppError } from '../../errors.ts'
import { defineRoute } from '../../http/routing/define-route.ts'
import { describePage, toRange } from '../../http/routing/pagination.ts'
import type { Rotation, SigningKeyInfo } from '../../keys/signing-keys.ts'
import { KeyQuery, RotatedKeys, RotateKeyRequest, type SigningKeyBody, SigningKeyPage } from './schema.ts'
import { listKeys, rotateKeys } from './service.ts'

const common = { tag: 'Administration', caller: 'administrator' } as const

const toBody = ({ algorithm, createdAt, activatesAt, retiresAt, ...key }: SigningKeyInfo): SigningKeyBody => ({
  ...key,
  alg: algorithm,
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
    summary:
      'Makes the next key of each algorithm in use; keys that wait for their turn, or were made just now, are answered with 200',
    body: Type.Optional(RotateKeyRequest),
    reply: { 200: RotatedKeys, 201: RotatedKeys },
    idempotent: true,
    async handler(ctx, { body, caller, request, reply }) {
      const rotations = await rotateKeys(ctx, body, toAuditSource(caller, request))
      const [first, ...others] = findRotated(rotations, await listKeys(ctx))
      if (!first) throw new AppError('UNAVAILABLE')
      reply.code([first, ...others].some(({ isNew }) => isNew) ? 201 : 200)
      return { ...toBody(first.key), ...(others.length > 0 && { others: others.map(({ key }) => toBody(key)) }) }
    },
  }),
]

/** A concurrent replacement may have withdrawn a key. Then the newest one of its algorithm is returned. */
const findRotated = (rotations: Rotation[], keys: SigningKeyInfo[]): { key: SigningKeyInfo; isNew: boolean }[] =>
  rotations.flatMap(({ kid, algorithm, isNew }) => {
    const rotated = keys.find((key) => key.kid === kid)
    const key = rotated ?? keys.find((candidate) => candidate.algorithm === algorithm)
    return key ? [{ key, isNew: rotated !== undefined && isNew }] : []
  })
