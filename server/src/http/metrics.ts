import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { collectDefaultMetrics } from 'prom-client'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { defineCounter, defineTimer } from '../lib/figures.ts'
import { hashSecret } from '../lib/secrets.ts'
import { shareFor } from '../lib/share-for.ts'
import type { Asset } from './define-route.ts'
import { readLevels } from './levels.ts'
import { showAll } from './metrics-of-all.ts'
import { createReader, type Reading } from './readings.ts'

const REQUESTS = defineCounter({
  name: 'latchkey_http_requests_total',
  help: 'Answered requests by route and status',
  labels: { method: 'named', route: 'named', status: 'named' },
})
const REQUEST_TIME = defineTimer({
  name: 'latchkey_http_request_seconds',
  help: 'Time to answer by route',
  labels: { method: 'named', route: 'named' },
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
})

/** By the pattern, not the address: that may hold a secret, and there is no end of them. */
interface Kind {
  method: string
  route: string
  status: number
}

/** Counts requests and their times. There are as many kinds as routes and statuses, and each comes again and again. */
export function createRequestCounter({ figures }: Ctx): (kind: Kind) => (seconds: number) => void {
  const known = new Map<string, (seconds: number) => void>()
  return (kind) => {
    const name = `${kind.method} ${kind.status} ${kind.route}`
    const counter = known.get(name) ?? bind(kind)
    known.set(name, counter)
    return counter
  }

  function bind({ method, route, status }: Kind): (seconds: number) => void {
    const count = figures.bindCounter(REQUESTS, { method, route, status: String(status) })
    const time = figures.bindTimer(REQUEST_TIME, { method, route })
    return (seconds) => {
      count()
      time(seconds)
    }
  }
}

/** The figures, for Prometheus. */
export function metricsAsset(ctx: Ctx, readings: Reading[]): Asset {
  const { registry } = ctx.figures
  collectDefaultMetrics({ register: registry })
  const read = createReader(ctx, readings)
  const own = shareFor(1_000, async () => {
    await read()
    readLevels(ctx)
    return isOpen(ctx) ? showPlainest(ctx) : registry.metrics()
  })
  return {
    path: '/metrics',
    type: registry.contentType,
    maxAge: 0,
    admit: requireToken,
    content: showAll(ctx, own),
  }
}

function requireToken({ config }: Ctx, request: FastifyRequest): void {
  const { metricsToken } = config
  if (metricsToken === undefined) return
  const shown = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  if (timingSafeEqual(hashSecret(shown), hashSecret(metricsToken))) return
  throw new AppError('UNAUTHORIZED', {
    message: 'Send the METRICS_TOKEN of this service as bearer token.',
    headers: { 'WWW-Authenticate': 'Bearer realm="latchkey metrics"' },
  })
}

/** Whether anybody may look, at a service that is meant. */
const isOpen = ({ config }: Ctx): boolean => config.mode === 'serve' && config.metricsToken === undefined

const PLAINEST = /^(?!latchkey_)|^latchkey_(?:http_requests_total$|build_|database_up$)/

/**
 * Whoever watches mail, jobs or statements being counted while they ask for somebody's password to be reset learns
 * whether that person is here, and so does who sees how long the answer took. So without a token only that is shown of which this cannot be said.
 */
async function showPlainest({ figures: { registry } }: Ctx): Promise<string> {
  const names = registry.getMetricsAsArray().map(({ name }) => name)
  const shown = names.filter((name) => PLAINEST.test(name))
  const texts = await Promise.all(shown.map((name) => registry.getSingleMetricAsString(name)))
  return `${texts.join('\n\n')}\n`
}
