/** The target is unreachable or refuses a batch. The message contains no secrets. */
export class TargetError extends Error {
  override readonly name = 'TargetError'
  /** How long the target asked to wait. */
  readonly retryAfterMs: number | undefined
  constructor(message: string, { retryAfterMs, cause }: { retryAfterMs?: number | undefined; cause?: unknown } = {}) {
    super(message, { cause })
    this.retryAfterMs = retryAfterMs
  }
}

/** The time limit for sending one batch. */
export const SEND_TIMEOUT_MS = 30_000

/** Describes why a connection failed. */
export function toConnectionError(error: unknown, timeout: AbortSignal): TargetError {
  if (timeout.aborted) return new TargetError(`no answer within ${SEND_TIMEOUT_MS / 1_000} seconds`)
  const { code, message = '' } = error as { code?: string; message?: string }
  return new TargetError(`no connection: ${code ?? message}`, { cause: error })
}
