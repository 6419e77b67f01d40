import { type RawBuilder, sql } from 'kysely'
import type { Db } from './open.ts'
import { PLANNED_EACH_TIME } from './prepared.ts'

/** Whether a word is rare decides how it is best looked for. */
const EACH_TIME = sql.raw(PLANNED_EACH_TIME)

/** The pattern of `ilike` for whatever holds this text somewhere. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** The sign behind which no other stands. */
const LAST = '\u{10ffff}'

/** Of what people are found by: whether it begins with a word, made small by the database as the terms were. */
export const beginsWith = (word: string) =>
  sql<boolean>`${EACH_TIME} term >= lower(${word}) and term < lower(${word}) || ${LAST}`

/** Whether a word begins something that a person is found by, told by the person alone, who is at hand. */
export const isSaidOf = (word: string, foundBy: string) =>
  sql<boolean>`${EACH_TIME} strpos(${sql.ref(foundBy)}, ' ' || lower(${word})) > 0`

/** So few people are looked at one after the other. */
const FEW = 1_000

/**
 * Whether every word is the beginning of something that a person is found by; of none, so is everybody. Where one of
 * several words leads to few people, the others are asked of these alone, however many they lead to themselves.
 */
export async function findBy(db: Db, words: string[], userId: string): Promise<RawBuilder<boolean>> {
  const narrowest = words.length > 1 ? await findNarrowest(db, words) : undefined
  if (narrowest === undefined) return isFoundBy(words, userId)
  const others = words.filter((word) => word !== narrowest)
  // With a limit of its own it is asked of one after the other, and never becomes a join of everybody.
  const asked = others.map(
    (word) => sql<boolean>`(
      select true from user_terms where user_id = narrow.user_id and ${beginsWith(word)} limit 1
    )`,
  )
  return sql<boolean>`${sql.ref(userId)} in (
    select user_id from user_terms as narrow where ${every([beginsWith(narrowest), ...asked])}
  )`
}

/** The word that leads to the fewest people, if those are few. */
async function findNarrowest(db: Db, words: string[]): Promise<string | undefined> {
  const counts = words.map(
    (word) => sql`(
      select count(*)::int from (select from user_terms where ${beginsWith(word)} limit ${FEW + 1}) as counted
    )`,
  )
  const { rows } = await sql<{ counts: number[] }>`select array[${sql.join(counts)}] as counts`.execute(db)
  const found = rows[0]?.counts ?? []
  const fewest = Math.min(...found)
  return fewest <= FEW ? words[found.indexOf(fewest)] : undefined
}

const isFoundBy = (words: string[], userId: string) =>
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
      (word) => sql<boolean>`(${EACH_TIME} starts_with(${address}, lower(${word}))
        or starts_with('@' || split_part(${address}, '@', 2), lower(${word})))`,
    ),
  )
}

const every = (conditions: RawBuilder<boolean>[]): RawBuilder<boolean> =>
  conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`
