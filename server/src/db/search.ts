import { type RawBuilder, sql } from 'kysely'

/** The pattern of `ilike` for whatever holds this text somewhere. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** The sign behind which no other stands. */
const LAST = '\u{10ffff}'

/** Of what people are found by: whether it begins with a word, made small by the database as the terms were. */
export const beginsWith = (word: string) =>
  sql<boolean>`term >= lower(${word}) and term < lower(${word}) || ${LAST}`

/** Whether a word begins something that a person is found by, told by the person alone, who is at hand. */
export const isSaidOf = (word: string, foundBy: string) =>
  sql<boolean>`strpos(${sql.ref(foundBy)}, ' ' || lower(${word})) > 0`

/** Whether every word is the beginning of something that a person is found by; of none, so is everybody. */
export const isFoundBy = (words: string[], userId: string) =>
  every(
    words.map(
      (word) =>
        sql<boolean>`exists (select from user_terms where user_id = ${sql.ref(userId)} and ${beginsWith(word)})`,
    ),
  )

/** The same of an address alone, for those of whom nothing else is known yet. */
export const isAddressedBy = (words: string[], email: string) => {
  const address = sql.ref(email)
  return every(
    words.map(
      (word) => sql<boolean>`(starts_with(${address}, lower(${word}))
        or starts_with('@' || split_part(${address}, '@', 2), lower(${word})))`,
    ),
  )
}

const every = (conditions: RawBuilder<boolean>[]): RawBuilder<boolean> =>
  conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`
