import { type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { Tables } from '../../db/tables.ts'
import type { Range } from '../../http/routing/pagination.ts'
import { memberCount } from '../store.ts'
import type { ListPosition } from './cursor.ts'
import type { TenantQuery } from './schema.ts'

export interface TenantFilter {
  /** Of the name or the slug. */
  prefix: string | undefined
  suspended: boolean | undefined
  userId: string | undefined
}

/** The upper bound of all texts with a prefix. */
const MAX_CODE_POINT = '\u{10ffff}'

/**
 * Compares ranges instead of using `like`: under row-level security PostgreSQL uses an index only for leakproof
 * operators, and `like` is not leakproof.
 */
const hasPrefix = (prefix: string) => sql<boolean>`(
  (tenants.name_key >= lower(${prefix}) and tenants.name_key < lower(${prefix}) || ${MAX_CODE_POINT})
  or (tenants.slug collate "C" >= lower(${prefix}) and tenants.slug collate "C" < lower(${prefix}) || ${MAX_CODE_POINT})
)`

const selectMatching = (db: Db, { prefix, suspended, userId }: TenantFilter) =>
  db
    .selectFrom('tenants')
    .$if(prefix !== undefined, (query) => query.where(hasPrefix(prefix ?? '')))
    .$if(suspended !== undefined, (query) => query.where('suspended_at', suspended ? 'is not' : 'is', null))
    .$if(userId !== undefined, (query) =>
      query.where(
        'tenants.id',
        'in',
        db
          .selectFrom('memberships')
          .select('tenant_id')
          .where('user_id', '=', userId ?? ''),
      ),
    )

/** Counts up to one more than the maximum, which tells the caller that there are more. */
export async function countTenants(db: Db, filter: TenantFilter, max: number): Promise<number> {
  const limited = selectMatching(db, filter)
    .select(sql`1`.as('one'))
    .limit(max + 1)
  const { total } = await db
    .selectFrom(limited.as('limited'))
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow()
  return total
}

type TenantsQuery = SelectQueryBuilder<Tables, 'tenants', object>

/** The sort key of each order, and the condition for the tenants after a position. */
const ORDERS = {
  '-createdAt': {
    key: sql<string>`to_char(tenants.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
    sort: (query: TenantsQuery) => query.orderBy('tenants.created_at', 'desc').orderBy('tenants.id', 'desc'),
    isAfter: ({ key, id }: ListPosition) =>
      sql<boolean>`(tenants.created_at, tenants.id) < (${key}::timestamptz, ${id}::uuid)`,
  },
  name: {
    key: sql<string>`tenants.name_key`,
    sort: (query: TenantsQuery) => query.orderBy('tenants.name_key').orderBy('tenants.id'),
    isAfter: ({ key, id }: ListPosition) => sql<boolean>`(tenants.name_key, tenants.id) > (${key}, ${id}::uuid)`,
  },
  slug: {
    key: sql<string>`tenants.slug`,
    sort: (query: TenantsQuery) => query.orderBy(sql`tenants.slug collate "C"`),
    isAfter: ({ key }: ListPosition) => sql<boolean>`tenants.slug collate "C" > ${key}`,
  },
} as const

/** One page of the list, from its beginning or after a position, with the sort key of each row. */
export function listTenants(
  db: Db,
  { sort, filter, after }: { sort: TenantQuery['sort']; filter: TenantFilter; after: ListPosition | undefined },
  { offset, limit }: Range,
) {
  const order = ORDERS[sort]
  const remaining = after ? selectMatching(db, filter).where(order.isAfter(after)) : selectMatching(db, filter)
  // An index scan finds the ids; only the tenants on the page are read from the table.
  const onPage = order.sort(remaining).select('tenants.id').offset(offset).limit(limit)
  return order
    .sort(db.selectFrom('tenants').where('tenants.id', 'in', onPage))
    .selectAll('tenants')
    .select([memberCount.as('member_count'), order.key.as('key')])
    .execute()
}
