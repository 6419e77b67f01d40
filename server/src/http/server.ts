import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { newRequestId } from '../lib/ids.ts'
import { refuseBrokenAddresses } from './address.ts'
import { acceptBodies, BODY_LIMIT } from './bodies.ts'
import { refuseBrokenConnection } from './client-error.ts'
import { sendError } from './errors.ts'
import { createResponse } from './headers.ts'
import { limitPipelining } from './pipelining.ts'
import type { Repetition } from './repetition.ts'
import { newRequestLog, observeRequests } from './request-log.ts'
import { traceRequests } from './tracing.ts'
import { installValidation } from './validation.ts'

/** Times in which a client must make progress, so that slow ones cannot hold us. */
const HEADERS_TIMEOUT_MS = 15_000
const REQUEST_TIMEOUT_MS = 30_000
/** Nothing read or written for so long: the client is gone, does not want its answer, or has nothing more to ask. */
const SILENCE_MS = 60_000

/** The HTTP server before any route: limits, headers, bodies, errors, one log line a request. */
export function createServer(ctx: Ctx, repetition: Repetition): FastifyInstance {
  const { config } = ctx
  const app = fastify({
    loggerInstance: ctx.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: newRequestLog,
    genReqId(request: IncomingMessage) {
      request.requestId = newRequestId()
      return request.requestId
    },
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT,
    serverFactory: (handle) =>
      listenTo(ctx, (request, response) =>
        repetition.answer(request, response, () => handle(request, response)),
      ),
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    // Long enough that an absurd id reaches its route, which answers as for any unknown one.
    routerOptions: { maxParamLength: 16_384 },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: sendError,
    clientErrorHandler: refuseBrokenConnection,
  })
  app.decorateRequest('caller', undefined)
  app.decorateRequest('grounds', undefined)
  traceRequests(app, ctx)
  limitPipelining(app)
  refuseBrokenAddresses(app)
  acceptBodies(app)
  installValidation(app)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply))
  app.setNotFoundHandler(() => {
    throw new AppError('NOT_FOUND')
  })
  observeRequests(app, ctx)
  return app
}

function listenTo(ctx: Ctx, handle: RequestListener) {
  const server = createHttpServer(
    {
      ServerResponse: createResponse(ctx),
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      // Between requests the same silence ends a connection as within one: to change from one time to another and
      // back takes Node two new timers a request.
      keepAliveTimeout: 0,
      connectionsCheckingInterval: 5_000,
    },
    handle,
  )
  server.setTimeout(SILENCE_MS)
  return server
}
