import type { FastifyInstance } from 'fastify'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Asset, Shelf } from './define-route.ts'

export function registerAsset(
  app: FastifyInstance,
  ctx: Ctx,
  { path, type, maxAge, admit, content }: Asset,
): void {
  app.get(path, async (request, reply) => {
    admit?.(ctx, request)
    reply.type(type)
    if (maxAge > 0) reply.header('Cache-Control', `public, max-age=${maxAge}`)
    return content(ctx)
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
    reply
      .type(found.type)
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      .header('Content-Security-Policy', SHELF_POLICY)
    if (!found.compressed) return reply.send(found.body)
    reply.header('Vary', 'Accept-Encoding')
    const isRead = /\bbr\b/.test(request.headers['accept-encoding'] ?? '')
    return isRead ? reply.header('Content-Encoding', 'br').send(found.compressed) : reply.send(found.body)
  })
}
