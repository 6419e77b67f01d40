import { LatchkeyError } from 'latchkey-sdk/error'

/** Puts a refusal that is about one field under that field. */
export function onField(code: string, field: string, say?: (refusal: LatchkeyError) => string) {
  return (error: unknown): never => {
    if (!(error instanceof LatchkeyError) || error.code !== code) throw error
    const { status, requestId, message } = error
    const details = [{ field, message: say?.(error) ?? message }]
    throw new LatchkeyError({ status, code, message, requestId, details })
  }
}
