import type { Logger } from 'pino'
import type { Tracing } from '../../config/monitoring.ts'
import type { TraceParent } from './trace-parent.ts'

/**
 * Tracing. Slices use this interface only; the OpenTelemetry library is loaded if a collector is configured. Spans contain
 * no personal data and no secrets: no URL, no name, no error message.
 */

export type Attributes = Record<string, string | number | boolean>

export interface SpanOptions {
  kind?: 'server' | 'client' | 'consumer'
  attributes?: Attributes
}

export interface Span {
  /** Undefined if tracing is disabled. */
  readonly traceId: string | undefined
  add(attributes: Attributes): void
  /** Marks the span as failed, with an error code or a short reason. */
  fail(reason: string): void
}

/** A span that is ended explicitly. */
export interface OpenSpan extends Span {
  /** Runs work with this span as the current one. */
  run<T>(work: () => T): T
  end(): void
}

export interface FinishedSpan {
  name: string
  ms: number
  attributes: Attributes
  failure?: string | undefined
}

export interface Tracer {
  readonly isEnabled: boolean
  /** Runs work in a child of the current span. If the work throws, the span fails with the error code. */
  trace<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>
  begin(name: string, options: SpanOptions & { parent?: TraceParent | undefined }): OpenSpan
  /** Adds a finished child to the current span, if there is one. `describe` is called only if it is recorded. */
  recordFinished(describe: () => FinishedSpan): void
  /** Sends the remaining spans, with a timeout. */
  close(): Promise<void>
}

const noSpan: OpenSpan = {
  traceId: undefined,
  add: () => {},
  fail: () => {},
  run: (work) => work(),
  end: () => {},
}

/** Used if tracing is disabled. */
export const noopTracer: Tracer = {
  isEnabled: false,
  trace: (_name, _options, work) => work(noSpan),
  begin: () => noSpan,
  recordFinished: () => {},
  close: async () => {},
}

/** Loads the OpenTelemetry library only if a collector is configured, because it is large. */
export async function openTracer(tracing: Tracing | undefined, log: Logger): Promise<Tracer> {
  if (!tracing) return noopTracer
  const { connectTracer } = await import('./open-telemetry.ts')
  return connectTracer(tracing, log)
}

const PLAIN_CODE = /^[\w.-]{1,60}$/

/** The code or name of an error. Its message is left out because it may contain personal data. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && PLAIN_CODE.test(code) ? code : error.name
}
