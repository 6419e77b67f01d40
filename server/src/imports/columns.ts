import { OperatorError } from '../errors.ts'
import { PROFILE_FIELD_NAMES, type ProfileFieldName } from '../users/profile-fields.ts'

/** A field of an imported user. */
export type Field = ProfileFieldName | 'email' | 'emailVerified' | 'passwordHash' | 'disabled' | 'tenant' | 'role'

export const FIELDS: readonly Field[] = [
  'email',
  'emailVerified',
  'passwordHash',
  'disabled',
  ...PROFILE_FIELD_NAMES,
  'tenant',
  'role',
]

/** Column names of other systems. Case, spaces, hyphens and underscores are ignored. */
const ALIASES: Record<string, Field> = {
  ...Object.fromEntries(FIELDS.map((field) => [field.toLowerCase(), field])),
  firstname: 'givenName',
  lastname: 'familyName',
  name: 'displayName',
  picture: 'pictureUrl',
  timezone: 'zoneinfo',
  phonenumber: 'phone',
  blocked: 'disabled',
}

/** Undefined for an unknown column. */
export const findField = (column: string): Field | undefined => {
  const name = column
    .trim()
    .toLowerCase()
    .replace(/[\s_-]/g, '')
  return Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined
}

/** The fields of a header. An unknown column is an error and not ignored, because it may be a misspelled name. */
export function parseHeader(columns: string[]): Field[] {
  const fields = columns.map((column) => {
    const field = findField(column)
    if (field) return field
    throw new OperatorError(
      `The column "${shorten(column)}" is not known. Rename or remove it. The known columns are: ${FIELDS.join(', ')}.`,
    )
  })
  const duplicate = fields.find((field, index) => fields.indexOf(field) !== index)
  if (duplicate) throw new OperatorError(`Two columns name the field ${duplicate}.`)
  if (!fields.includes('email')) throw new OperatorError('There is no column "email".')
  return fields
}

const shorten = (text: string) => JSON.stringify(text.slice(0, 60)).slice(1, -1)
