import { LatchkeyError } from '@latchkey/client/error'
import { type FormEvent, useState } from 'react'

/** The error message of each field. */
export type FieldErrors = Record<string, string>

export const fieldErrorsOf = (error: unknown): FieldErrors =>
  error instanceof LatchkeyError ? Object.fromEntries(error.fields.map(({ field, message }) => [field, message])) : {}

/** The state of a form submission, with errors per field. */
export function useSubmit(submit: () => Promise<unknown>) {
  const [error, setError] = useState<unknown>()
  const [busy, setBusy] = useState(false)
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault()
    // A dialog is a portal, so React would also submit the page's form that contains it.
    event.stopPropagation()
    if (busy) return
    setBusy(true)
    try {
      await submit()
      setError(undefined)
    } catch (caught) {
      setError(caught)
    } finally {
      setBusy(false)
    }
  }
  const fieldErrors = fieldErrorsOf(error)
  return {
    error,
    busy,
    fieldErrors,
    onSubmit,
    /** The error if it belongs to no field. */
    generalError: Object.keys(fieldErrors).length === 0 ? error : undefined,
    clear: () => setError(undefined),
  }
}
