import { sql } from 'kysely'
import type { Db } from './open.ts'

/** The number of rows by table. */
export type RowCounts = Record<string, number>

const OWN_TABLES = sql`relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace`

/** Counts the rows of every table. Slow for large tables. */
export async function countRows(db: Db): Promise<RowCounts> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class where ${OWN_TABLES} order by relname`.execute(db)
  const counts: RowCounts = {}
  for (const { name } of tables) {
    const { rows } = await sql<{ count: number }>`select count(*) from ${sql.table(name)}`.execute(db)
    counts[name] = rows[0]?.count ?? 0
  }
  return counts
}

/** Returns PostgreSQL's estimates without counting. */
export async function estimateRows(db: Db): Promise<RowCounts> {
  const { rows } = await sql<{ name: string; rows: number }>`
    select relname as name, (
      -- For a partitioned table PostgreSQL has estimates of the partitions only.
      select sum(greatest(reltuples, 0))::int8 from pg_class as part
      where part.oid = pg_class.oid and relkind = 'r'
        or part.oid in (select relid from pg_partition_tree(pg_class.oid) where isleaf)
    ) as rows
    from pg_class where ${OWN_TABLES}`.execute(db)
  return Object.fromEntries(rows.map(({ name, rows: count }) => [name, count]))
}
