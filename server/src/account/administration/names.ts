import { demand, refuseProblems } from '../../lib/problems.ts'
import { readName } from '../../lib/profile-values.ts'

const LONGEST = { givenName: 100, familyName: 100, displayName: 200 }
type Field = keyof typeof LONGEST
const FIELDS = Object.keys(LONGEST) as Field[]

/** What somebody is called, as far as it is said. An empty text is no name: null. */
export function readNames(said: { [F in Field]?: string | undefined }): { [F in Field]?: string | null } {
  const read = FIELDS.flatMap((field) => {
    const text = said[field]
    return text === undefined ? [] : [{ field, name: text === '' ? null : readName(text, LONGEST[field]) }]
  })
  refuseProblems(read.map(({ field, name }) => demand(name !== undefined, field, ruleOf(field))))
  return Object.fromEntries(read.map(({ field, name }) => [field, name]))
}

const ruleOf = (field: Field) =>
  `must have 1 to ${LONGEST[field]} characters, none of them a control character, and hold no web address, or be empty`
