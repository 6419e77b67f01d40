import type { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'

/** The mark of such a field. It stands in no description. */
export const CHECKED_BY_HANDLER = 'x-checked-by-handler'

/**
 * A field that the handler itself refuses, by a code of its own. It is described as it should be, and the validator
 * lets everything pass, nothing at all included: so to the handler it may be anything.
 */
export const checkedByHandler = (schema: object) =>
  Type.Unsafe<unknown>({ ...schema, [CHECKED_BY_HANDLER]: true })

/** The body of every error of the JSON routes. */
export const ErrorBody = Type.Object(
  {
    statusCode: Type.Integer({ description: 'The HTTP status again' }),
    error: Type.String({ description: 'A stable code; see the list of errors' }),
    message: Type.String({ description: 'One sentence a person can act on' }),
    requestId: Type.String({ description: 'Names this request in the log of the service' }),
    details: Type.Optional(
      Type.Unknown({ description: 'For VALIDATION_FAILED a list of { field, message }; else what helps' }),
    ),
  },
  { title: 'Error' },
)
export type ErrorBody = Static<typeof ErrorBody>

/** The body of every error of the OAuth endpoints (RFC 6749 §5.2). */
export const OAuthErrorBody = Type.Object(
  { error: Type.String(), error_description: Type.String() },
  { title: 'OAuthError' },
)

/** What is answered where there is nothing more to say. */
export const Done = Type.Object(
  { success: Type.Boolean(), message: Type.String({ description: 'One sentence for a person' }) },
  { title: 'Done' },
)

/** An answer that is sent as it is read, however long it is. */
export const textStream = (description: string) => Type.Unsafe<Readable>({ type: 'string', description })
