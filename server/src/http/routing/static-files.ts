import type { FastifyInstance } from 'fastify'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { sendCachedDocument, sendCompressed } from './cached-document.ts'
import type { StaticFile, StaticFolder } from './define-route.ts'

export function registerFile(app: FastifyInstance, ctx: Ctx, { path, type, maxAge, admit, content }: StaticFile): void {
  app.get(path, async (request, reply) => {
    admit?.(ctx, request)
    reply.type(type)
    if (maxAge > 0) reply.header('Cache-Control', `public, max-age=${maxAge}`)
    const found = await content(ctx)
    if (typeof found === 'string' || Buffer.isBuffer(found)) return found
    return 'etag' in found ? sendCachedDocument({ request, reply }, found) : sendCompressed({ request, reply }, found)
  })
}

/** Blocks scripts and requests if the file is opened directly in a browser tab. */
const FILE_POLICY = "default-src 'none'; sandbox"

/** The content of a name never changes, so found files are cached forever. A 404 is not cached. */
export function registerFolder(app: FastifyInstance, ctx: Ctx, { path, param, find }: StaticFolder): void {
  app.get(path, async (request, reply) => {
    const name = (request.params as Record<string, string>)[param] ?? ''
    const found = await find(ctx, name)
    if (!found) throw new AppError('NOT_FOUND')
    reply
      .type(found.type)
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      .header('Content-Security-Policy', FILE_POLICY)
    const { body, compressed } = found
    return compressed ? sendCompressed({ request, reply }, { body, compressed }) : reply.send(body)
  })
}
