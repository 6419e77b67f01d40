import { type SelectQueryBuilder, sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { Tables } from '../../db/tables.ts'
import type { Range } from '../../http/pagination.ts'
import { memberCount } from '../store.ts'
import type { Place } from './cursor.ts'
import type { TenantQuery } from './schema.ts'

export interface TenantFilter {
  /** How the name or slug begins. */
  prefix: string | undefined
  suspended: boolean | undefined
  userId: string | undefined
}

/** Above every text that begins with the same letters. */
const LAST = '\u{10ffff}'

/**
 * As ranges, which the database may look up behind row-level security: `like` might tell of rows that are not to be
 * seen, and so would be tried on each.
 */
const beginsWith = (prefix: string) => sql<boolean>`(
  (tenants.name_key >= lower(${prefix}) and tenants.name_key < lower(${prefix}) || ${LAST})
  or (tenants.slug collate "C" >= lower(${prefix}) and tenants.slug collate "C" < lower(${prefix}) || ${LAST})
)`

const matching = (db: Db, { prefix, suspended, userId }: TenantFilter) =>
  db
    .selectFrom('tenants')
    .$if(prefix !== undefined, (query) => query.where(beginsWith(prefix ?? '')))
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

/** How many there are, but no more than one beyond the most. */
export async function countTenants(db: Db, filter: TenantFilter, most: number): Promise<number> {
  const some = matching(db, filter)
    .select(sql`1`.as('one'))
    .limit(most + 1)
  const { total } = await db
    .selectFrom(some.as('some'))
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow()
  return total
}

type Sorted = SelectQueryBuilder<Tables, 'tenants', object>

/** Of each order: by what it sorts, and which tenants stand behind a place in it. */
const ORDERS = {
  '-createdAt': {
    key: sql<string>`to_char(tenants.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
    sort: (query: Sorted) => query.orderBy('tenants.created_at', 'desc').orderBy('tenants.id', 'desc'),
    behind: ({ key, id }: Place) =>
      sql<boolean>`(tenants.created_at, tenants.id) < (${key}::timestamptz, ${id}::uuid)`,
  },
  name: {
    key: sql<string>`tenants.name_key`,
    sort: (query: Sorted) => query.orderBy('tenants.name_key').orderBy('tenants.id'),
    behind: ({ key, id }: Place) => sql<boolean>`(tenants.name_key, tenants.id) > (${key}, ${id}::uuid)`,
  },
  slug: {
    key: sql<string>`tenants.slug`,
    sort: (query: Sorted) => query.orderBy(sql`tenants.slug collate "C"`),
    behind: ({ key }: Place) => sql<boolean>`tenants.slug collate "C" > ${key}`,
  },
} as const

/** A part of the list, from its beginning or behind a place, and where each of them stands. */
export function listTenants(
  db: Db,
  { sort, filter, after }: { sort: TenantQuery['sort']; filter: TenantFilter; after: Place | undefined },
  { offset, limit }: Range,
) {
  const order = ORDERS[sort]
  const part = after ? matching(db, filter).where(order.behind(after)) : matching(db, filter)
  // The ids come out of an index; only the tenants on the page are looked at themselves.
  const onPage = order.sort(part).select('tenants.id').offset(offset).limit(limit)
  return order
    .sort(db.selectFrom('tenants').where('tenants.id', 'in', onPage))
    .selectAll('tenants')
    .select([memberCount.as('member_count'), order.key.as('key')])
    .execute()
}
