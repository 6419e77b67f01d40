import { Type } from 'typebox'
import { AppError } from '../errors.ts'
import { checkedByHandler } from '../http/schema.ts'
import { toId } from '../lib/ids.ts'

/** The id of an application, as a licensing route takes it: whatever is none has one code, wherever it stands. */

const describe = (description: string) =>
  checkedByHandler({
    type: 'string',
    format: 'uuid',
    description: `The id of the application; ${description}`,
  })

export const applicationIdField = describe('not its slug')

/** In a POST that takes its fields from the body or from the address. */
export const applicationIdInEither = Type.Optional(describe('required in the body or in the address'))

/** Throws INVALID_APPLICATION_ID, with a sentence that says what was wrong, unless it is the id of something. */
export function requireApplicationId(said: unknown): string {
  const id = toId(said)
  if (id !== undefined) return id
  const message =
    said === undefined || said === ''
      ? 'The applicationId is missing. Send the id of an application.'
      : 'The applicationId must be the id of an application, a UUID, and not its slug or name.'
  throw new AppError('INVALID_APPLICATION_ID', { message })
}
