import { type RawBuilder, sql } from 'kysely'
import type { Db } from './open.ts'
import { PLANNED_EACH_TIME } from './prepared.ts'

/** The best plan depends on the frequency of the word. */
const EACH_TIME = sql.raw(PLANNED_EACH_TIME)

/** The `ilike` pattern for texts that contain this text. */
export const toContainsPattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`

/** The highest code point, as the upper end of a prefix range. */
const MAX_CODE_POINT = '\u{10ffff}'

/** True if a row of `user_terms` begins with the word. The database lowercases both in the same way. */
export const hasTermPrefix = (word: string) =>
  sql<boolean>`${EACH_TIME} term >= lower(${word}) and term < lower(${word}) || ${MAX_CODE_POINT}`

/** The same condition on the `found_by` column of a user row, without `user_terms`. */
export const foundByHasPrefix = (word: string, foundBy: string) =>
  sql<boolean>`${EACH_TIME} strpos(${sql.ref(foundBy)}, ' ' || lower(${word})) > 0`

/** Up to this number of users, the other words are checked user by user. */
const MAX_RARE_MATCHES = 1_000

/**
 * A condition that every word is a prefix of one of the user's terms; true without words. If one of several words is
 * rare, the others are checked only for the users that match it.
 */
export async function createSearchCondition(db: Db, words: string[], userId: string): Promise<RawBuilder<boolean>> {
  const rarest = words.length > 1 ? await findRareWord(db, words) : undefined
  if (rarest === undefined) return matchesAll(words, userId)
  const others = words.filter((word) => word !== rarest)
  // The `limit` forces a subquery per user and keeps the planner from joining all users.
  const otherConditions = others.map(
    (word) => sql<boolean>`(
      select true from user_terms where user_id = narrow.user_id and ${hasTermPrefix(word)} limit 1
    )`,
  )
  return sql<boolean>`${sql.ref(userId)} in (
    select user_id from user_terms as narrow where ${every([hasTermPrefix(rarest), ...otherConditions])}
  )`
}

/** The word with the fewest matches, if these are at most `MAX_RARE_MATCHES`. */
async function findRareWord(db: Db, words: string[]): Promise<string | undefined> {
  const counts = words.map(
    (word) => sql`(
      select count(*)::int from (
        select from user_terms where ${hasTermPrefix(word)} limit ${MAX_RARE_MATCHES + 1}
      ) as counted
    )`,
  )
  const { rows } = await sql<{ counts: number[] }>`select array[${sql.join(counts)}] as counts`.execute(db)
  const matches = rows[0]?.counts ?? []
  const fewest = Math.min(...matches)
  return fewest <= MAX_RARE_MATCHES ? words[matches.indexOf(fewest)] : undefined
}

const matchesAll = (words: string[], userId: string) =>
  every(
    words.map(
      (word) =>
        sql<boolean>`exists (select from user_terms where user_id = ${sql.ref(userId)} and ${hasTermPrefix(word)})`,
    ),
  )

/** The same condition on an email address alone, for rows without a user. */
export const emailMatches = (words: string[], email: string) => {
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
