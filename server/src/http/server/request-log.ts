import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import type { Ctx } from '../../context.ts'
import { withoutRedaction } from '../../lib/logger.ts'
import { countRequest } from '../metrics/metrics.ts'
import { clientAddress } from '../request/client-address.ts'

/** A logger with the request id. Created on demand, because few requests log more than their one line. */
export const requestLog = ({ log, id, span }: FastifyRequest): FastifyBaseLogger =>
  log.child({ reqId: id, ...(span && { traceId: span.traceId }) })

/** Writes one log line and updates the metrics for each request. */
export function observeRequests(app: FastifyInstance, ctx: Ctx): void {
  const log = withoutRedaction(ctx.log)
  app.addHook('onResponse', (request, reply, done) => {
    const { id: reqId, method, span, routeOptions } = request
    // The path pattern, because the URL may contain a secret.
    const route = routeOptions.url ?? 'unmatched'
    const { statusCode: status, elapsedTime } = reply
    const ms = Math.round(elapsedTime * 10) / 10
    countRequest(ctx, { method, route, status }, ms / 1000)
    const ip = clientAddress(request)
    const traceId = span?.traceId
    log.info({ reqId, traceId, method, route, status, ms, ip }, 'request')
    done()
  })
}
