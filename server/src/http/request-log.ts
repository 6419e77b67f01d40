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

/** What the same question, asked again from the same place, has in common with the first. */
interface Kind {
  method: string
  /** The pattern: the address itself may hold a secret. */
  route: string
  status: number
  address: string
}

/** Notes that a request was answered. */
export type Observe = (id: string, ms: number, traceId?: string) => void

/** One line and one measurement a request. Of those of a kind most is the same, which is made once. */
export function createRequestObserver(ctx: Ctx): (kind: Kind) => Observe {
  const writeLine = createLineWriter(ctx.log)
  const counterOf = createRequestCounter(ctx)
  return ({ method, route, status, address }) => {
    const count = counterOf({ method, route, status })
    const kind = `"method":"${method}","route":"${route}","status":${status},"ms":`
    const end = `,"ip":"${address}"`
    return (id, ms, traceId) => {
      const rounded = Math.round(ms * 10) / 10
      count(rounded / 1000)
      const trace = traceId === undefined ? '' : `"traceId":"${traceId}",`
      writeLine(`"reqId":"${id}",${trace}${kind}${rounded}${end}`, 'request')
    }
  }
}

export function observeRequests(app: FastifyInstance, ctx: Ctx): void {
  const observerOf = createRequestObserver(ctx)
  app.addHook('onResponse', (request, reply, done) => {
    const { id, method, span, routeOptions } = request
    const { statusCode: status, elapsedTime: ms } = reply
    const route = routeOptions.url ?? 'unmatched'
    observerOf({ method, route, status, address: clientAddress(request) })(id, ms, span?.traceId)
    done()
  })
}
