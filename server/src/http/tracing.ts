import type { FastifyInstance } from 'fastify'
import type { Ctx } from '../context.ts'
import { parseTraceParent } from '../lib/trace-parent.ts'
import type { OpenSpan } from '../lib/tracer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span: OpenSpan | undefined
  }
}

/** What is asked every few seconds, of which nobody wants to see traces. */
const UNTRACED = /^\/(?:health\/|metrics$)/

/** One span a request, named by its route. The address, its query and who asks are nothing for a trace. */
export function traceRequests(app: FastifyInstance, { tracer }: Ctx): void {
  if (!tracer.isOn) return
  app.decorateRequest('span', undefined)
  app.addHook('onRequest', (request, _reply, done) => {
    const { method } = request
    const route = request.routeOptions.url ?? 'unmatched'
    if (UNTRACED.test(route)) return done()
    const span = tracer.begin(`${method} ${route}`, {
      kind: 'server',
      facts: { 'http.request.method': method, 'http.route': route, 'latchkey.request_id': request.id },
      parent: parseTraceParent(request.headers.traceparent),
    })
    request.span = span
    request.log = request.log.child({ traceId: span.traceId })
    span.within(done)
  })
  // The body arrives by events of the connection, which know nothing of the request.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.span) request.span.within(done)
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
