import type { Scenario } from './row.ts'

export interface LoadOptions {
  url: string
  /** One per connection. */
  scenarios: Scenario[]
  /** Run at the same time on separate connections. Their responses do not count. */
  background?: Scenario[]
  warmup: Phase
  measurement: Phase
  /** Called when the measurement starts and when it ends. */
  onMeasurement?(event: 'start' | 'end'): void
}

/** Lasts at least `minMs`, and on until there are `minResponses`, but no longer than `maxMs`. */
export interface Phase {
  minMs: number
  minResponses: number
  maxMs: number
}

export interface LoadResult {
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Responses during the measurement. */
  responses: number
  backgroundPerSecond: number
  /** Includes the responses before and after the measurement. */
  totalResponses: number
}

/** A response failed its check, so the row has no valid measurement. */
export class UnexpectedResponseError extends Error {}
