import type { Logger } from 'pino'
import type { Tracing } from '../config/monitoring.ts'
import type { TraceParent } from './trace-parent.ts'

/**
 * What took how long, and what was part of what. Slices know these words only; the library that carries spans away is
 * loaded where somebody wants them. A span holds what a stranger may read: no address, no name, no secret, no message.
 */

export type Facts = Record<string, string | number | boolean>

export interface SpanOptions {
  /** Whether we were asked, asked somebody else, or took work off a queue. */
  kind?: 'server' | 'client' | 'consumer'
  facts?: Facts
}

/** A span under way. */
export interface Span {
  /** Undefined where nothing is traced. */
  readonly traceId: string | undefined
  add(facts: Facts): void
  /** It did not go well, for a reason of few words. */
  fail(reason: string): void
}

/** A span that ends elsewhere than where it began. */
export interface OpenSpan extends Span {
  /** Whatever is begun in here is part of it. */
  within<T>(work: () => T): T
  end(): void
}

/** Something that is over. */
export interface Past {
  ms: number
  facts: Facts
  failure?: string | undefined
}

export interface Tracer {
  readonly isOn: boolean
  /** Does work in a span, below the one under way. An error ends it as failed, and is told by its code alone. */
  trace<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>
  begin(name: string, options: SpanOptions & { parent?: TraceParent | undefined }): OpenSpan
  /** Adds something past to the span under way; alone it is not worth one. `tell` is called where it is kept. */
  note(tell: () => Past & { name: string }): void
  /** Sends what is left, for as long as a stop may take. */
  close(): Promise<void>
}

const noSpan: OpenSpan = {
  traceId: undefined,
  add: () => {},
  fail: () => {},
  within: (work) => work(),
  end: () => {},
}

/** Where nobody wants traces. */
export const silentTracer: Tracer = {
  isOn: false,
  trace: (_name, _options, work) => work(noSpan),
  begin: () => noSpan,
  note: () => {},
  close: async () => {},
}

/** The library is large, and most instances do without: it is loaded by those who named a collector. */
export async function openTracer(tracing: Tracing | undefined, log: Logger): Promise<Tracer> {
  if (!tracing) return silentTracer
  const { connectTracer } = await import('./open-telemetry.ts')
  return connectTracer(tracing, log)
}

const PLAIN = /^[\w.-]{1,60}$/

/** What an error is called. What it says may hold anything, a person's address for one. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && PLAIN.test(code) ? code : error.name
}
