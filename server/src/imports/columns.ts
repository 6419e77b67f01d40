import { OperatorError } from '../errors.ts'
import { PROFILE_NAMES, type ProfileName } from '../users/profile-fields.ts'

/** What may be known of somebody who comes from another system. */
export type Field = ProfileName | 'email' | 'emailVerified' | 'passwordHash' | 'disabled' | 'tenant' | 'role'

export const FIELDS: readonly Field[] = [
  'email',
  'emailVerified',
  'passwordHash',
  'disabled',
  ...PROFILE_NAMES,
  'tenant',
  'role',
]

/** What other systems call it. Case, spaces, hyphens and underscores do not count. */
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

/** Which field a column is; undefined when it is none. */
export const findField = (column: string): Field | undefined => {
  const name = column
    .trim()
    .toLowerCase()
    .replace(/[\s_-]/g, '')
  return Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined
}

/** The fields of a header. A column that is not understood may be a misspelt one, so it is not passed over. */
export function readHeader(columns: string[]): Field[] {
  const fields = columns.map((column) => {
    const field = findField(column)
    if (field) return field
    throw new OperatorError(
      `The column "${shorten(column)}" is not known. Rename it or take it out. Known are: ${FIELDS.join(', ')}.`,
    )
  })
  const twice = fields.find((field, index) => fields.indexOf(field) !== index)
  if (twice) throw new OperatorError(`Two columns are the ${twice}.`)
  if (!fields.includes('email')) throw new OperatorError('There is no column "email".')
  return fields
}

const shorten = (text: string) => JSON.stringify(text.slice(0, 60)).slice(1, -1)
