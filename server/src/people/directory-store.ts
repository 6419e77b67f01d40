import { isDeepStrictEqual } from 'node:util'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { foundByHasPrefix, hasTermPrefix } from '../db/search.ts'

/** What to search for. Undefined fields match every user. */
export interface UserFilter {
  /** Each must be a prefix of one of the user's search terms. */
  words: string[]
  disabled?: boolean | undefined
  emailVerified?: boolean | undefined
  superAdmin?: boolean | undefined
  deletionRequested?: boolean | undefined
  /** A tenant that the user has joined. */
  tenantId?: string | undefined
}

/** A part of the filter that an index can answer. */
export type Criterion = LookupCriterion | { kind: 'flags' }
type LookupCriterion = { kind: 'word'; word: string } | { kind: 'tenant'; tenantId: string }

export interface Order {
  by: 'createdAt' | 'email'
  descending: boolean
}

/** The last user of the page before: the value of the sort column as text, and the id. */
export interface CursorPosition {
  key: string
  id: string
}

export interface PageRange {
  order: Order
  after?: CursorPosition | undefined
  offset: number
  limit: number
}

type Fragment = RawBuilder<unknown>
type Condition = RawBuilder<boolean>

const allOf = (conditions: Condition[]): Condition =>
  conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`

/** Excludes placeholder accounts. The text must equal the predicate of the partial indexes. */
const IS_ACCOUNT = sql<boolean>`(users.password_hash is not null or users.email_verified)`

const flagCondition = (wanted: boolean | undefined, condition: Condition): Condition[] =>
  wanted === undefined ? [] : [wanted ? condition : sql<boolean>`not ${condition}`]

const userFlagConditions = (filter: UserFilter): Condition[] => [
  IS_ACCOUNT,
  ...flagCondition(filter.disabled, sql`users.disabled`),
  // Follows from IS_ACCOUNT, but the planner needs the text of the partial index.
  ...(filter.emailVerified === false ? [sql<boolean>`users.password_hash is not null`] : []),
  ...flagCondition(filter.emailVerified, sql`users.email_verified`),
  ...flagCondition(filter.superAdmin, sql`users.is_super_admin`),
  ...flagCondition(filter.deletionRequested, sql`(users.deletion_requested_at is not null)`),
]

/** Whether the filter asks for a flag value that few users have. */
export const hasRareFlag = ({ disabled, emailVerified, superAdmin, deletionRequested }: UserFilter): boolean =>
  disabled === true || superAdmin === true || deletionRequested === true || emailVerified === false

const termFlagConditions = (filter: UserFilter): Condition[] => [
  // The predicate of a small partial index.
  ...(hasRareFlag(filter) ? [sql<boolean>`(disabled or is_super_admin or leaving or not email_verified)`] : []),
  ...flagCondition(filter.disabled, sql`disabled`),
  ...flagCondition(filter.emailVerified, sql`email_verified`),
  ...flagCondition(filter.superAdmin, sql`is_super_admin`),
  ...flagCondition(filter.deletionRequested, sql`leaving`),
]

const hasJoined = (tenantId: string) => sql<boolean>`tenant_id = ${tenantId} and status <> 'INVITED'`

interface CandidateOrigin {
  /** The criterion that the candidates were selected by; it needs no check. */
  criterion?: Criterion
  /** Criteria with few matches, which are read once instead of checked per candidate. */
  selective?: Criterion[]
}

/** The conditions that candidates must still meet: all words and the tenant, except their own criterion. */
function remainingConditions(
  filter: UserFilter,
  id: Fragment,
  { criterion, selective = [] }: CandidateOrigin = {},
): Condition[] {
  const { words, tenantId } = filter
  const lookups: LookupCriterion[] = [
    ...words.map((word) => ({ kind: 'word', word }) as const),
    ...(tenantId === undefined ? [] : [{ kind: 'tenant', tenantId } as const]),
  ]
  const isOneOf = (lookup: Criterion, others: Criterion[]) => others.some((other) => isDeepStrictEqual(lookup, other))
  return lookups
    .filter((lookup) => criterion === undefined || !isOneOf(lookup, [criterion]))
    .map((lookup) => {
      return isOneOf(lookup, selective)
        ? sql<boolean>`${id} in (select user_id from ${flaggedRowsOf(filter, lookup)})`
        : // The limit keeps the planner from turning this into a join over all users.
          sql<boolean>`(select true from ${rowsOf(lookup)} and user_id = ${id} limit 1)`
    })
}

const rowsOf = (lookup: LookupCriterion): Fragment =>
  lookup.kind === 'word'
    ? sql`user_terms where ${hasTermPrefix(lookup.word)}`
    : sql`memberships where ${hasJoined(lookup.tenantId)}`

/** With a rare flag, the small partial index of the terms applies. */
const flaggedRowsOf = (filter: UserFilter, lookup: LookupCriterion): Fragment =>
  lookup.kind === 'word' && hasRareFlag(filter)
    ? sql`${rowsOf(lookup)} and ${allOf(termFlagConditions(filter))}`
    : rowsOf(lookup)

const sortColumn = ({ by }: Order): Fragment => (by === 'email' ? sql`email` : sql`created_at`)

/** All users that match a criterion and the flags. A word may select the same user more than once. */
function selectCandidates(filter: UserFilter, criterion: Criterion, order: Order): Fragment {
  const key = sortColumn(order)
  if (criterion.kind === 'word') {
    return sql`select user_id as id, ${key} from user_terms
      where ${allOf([hasTermPrefix(criterion.word), ...termFlagConditions(filter)])}`
  }
  const users = (more: Condition[]) =>
    sql`select id, ${key} from users where ${allOf([...userFlagConditions(filter), ...more])}`
  if (criterion.kind === 'flags') return users([])
  return sql`select person.* from memberships cross join lateral
    (${users([sql<boolean>`users.id = memberships.user_id`])} offset 0) as person
    where ${hasJoined(criterion.tenantId)}`
}

const orderBy = (order: Order): Fragment => {
  const direction = order.descending ? sql`desc` : sql`asc`
  return sql`${sortColumn(order)} ${direction}, id ${direction}`
}

const cursorCondition = ({ order, after }: PageRange): Condition[] => {
  if (!after) return []
  const operator = order.descending ? sql`<` : sql`>`
  const type = order.by === 'email' ? sql`text` : sql`timestamptz`
  return [sql<boolean>`(${sortColumn(order)}, id) ${operator} (${after.key}::${type}, ${after.id}::uuid)`]
}

const pageClause = ({ order, offset, limit }: PageRange): Fragment =>
  sql`order by ${orderBy(order)} offset ${offset} limit ${limit}`

/** The number of matches of each criterion, counted up to `limit` + 1. */
export async function countMatches(
  db: Db,
  filter: UserFilter,
  { criteria, limit }: { criteria: Criterion[]; limit: number },
): Promise<number[]> {
  const counts = criteria.map(
    (criterion) => sql`(select count(*)::int from (${selectMatches(filter, criterion)} limit ${limit + 1}) as matches)`,
  )
  const { rows } = await sql<{
    counts: number[]
  }>`select array[${sql.join(counts)}]::int[] as counts`.execute(db)
  return rows[0]?.counts ?? []
}

function selectMatches(filter: UserFilter, criterion: Criterion): Fragment {
  if (criterion.kind === 'flags') return sql`select from users where ${allOf(userFlagConditions(filter))}`
  return sql`select from ${flaggedRowsOf(filter, criterion)}`
}

/** A page and the exact total. Reads all matches of a selective criterion. */
export async function listAndCountUsers(
  db: Db,
  filter: UserFilter,
  { criterion, selective, range }: { criterion: Criterion; selective: Criterion[]; range: PageRange },
): Promise<{ total: number; ids: string[] }> {
  const { order, offset, limit } = range
  // One sort serves both the removal of duplicates and the order of the page.
  const { rows } = await sql<{ total: number; ids: string[] }>`
    select count(*)::int as total, coalesce((
      array_agg(id order by ${orderBy(order)}) filter (where ${allOf(cursorCondition(range))})
    )[${offset}::int + 1 : ${offset + limit}::int], '{}') as ids
    from (
      select distinct on (${sortColumn(order)}, id) * from (${selectCandidates(filter, criterion, order)}) as entry
      order by ${orderBy(order)}
    ) as candidate
    where ${allOf(remainingConditions(filter, sql`candidate.id`, { criterion, selective }))}
  `.execute(db)
  return rows[0] ?? { total: 0, ids: [] }
}

/**
 * The first matches out of a criterion with many: sorts the candidates and checks them in order until there are enough.
 * Duplicates of a user are adjacent.
 */
export async function listSortedUsers(
  db: Db,
  filter: UserFilter,
  { criterion, range, limit }: { criterion: Criterion; range: PageRange; limit: number },
): Promise<string[]> {
  const { order } = range
  const { rows } = await sql<{ id: string }>`
    select id from (
      select * from (${selectCandidates(filter, criterion, order)}) as entry
      where ${allOf(cursorCondition(range))} order by ${orderBy(order)} offset 0
    ) as candidate
    where ${allOf(remainingConditions(filter, sql`candidate.id`, { criterion }))}
    order by ${orderBy(order)} limit ${limit}
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** The matches among the next `scanLimit` users in order, up to the page's limit. Words are compared with the user row. */
export async function scanUsers(
  db: Db,
  filter: UserFilter,
  { range, scanLimit }: { range: PageRange; scanLimit: number },
): Promise<string[]> {
  const { order } = range
  const [, ...flags] = userFlagConditions(filter)
  const words = filter.words.map((word) => foundByHasPrefix(word, 'users.found_by'))
  const { rows } = await sql<{ id: string }>`
    select id from (
      select id, ${sortColumn(order)}, ${allOf([...words, ...flags])} as is_match from users
      where ${allOf([IS_ACCOUNT, ...cursorCondition(range)])} order by ${orderBy(order)} limit ${scanLimit}
    ) as scanned
    where ${allOf([sql<boolean>`is_match`, ...remainingConditions({ ...filter, words: [] }, sql`scanned.id`)])}
    ${pageClause(range)}
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** A page read along the index of the order, for filters that most users match. */
export async function listUsersByFlags(db: Db, filter: UserFilter, range: PageRange): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from users where ${allOf([...userFlagConditions(filter), ...cursorCondition(range)])} ${pageClause(range)}
  `.execute(db)
  return rows.map(({ id }) => id)
}

/** The number of users with these flags, counted up to `limit` + 1. */
export async function countUsersByFlags(db: Db, filter: UserFilter, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int from (select from users where ${allOf(userFlagConditions(filter))} limit ${limit + 1}) as counted
  `.execute(db)
  return rows[0]?.count ?? 0
}
