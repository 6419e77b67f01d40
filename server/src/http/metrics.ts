import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { shareFor } from '../lib/share-for.ts'
import type { Asset } from './define-route.ts'

interface RequestFigures {
  method: string
  route: string
  status: number
  seconds: number
}

export interface Metrics {
  countRequest(figures: RequestFigures): void
  asset: Asset
}

/** Figures for Prometheus. Each application has its own registry, so that several can live in one process. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'latchkey_http_requests_total',
    help: 'Answered requests by route and status',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'latchkey_http_request_seconds',
    help: 'Time to answer by route',
    labelNames: ['method', 'route'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  })
  return {
    countRequest({ method, route, status, seconds: time }) {
      requests.inc({ method, route, status })
      seconds.observe({ method, route }, time)
    },
    asset: {
      path: '/metrics',
      type: registry.contentType,
      maxAge: 0,
      content: shareFor(1_000, () => registry.metrics()),
    },
  }
}
