import { Type } from 'typebox'
import { AppError } from '../errors.ts'
import { checkedByHandler } from '../http/routing/schema.ts'
import { t } from '../languages/translate.ts'
import { toId } from '../lib/ids.ts'

/** The id of an application in licensing routes. Every invalid value has the same error code. */

const describe = (description: string) =>
  checkedByHandler({
    type: 'string',
    format: 'uuid',
    description: `The id of the application; ${description}`,
  })

export const applicationIdField = describe('not its slug')

/** For a POST that takes its fields from the body or from the query string. */
export const optionalApplicationIdField = Type.Optional(describe('required in the body or in the query string'))

/** Throws INVALID_APPLICATION_ID unless the value is a UUID. */
export function requireApplicationId(value: unknown): string {
  const id = toId(value)
  if (id !== undefined) return id
  const message =
    value === undefined || value === ''
      ? t('The applicationId is missing. Send the id of an application.')
      : t('The applicationId must be the id of an application, a UUID, and not its slug or name.')
  throw new AppError('INVALID_APPLICATION_ID', { message })
}
