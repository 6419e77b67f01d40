/** The span of a caller, of which ours becomes a part. */
export interface TraceParent {
  traceId: string
  spanId: string
  sampled: boolean
}

/** Later versions may add parts at the end, which are nothing to us (W3C Trace Context §3.2.4). */
const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Reads the header `traceparent`; undefined for anything that is none. */
export function parseTraceParent(header: unknown): TraceParent | undefined {
  const match = typeof header === 'string' && header.length <= 200 ? FORM.exec(header) : null
  const [, version, traceId, spanId, flags, more] = match ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (version === '00' && more !== undefined) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
