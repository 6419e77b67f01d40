/** The caller's span, which becomes the parent. */
export interface TraceParent {
  traceId: string
  spanId: string
  sampled: boolean
}

/** Later versions may append fields, which are ignored (W3C Trace Context §3.2.4). */
const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Parses the `traceparent` header; undefined if it is invalid. */
export function parseTraceParent(header: unknown): TraceParent | undefined {
  const match = typeof header === 'string' && header.length <= 200 ? FORM.exec(header) : null
  const [, version, traceId, spanId, flags, more] = match ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (version === '00' && more !== undefined) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
