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
import type { Tracing } from '../config/monitoring.ts'
import type { TraceParent } from './trace-parent.ts'
import { type OpenSpan, reasonOf, type SpanOptions, type Tracer } from './tracer.ts'
import { VERSION } from './version.ts'

/** How long a batch may take to be taken, tries included. */
const EXPORT_MS = 3_000
/** How long a stop waits for the last of them. */
const LAST_MS = 1_000
/** What waits for the collector. Beyond that spans are dropped: nobody waits for them, and memory has an end. */
const QUEUE = { maxQueueSize: 2_048, maxExportBatchSize: 512, scheduledDelayMillis: 1_000 }
const LONGEST_VALUE = 2_000

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER }

/**
 * Spans for a collector that speaks OTLP over HTTP. Nothing of the library's is set for the whole process: several
 * services may live in one, each with its own.
 */
export function connectTracer(tracing: Tracing, log: Logger): Tracer {
  const provider = createProvider(tracing, log)
  const tracer = provider.getTracer('latchkey', VERSION)
  const current = new AsyncLocalStorage<Context>()
  const begin: Tracer['begin'] = (name, { kind, facts = {}, parent }: SpanOptions & Parent) => {
    const above = parent ? contextOf(parent) : (current.getStore() ?? ROOT_CONTEXT)
    const span = tracer.startSpan(
      name,
      { kind: kind ? KINDS[kind] : SpanKind.INTERNAL, attributes: facts },
      above,
    )
    return toOpenSpan(span, (work) => current.run(trace.setSpan(above, span), work))
  }
  return {
    isOn: true,
    begin,
    async trace(name, options, work) {
      const span = begin(name, options)
      try {
        return await span.within(() => work(span))
      } catch (error) {
        span.fail(reasonOf(error))
        throw error
      } finally {
        span.end()
      }
    },
    note(tell) {
      const above = current.getStore()
      if (!above || !trace.getSpan(above)?.isRecording()) return
      const { name, ms, facts, failure } = tell()
      const now = Date.now()
      const options = { kind: SpanKind.CLIENT, attributes: facts, startTime: now - ms }
      const span = tracer.startSpan(name, options, above)
      if (failure !== undefined) failWith(span, failure)
      span.end(now)
    },
    async close() {
      const last = provider.shutdown().catch(() => {})
      await Promise.race([last, sleep(LAST_MS, undefined, { ref: false })])
    },
  }
}

interface Parent {
  parent?: TraceParent | undefined
}

const contextOf = ({ traceId, spanId, sampled }: TraceParent): Context =>
  trace.setSpanContext(ROOT_CONTEXT, {
    ...{ traceId, spanId, isRemote: true },
    traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  })

const toOpenSpan = (span: OtelSpan, within: OpenSpan['within']): OpenSpan => ({
  traceId: span.spanContext().traceId,
  add: (facts) => void span.setAttributes(facts),
  fail: (reason) => failWith(span, reason),
  within,
  end: () => span.end(),
})

function failWith(span: OtelSpan, reason: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  span.setAttribute('error.type', reason)
}

function createProvider({ endpoint, headers, serviceName, ratio }: Tracing, log: Logger) {
  const exporter = new OTLPTraceExporter({
    ...{ url: endpoint, headers: { ...headers }, timeoutMillis: EXPORT_MS, concurrencyLimit: 2 },
  })
  return new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'service.version': VERSION,
      'service.instance.id': randomUUID(),
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanLimits: { attributeValueLengthLimit: LONGEST_VALUE },
    spanProcessors: [new BatchSpanProcessor(telling(exporter, log), QUEUE)],
  })
}

/** One line when the collector is lost and one when it is back, however long that takes. */
function telling(exporter: OTLPTraceExporter, log: Logger): SpanExporter {
  let troubled = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined
        if (failed && !troubled) log.warn({ reason: reasonOf(result.error) }, 'traces cannot be sent')
        if (!failed && troubled) log.info('traces are sent again')
        troubled = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  }
}
