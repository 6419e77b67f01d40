import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Ctx } from '../context.ts'
import { createLineWriter } from '../lib/logger.ts'
import { clientAddress } from './client-address.ts'
import { createRequestCounter } from './metrics.ts'

type Bindings = Record<string, unknown>
type Line = [object, string?]

/**
 * The log of one request, whose lines name it. Few requests have anything to say there, and making a logger takes
 * longer than routing one of them, so it is made for the first line.
 */
class RequestLog {
  readonly parent: FastifyBaseLogger
  readonly bindings: Bindings
  made: FastifyBaseLogger | undefined

  constructor(parent: FastifyBaseLogger, bindings: Bindings) {
    this.parent = parent
    this.bindings = bindings
    this.made = undefined
  }

  get log(): FastifyBaseLogger {
    this.made ??= this.parent.child(this.bindings)
    return this.made
  }

  get level(): string {
    return this.parent.level
  }

  child(bindings: Bindings): FastifyBaseLogger {
    return toLogger(new RequestLog(this.parent, { ...this.bindings, ...bindings }))
  }

  trace(...line: Line): void {
    this.log.trace(...line)
  }

  debug(...line: Line): void {
    this.log.debug(...line)
  }

  info(...line: Line): void {
    this.log.info(...line)
  }

  warn(...line: Line): void {
    this.log.warn(...line)
  }

  error(...line: Line): void {
    this.log.error(...line)
  }

  fatal(...line: Line): void {
    this.log.fatal(...line)
  }

  silent(): void {}
}

/** It passes on whatever a logger is told, in all the ways that one may be. */
const toLogger = (log: RequestLog) => log as unknown as FastifyBaseLogger

export const newRequestLog = (parent: FastifyBaseLogger, bindings: Bindings): FastifyBaseLogger =>
  toLogger(new RequestLog(parent, bindings))

/** A request that was answered. */
interface Answered {
  id: string
  method: string
  /** The pattern: the address itself may hold a secret. */
  route: string
  status: number
  ms: number
  address: string
  traceId: string | undefined
}

/** One line and one measurement a request. */
export function createRequestObserver(ctx: Ctx): (answered: Answered) => void {
  const writeLine = createLineWriter(ctx.log)
  const count = createRequestCounter(ctx)
  return ({ id, method, route, status, ms, address, traceId }) => {
    const rounded = Math.round(ms * 10) / 10
    count({ method, route, status }, rounded / 1000)
    const trace = traceId === undefined ? '' : `"traceId":"${traceId}",`
    const asked = `"reqId":"${id}",${trace}"method":"${method}","route":"${route}"`
    writeLine(`${asked},"status":${status},"ms":${rounded},"ip":"${address}"`, 'request')
  }
}

export function observeRequests(app: FastifyInstance, ctx: Ctx): void {
  const observe = createRequestObserver(ctx)
  app.addHook('onResponse', (request, reply, done) => {
    const { id, method, span, routeOptions } = request
    const { statusCode: status, elapsedTime: ms } = reply
    const route = routeOptions.url ?? 'unmatched'
    observe({ id, method, route, status, ms, address: clientAddress(request), traceId: span?.traceId })
    done()
  })
}
