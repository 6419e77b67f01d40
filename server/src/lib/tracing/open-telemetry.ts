import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node'
import type { Logger } from 'pino'
import type { Tracing } from '../../config/monitoring.ts'
import { VERSION } from '../version.ts'
import type { TraceParent } from './trace-parent.ts'
import { type OpenSpan, reasonOf, type SpanOptions, type Tracer } from './tracer.ts'

/** The timeout for one batch, including retries. */
const EXPORT_TIMEOUT_MS = 3_000
/** How long `close` waits for the last batch. */
const SHUTDOWN_TIMEOUT_MS = 1_000
/** If the queue is full, further spans are dropped. */
const QUEUE = { maxQueueSize: 2_048, maxExportBatchSize: 512, scheduledDelayMillis: 1_000 }
const MAX_ATTRIBUTE_LENGTH = 2_000

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER }

/**
 * Sends spans to a collector with OTLP over HTTP. Does not use the global OpenTelemetry state, because one process may
 * run several services.
 */
export function connectTracer(tracing: Tracing, log: Logger): Tracer {
  const provider = createProvider(tracing, log)
  const tracer = provider.getTracer('latchkey', VERSION)
  const current = new AsyncLocalStorage<Context>()
  const begin: Tracer['begin'] = (name, { parent, ...options }: SpanOptions & Parent) => {
    const context = parent ? toContext(parent) : (current.getStore() ?? ROOT_CONTEXT)
    const span = tracer.startSpan(
      name,
      {
        kind: options.kind ? KINDS[options.kind] : SpanKind.INTERNAL,
        attributes: options.attributes ?? {},
      },
      context,
    )
    return toOpenSpan(span, (work) => current.run(trace.setSpan(context, span), work))
  }
  return {
    isEnabled: true,
    begin,
    async trace(name, options, work) {
      const span = begin(name, options)
      try {
        return await span.run(() => work(span))
      } catch (error) {
        span.fail(reasonOf(error))
        throw error
      } finally {
        span.end()
      }
    },
    recordFinished(describe) {
      const context = current.getStore()
      if (!context || !trace.getSpan(context)?.isRecording()) return
      const { name, ms, attributes, failure } = describe()
      const now = Date.now()
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, startTime: now - ms }, context)
      if (failure !== undefined) setFailed(span, failure)
      span.end(now)
    },
    async close() {
      const shutdown = provider.shutdown().catch(() => {})
      await Promise.race([shutdown, sleep(SHUTDOWN_TIMEOUT_MS, undefined, { ref: false })])
    },
  }
}

interface Parent {
  parent?: TraceParent | undefined
}

const toContext = ({ traceId, spanId, sampled }: TraceParent): Context =>
  trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    isRemote: true,
    traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  })

const toOpenSpan = (span: OtelSpan, run: OpenSpan['run']): OpenSpan => ({
  traceId: span.spanContext().traceId,
  add: (attributes) => void span.setAttributes(attributes),
  fail: (reason) => setFailed(span, reason),
  run,
  end: () => span.end(),
})

function setFailed(span: OtelSpan, reason: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', reason)
}

function createProvider({ endpoint, headers, serviceName, ratio }: Tracing, log: Logger) {
  const exporter = new OTLPTraceExporter({
    url: endpoint,
    headers: { ...headers },
    timeoutMillis: EXPORT_TIMEOUT_MS,
    concurrencyLimit: 2,
  })
  return new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'service.version': VERSION,
      'service.instance.id': randomUUID(),
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
    spanProcessors: [new BatchSpanProcessor(withLogging(exporter, log), QUEUE)],
  })
}

/** Logs one line when exports begin to fail, and one when they work again. */
function withLogging(exporter: OTLPTraceExporter, log: Logger): SpanExporter {
  let isFailing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined
        if (failed && !isFailing) log.warn({ reason: reasonOf(result.error) }, 'traces cannot be sent')
        if (!failed && isFailing) log.info('traces are sent again')
        isFailing = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  }
}
