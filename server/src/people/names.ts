import { t } from '../languages/translate.ts'
import { checkField, throwIfInvalid } from '../lib/field-validation.ts'
import { parsePersonName } from '../lib/profile-values.ts'

const MAX_LENGTHS = { givenName: 100, familyName: 100, displayName: 200 }
type Field = keyof typeof MAX_LENGTHS
const FIELDS = Object.keys(MAX_LENGTHS) as Field[]

/** The names that the request contains. An empty text clears a name: null. */
export function parseNames(body: { [F in Field]?: string | undefined }): { [F in Field]?: string | null } {
  const names = FIELDS.flatMap((field) => {
    const text = body[field]
    return text === undefined ? [] : [{ field, name: text === '' ? null : parsePersonName(text, MAX_LENGTHS[field]) }]
  })
  throwIfInvalid(names.map(({ field, name }) => checkField(name !== undefined, field, ruleOf(field))))
  return Object.fromEntries(names.map(({ field, name }) => [field, name]))
}

const ruleOf = (field: Field) =>
  t('must have 1 to {max} characters, none of them a control character, and hold no web address, or be empty', {
    max: MAX_LENGTHS[field],
  })
