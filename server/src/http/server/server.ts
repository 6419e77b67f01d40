import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Ctx } from '../../context.ts'
import { newRequestId } from '../../lib/ids.ts'
import { handleClientError } from '../errors/client-error.ts'
import { sendNotFound } from '../errors/error-page.ts'
import { sendError } from '../errors/errors.ts'
import { limitPipelining } from '../limits/pipelining.ts'
import { BODY_LIMIT, registerBodyParser } from '../request/bodies.ts'
import { rejectInvalidUrls } from '../request/url.ts'
import { installValidation } from '../routing/validation.ts'
import { sendRoutingError, setDefaultHeaders } from './headers.ts'
import { inRequestLanguage, setLanguage } from './language.ts'
import { observeRequests } from './request-log.ts'
import { traceRequests } from './tracing.ts'

/** Timeouts against slow clients. */
const HEADERS_TIMEOUT_MS = 15_000
const REQUEST_TIMEOUT_MS = 30_000
const IDLE_TIMEOUT_MS = 60_000
/** Longer than the idle timeout of proxies (nginx and HAProxy: 60 s), so that the proxy closes the connection first. */
const KEEP_ALIVE_MS = 75_000

/** The HTTP server without routes: limits, headers, bodies, errors and request logging. */
export function createServer(ctx: Ctx): FastifyInstance {
  const { config } = ctx
  const app = fastify({
    loggerInstance: ctx.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: (log) => log,
    genReqId: newRequestId,
    requestIdHeader: false,
    bodyLimit: BODY_LIMIT,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: IDLE_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: 5_000 },
    trustProxy: config.trustedProxies.length > 0 ? [...config.trustedProxies] : false,
    // Long enough that an overlong id reaches its route, which answers it like any unknown id.
    routerOptions: { maxParamLength: 16_384 },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: sendRoutingError(ctx),
    clientErrorHandler: handleClientError,
  })
  app.decorateRequest('caller', undefined)
  setDefaultHeaders(app, ctx)
  traceRequests(app, ctx)
  setLanguage(app)
  limitPipelining(app)
  rejectInvalidUrls(app)
  registerBodyParser(app)
  installValidation(app)
  app.setErrorHandler((error, request, reply) => inRequestLanguage(request, () => sendError(error, request, reply)))
  app.setNotFoundHandler(sendNotFound(ctx))
  observeRequests(app, ctx)
  return app
}
