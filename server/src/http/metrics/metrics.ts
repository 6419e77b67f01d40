import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { collectDefaultMetrics, type Metric, Registry } from 'prom-client'
import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { defineCounter, defineHistogram } from '../../lib/metrics/metrics.ts'
import { hashSecret } from '../../lib/secrets.ts'
import type { StaticFile } from '../routing/define-route.ts'
import { type Collector, createCollectors } from './collectors.ts'
import { createMetricsText } from './metrics-text.ts'
import { updateProcessGauges } from './process-gauges.ts'

const REQUESTS = defineCounter({
  name: 'latchkey_http_requests_total',
  help: 'Answered requests by route and status',
  labels: { method: 'named', route: 'named', status: 'named' },
})
const REQUEST_SECONDS = defineHistogram({
  name: 'latchkey_http_request_seconds',
  help: 'Time to answer by route',
  labels: { method: 'named', route: 'named' },
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
})

interface RequestLabels {
  method: string
  /** The path pattern. The URL itself may contain a secret and would make the labels unbounded. */
  route: string
  status: number
}

export function countRequest({ metrics }: Ctx, { method, route, status }: RequestLabels, seconds: number): void {
  metrics.count(REQUESTS, { method, route, status: String(status) })
  metrics.observe(REQUEST_SECONDS, { method, route }, seconds)
}

export function metricsFile(ctx: Ctx, collectors: Collector[]): StaticFile {
  const { registry } = ctx.metrics
  collectDefaultMetrics({ register: registry })
  const read = createCollectors(ctx, collectors)
  const refresh = async () => {
    await read()
    updateProcessGauges(ctx)
    return filterRegistry(ctx)
  }
  return {
    path: '/metrics',
    type: registry.contentType,
    maxAge: 0,
    admit: requireToken,
    content: createMetricsText(ctx, refresh),
  }
}

function requireToken({ config }: Ctx, request: FastifyRequest): void {
  const { metricsToken } = config
  if (metricsToken === undefined) return
  const token = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  if (timingSafeEqual(hashSecret(token), hashSecret(metricsToken))) return
  throw new AppError('UNAUTHORIZED', {
    message: 'Send the METRICS_TOKEN of this service as bearer token.',
    headers: { 'WWW-Authenticate': 'Bearer realm="latchkey metrics"' },
  })
}

/** True if anybody may read the metrics of a production service. */
const isPublic = ({ config }: Ctx): boolean => config.mode === 'serve' && config.metricsToken === undefined

const PUBLIC_METRICS = /^(?!latchkey_)|^latchkey_(?:http_requests_total$|build_|database_up$)/

/**
 * Without a token, /metrics contains only the public metrics. Counters of mail, jobs or statements, and request
 * durations, would reveal whether an account exists: request a password reset for it and compare.
 */
function filterRegistry(ctx: Ctx): Registry {
  const { registry } = ctx.metrics
  if (!isPublic(ctx)) return registry
  const publicRegistry = new Registry()
  const metrics = registry.getMetricsAsArray() as unknown as Metric[]
  for (const metric of metrics) if (PUBLIC_METRICS.test(nameOf(metric))) publicRegistry.registerMetric(metric)
  return publicRegistry
}

/** The type in prom-client lacks the name. */
const nameOf = (metric: Metric): string => (metric as unknown as { name: string }).name
