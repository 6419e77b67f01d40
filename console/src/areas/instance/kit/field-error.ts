import { LatchkeyError } from '@latchkey/client/error'

/** Converts an error with the given code to a field error. */
export function toFieldError(code: string, field: string, describe?: (error: LatchkeyError) => string) {
  return (error: unknown): never => {
    if (!(error instanceof LatchkeyError) || error.code !== code) throw error
    const { status, requestId, message } = error
    const details = [{ field, message: describe?.(error) ?? message }]
    throw new LatchkeyError({ status, code, message, requestId, details })
  }
}
