import { isDeepStrictEqual } from 'node:util'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../db/open.ts'
import { beginsWith, isSaidOf } from '../../../db/search.ts'

/** Who is looked for. What is left out does not matter. */
export interface UserFilter {
  /** Each must be the beginning of something that the person is found by. */
  words: string[]
  disabled?: boolean | undefined
  emailVerified?: boolean | undefined
  superAdmin?: boolean | undefined
  deletionRequested?: boolean | undefined
  /** A tenant that they have joined. */
  tenantId?: string | undefined
}

/** One of the ways to come by the people who are looked for, without looking at all there are. */
export type Source = Named | { kind: 'flags' }
type Named = { kind: 'word'; word: string } | { kind: 'tenant'; tenantId: string }

export interface Order {
  by: 'createdAt' | 'email'
  descending: boolean
}

/** Where somebody stands in the list: whatever it is sorted by, as the database writes it, and their id. */
export interface Mark {
  key: string
  id: string
}

/** Which part of the list. */
export interface Stretch {
  order: Order
  after?: Mark | undefined
  offset: number
  limit: number
}

type Fragment = RawBuilder<unknown>
type Condition = RawBuilder<boolean>

const all = (conditions: Condition[]): Condition =>
  conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`

/** Who has an account. The words are those of the indexes, which are used for no others. */
const ACCOUNT = sql<boolean>`(users.password_hash is not null or users.email_verified)`

const is = (wanted: boolean | undefined, condition: Condition): Condition[] =>
  wanted === undefined ? [] : [wanted ? condition : sql<boolean>`not ${condition}`]

const flagsOfUsers = (filter: UserFilter): Condition[] => [
  ACCOUNT,
  ...is(filter.disabled, sql`users.disabled`),
  // Who has no account has neither; these words are those of an index.
  ...(filter.emailVerified === false ? [sql<boolean>`users.password_hash is not null`] : []),
  ...is(filter.emailVerified, sql`users.email_verified`),
  ...is(filter.superAdmin, sql`users.is_super_admin`),
  ...is(filter.deletionRequested, sql`(users.deletion_requested_at is not null)`),
]

/** Whether something is asked for that is seldom so. */
export const isUnusual = ({ disabled, emailVerified, superAdmin, deletionRequested }: UserFilter): boolean =>
  disabled === true || superAdmin === true || deletionRequested === true || emailVerified === false

const flagsOfTerms = (filter: UserFilter): Condition[] => [
  // The words are those of an index, which holds few people.
  ...(isUnusual(filter) ? [sql<boolean>`(disabled or is_super_admin or leaving or not email_verified)`] : []),
  ...is(filter.disabled, sql`disabled`),
  ...is(filter.emailVerified, sql`email_verified`),
  ...is(filter.superAdmin, sql`is_super_admin`),
  ...is(filter.deletionRequested, sql`leaving`),
]

const joined = (tenantId: string) => sql<boolean>`tenant_id = ${tenantId} and status <> 'INVITED'`

/** Sources that need not be asked: by one of them people were found; the others lead to few, who are read at once. */
interface Answered {
  beside?: Source
  few?: Source[]
}

/** What is left to be asked of people who were found by one source: whether the others lead to them as well. */
function asked(filter: UserFilter, id: Fragment, { beside, few = [] }: Answered = {}): Condition[] {
  const { words, tenantId } = filter
  const sources: Named[] = [
    ...words.map((word) => ({ kind: 'word', word }) as const),
    ...(tenantId === undefined ? [] : [{ kind: 'tenant', tenantId } as const]),
  ]
  const isOneOf = (source: Source, others: Source[]) =>
    others.some((other) => isDeepStrictEqual(source, other))
  return sources
    .filter((source) => beside === undefined || !isOneOf(source, [beside]))
    .map((source) => {
      return isOneOf(source, few)
        ? sql<boolean>`${id} in (select user_id from ${narrowlyFoundBy(filter, source)})`
        : // With a limit of its own it is asked of one after the other, and never becomes a join of everybody.
          sql<boolean>`(select true from ${foundBy(source)} and user_id = ${id} limit 1)`
    })
}

const foundBy = (source: Named): Fragment =>
  source.kind === 'word'
    ? sql`user_terms where ${beginsWith(source.word)}`
    : sql`memberships where ${joined(source.tenantId)}`

/** Of whom something unusual is asked, fewer are found by the same word. */
const narrowlyFoundBy = (filter: UserFilter, source: Named): Fragment =>
  source.kind === 'word' && isUnusual(filter)
    ? sql`${foundBy(source)} and ${all(flagsOfTerms(filter))}`
    : foundBy(source)

/** What a list is sorted by. */
const keyOf = ({ by }: Order): Fragment => (by === 'email' ? sql`email` : sql`created_at`)

/** Everybody a source leads to, for whom the flags are as they should be. By a word, somebody may be found twice. */
function candidates(filter: UserFilter, source: Source, order: Order): Fragment {
  const key = keyOf(order)
  if (source.kind === 'word') {
    return sql`select user_id as id, ${key} from user_terms
      where ${all([beginsWith(source.word), ...flagsOfTerms(filter)])}`
  }
  const people = (more: Condition[]) =>
    sql`select id, ${key} from users where ${all([...flagsOfUsers(filter), ...more])}`
  if (source.kind === 'flags') return people([])
  return sql`select person.* from memberships cross join lateral
    (${people([sql<boolean>`users.id = memberships.user_id`])} offset 0) as person
    where ${joined(source.tenantId)}`
}

const sorted = (order: Order): Fragment => {
  const direction = order.descending ? sql`desc` : sql`asc`
  return sql`${keyOf(order)} ${direction}, id ${direction}`
}

const beyond = (order: Order, { key, id }: Mark): Condition => {
  const direction = order.descending ? sql`<` : sql`>`
  const type = order.by === 'email' ? sql`text` : sql`timestamptz`
  return sql<boolean>`(${keyOf(order)}, id) ${direction} (${key}::${type}, ${id}::uuid)`
}

const behindMark = ({ order, after }: Stretch): Condition[] => (after ? [beyond(order, after)] : [])

const part = ({ order, offset, limit }: Stretch): Fragment =>
  sql`order by ${sorted(order)} offset ${offset} limit ${limit}`

/** How many each source leads to, as far as it is worth counting. */
export async function countSources(
  db: Db,
  filter: UserFilter,
  { sources, most }: { sources: Source[]; most: number },
): Promise<number[]> {
  const counts = sources.map(
    (source) => sql`(select count(*)::int from (${entries(filter, source)} limit ${most + 1}) as entries)`,
  )
  const { rows } = await sql<{
    counts: number[]
  }>`select array[${sql.join(counts)}]::int[] as counts`.execute(db)
  return rows[0]?.counts ?? []
}

function entries(filter: UserFilter, source: Source): Fragment {
  if (source.kind === 'flags') return sql`select from users where ${all(flagsOfUsers(filter))}`
  return sql`select from ${narrowlyFoundBy(filter, source)}`
}

/** A part of the list, and how many there are in all: everybody a source leads to is looked at. */
export async function gatherUsers(
  db: Db,
  filter: UserFilter,
  { source, few, stretch }: { source: Source; few: Source[]; stretch: Stretch },
): Promise<{ total: number; ids: string[] }> {
  const { order, offset, limit } = stretch
  // All of them are sorted once: whoever is found twice stands there twice, one after the other.
  const { rows } = await sql<{ total: number; ids: string[] }>`
    select count(*)::int as total, coalesce((
      array_agg(id order by ${sorted(order)}) filter (where ${all(behindMark(stretch))})
    )[${offset}::int + 1 : ${offset + limit}::int], '{}') as ids
    from (
      select distinct on (${keyOf(order)}, id) * from (${candidates(filter, source, order)}) as entry
      order by ${sorted(order)}
    ) as candidate
    where ${all(asked(filter, sql`candidate.id`, { beside: source, few }))}
  `.execute(db)
  return rows[0] ?? { total: 0, ids: [] }
}

/**
 * The first of a list, out of a source that leads to many: they are sorted, and looked at until there are enough. Whoever
 * is found twice stands there twice, one after the other.
 */
export async function sortUsers(
  db: Db,
  filter: UserFilter,
  { source, stretch, many }: { source: Source; stretch: Stretch; many: number },
): Promise<string[]> {
  const { order } = stretch
  const { rows } = await sql<{ id: string }>`
    select id from (
      select * from (${candidates(filter, source, order)}) as entry
      where ${all(behindMark(stretch))} order by ${sorted(order)} offset 0
    ) as candidate
    where ${all(asked(filter, sql`candidate.id`, { beside: source }))}
    order by ${sorted(order)} limit ${many}
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** A part of the list, as far as it is found among the next so many people; else fewer. They say themselves who they are. */
export async function glanceAtUsers(
  db: Db,
  filter: UserFilter,
  { stretch, within }: { stretch: Stretch; within: number },
): Promise<string[]> {
  const { order } = stretch
  const [, ...flags] = flagsOfUsers(filter)
  const said = filter.words.map((word) => isSaidOf(word, 'users.found_by'))
  const { rows } = await sql<{ id: string }>`
    select id from (
      select id, ${keyOf(order)}, ${all([...said, ...flags])} as fits from users
      where ${all([ACCOUNT, ...behindMark(stretch)])} order by ${sorted(order)} limit ${within}
    ) as passed
    where ${all([sql<boolean>`fits`, ...asked({ ...filter, words: [] }, sql`passed.id`)])} ${part(stretch)}
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** A part of the list, by walking along it: for what is so of most. */
export async function walkUsers(db: Db, filter: UserFilter, stretch: Stretch): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from users where ${all([...flagsOfUsers(filter), ...behindMark(stretch)])} ${part(stretch)}
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** How many of those walked past there are, as far as it is worth counting. */
export async function countWalked(db: Db, filter: UserFilter, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int from (select from users where ${all(flagsOfUsers(filter))} limit ${most + 1}) as walked
  `.execute(db)
  return rows[0]?.count ?? 0
}
