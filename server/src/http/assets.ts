import type { FastifyInstance } from 'fastify'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Asset, Shelf } from './define-route.ts'

export function registerAsset(app: FastifyInstance, ctx: Ctx, asset: Asset): void {
  const { path, type, maxAge, admit, content, compressed } = asset
  const keeping = `public, max-age=${maxAge}${compressed ? ', immutable' : ''}`
  app.get(path, async (request, reply) => {
    admit?.(ctx, request)
    reply.type(type)
    if (maxAge > 0) reply.header('Cache-Control', keeping)
    if (!compressed) return content(ctx)
    reply.header('Vary', 'Accept-Encoding')
    if (!/\bbr\b/.test(request.headers['accept-encoding'] ?? '')) return content(ctx)
    return reply.header('Content-Encoding', 'br').send(compressed())
  })
}

/** Nothing in it may run or load, also for whoever opens it as a page of its own. */
const SHELF_POLICY = "default-src 'none'; sandbox"

/** A name stands for one content for ever, so a copy is good for ever too. What is not there may yet be. */
export function registerShelf(app: FastifyInstance, ctx: Ctx, { path, param, find }: Shelf): void {
  app.get(path, async (request, reply) => {
    const name = (request.params as Record<string, string>)[param] ?? ''
    const found = await find(ctx, name)
    if (!found) throw new AppError('NOT_FOUND')
    return reply
      .type(found.type)
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      .header('Content-Security-Policy', SHELF_POLICY)
      .send(found.body)
  })
}
