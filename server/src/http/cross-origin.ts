import type { FastifyReply } from 'fastify'
import type { Ctx } from '../context.ts'
import { type Eventual, whenThere } from '../lib/eventual.ts'
import type { Exchange } from './exchange.ts'

/**
 * Who may read an answer from a page of another origin: everybody, or the origins that clients have registered.
 * Cookies never count there.
 */
export type CrossOrigin = 'everybody' | 'registered'

/** Whether some enabled client names this origin. The slice that knows the clients brings it. */
export type KnowsOrigin = (ctx: Ctx, origin: string) => Eventual<boolean>

const PREFLIGHT_SECONDS = '600'

/** Sets the headers that let a page read the answer, or none. */
export function allowOrigin(
  ctx: Ctx,
  { request, reply }: Exchange,
  { rule, knowsOrigin }: { rule: CrossOrigin; knowsOrigin: KnowsOrigin },
): Eventual<void> {
  if (rule === 'everybody') {
    reply.header('Access-Control-Allow-Origin', '*').header('Cross-Origin-Resource-Policy', 'cross-origin')
    return
  }
  reply.header('Vary', 'Origin')
  const { origin } = request.headers
  if (origin === undefined) return
  return whenThere(knowsOrigin(ctx, origin), (known) => {
    if (!known) return
    reply
      .header('Access-Control-Allow-Origin', origin)
      .header('Access-Control-Expose-Headers', 'WWW-Authenticate, Retry-After')
  })
}

/** What a browser asks before it sends the request itself. */
export function answerPreflight(reply: FastifyReply, methods: string[]): void {
  if (reply.hasHeader('Access-Control-Allow-Origin')) {
    reply
      .header('Access-Control-Allow-Methods', methods.join(', '))
      .header('Access-Control-Allow-Headers', 'Authorization, Content-Type')
      .header('Access-Control-Max-Age', PREFLIGHT_SECONDS)
  }
  reply.code(204).send()
}
