import type { FastifyReply } from 'fastify'
import type { Ctx } from '../../context.ts'
import type { Exchange } from './exchange.ts'

/** The origins that may read the response (CORS): all, or those that clients have registered. Never with cookies. */
export type CrossOrigin = 'everybody' | 'registered'

/** True if an enabled client has registered this origin. Implemented by the applications slice. */
export type IsKnownOrigin = (ctx: Ctx, origin: string) => Promise<boolean>

const PREFLIGHT_SECONDS = '600'

/** Sets the CORS headers if the origin is allowed. */
export async function allowOrigin(
  ctx: Ctx,
  { request, reply }: Exchange,
  { rule, isKnownOrigin }: { rule: CrossOrigin; isKnownOrigin: IsKnownOrigin },
): Promise<void> {
  if (rule === 'everybody') {
    reply.header('Access-Control-Allow-Origin', '*').header('Cross-Origin-Resource-Policy', 'cross-origin')
    return
  }
  reply.header('Vary', 'Origin')
  const { origin } = request.headers
  if (origin === undefined || !(await isKnownOrigin(ctx, origin))) return
  reply
    .header('Access-Control-Allow-Origin', origin)
    .header('Access-Control-Expose-Headers', 'WWW-Authenticate, Retry-After, DPoP-Nonce')
}

export function answerPreflight(reply: FastifyReply, methods: string[]): void {
  if (reply.hasHeader('Access-Control-Allow-Origin')) {
    reply
      .header('Access-Control-Allow-Methods', methods.join(', '))
      .header('Access-Control-Allow-Headers', 'Authorization, Content-Type, DPoP, Latchkey-Language')
      .header('Access-Control-Max-Age', PREFLIGHT_SECONDS)
  }
  reply.code(204).send()
}
