import type { Batch } from '../event.ts'

/** The limits of one batch. The size is that of the details and personal data; a document is some 500 bytes larger. */
export interface BatchLimits {
  maxEvents: number
  maxBytes: number
}

/** Events that the target has received and dropped. Sending them again would not help. */
export interface Rejection {
  count: number
  reason: string
}

/** A system that receives the audit log. */
export interface Target {
  limits: BatchLimits
  /** Resolves when the target has confirmed the batch. Throws a `TargetError` otherwise. */
  send(batch: Batch, abort: AbortSignal): Promise<Rejection | undefined>
  /** Throws a `TargetError` if the target cannot be used. */
  check(abort: AbortSignal): Promise<void>
}

/** The instance whose events are sent. */
export interface Instance {
  baseUrl: string
  now(): Date
}
