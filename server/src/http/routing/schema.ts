import type { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import { ERRORS } from '../../errors.ts'

/** The schema key that marks a `checkedByHandler` field. It is removed from the API description. */
export const CHECKED_BY_HANDLER = 'x-checked-by-handler'

/**
 * A field that the handler validates itself, with its own error code. The API description shows the schema, but the
 * validator accepts any value and a missing field.
 */
export const checkedByHandler = (schema: object) => Type.Unsafe<unknown>({ ...schema, [CHECKED_BY_HANDLER]: true })

/** A date and time in UTC, as in RFC 3339. */
export const Timestamp = Type.String({ format: 'date-time' })

/** The error body of the JSON routes. */
export const ErrorBody = Type.Object(
  {
    statusCode: Type.Integer({ description: 'The HTTP status again' }),
    error: Type.String({ description: 'A stable code', 'x-known-values': Object.keys(ERRORS).sort() }),
    message: Type.String({ description: 'One sentence a person can act on' }),
    requestId: Type.String({ description: 'Names this request in the log of the service' }),
    details: Type.Optional(
      Type.Unknown({ description: 'For VALIDATION_FAILED a list of { field, message }; else what helps' }),
    ),
  },
  { title: 'ErrorResponse' },
)
export type ErrorBody = Static<typeof ErrorBody>

/** The error body of the OAuth endpoints (RFC 6749 §5.2). */
export const OAuthErrorBody = Type.Object(
  { error: Type.String(), error_description: Type.String() },
  { title: 'OAuthErrorResponse' },
)

/** The response body of actions without a result. */
export const ActionResult = Type.Object(
  { success: Type.Boolean(), message: Type.String({ description: 'One sentence for a person' }) },
  { title: 'ActionResult' },
)

/** A streamed text response. */
export const textStream = (description: string) => Type.Unsafe<Readable>({ type: 'string', description })
