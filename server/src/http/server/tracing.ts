import type { FastifyInstance } from 'fastify'
import type { Ctx } from '../../context.ts'
import { parseTraceParent } from '../../lib/tracing/trace-parent.ts'
import type { OpenSpan } from '../../lib/tracing/tracer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span: OpenSpan | undefined
  }
}

/** Polled every few seconds, so traces would be noise. */
const UNTRACED = /^\/(?:health\/|metrics$)/

/** One span per request, named by its route. The URL and the caller are left out because they are personal data. */
export function traceRequests(app: FastifyInstance, { tracer }: Ctx): void {
  if (!tracer.isEnabled) return
  app.decorateRequest('span', undefined)
  app.addHook('onRequest', (request, _reply, done) => {
    const { method } = request
    const route = request.routeOptions.url ?? 'unmatched'
    if (UNTRACED.test(route)) return done()
    const span = tracer.begin(`${method} ${route}`, {
      kind: 'server',
      attributes: { 'http.request.method': method, 'http.route': route, 'latchkey.request_id': request.id },
      parent: parseTraceParent(request.headers.traceparent),
    })
    request.span = span
    span.run(done)
  })
  // The async context is lost while the body arrives through socket events, so it is restored here.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.span) request.span.run(done)
    else done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply
    request.span?.add({ 'http.response.status_code': statusCode })
    if (statusCode >= 500) request.span?.fail(String(statusCode))
    request.span?.end()
    done()
  })
}
