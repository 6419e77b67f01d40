import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'

/** A table of the log that is divided by range. */
export type Divided = 'audit_entries' | 'audit_chain'

export interface Partition {
  name: string
  /** Undefined: it has none. */
  lower: string | undefined
  upper: string | undefined
}

export async function listPartitions(db: Db, table: Divided): Promise<Partition[]> {
  const { rows } = await sql<{ name: string; lower: string | null; upper: string | null }>`
    select name, lower, upper from range_partitions where parent = ${table}
  `.execute(db)
  return rows.map(({ name, lower, upper }) => ({
    ...{ name, lower: lower ?? undefined, upper: upper ?? undefined },
  }))
}

/** Ends the last partition at a bound and adds the next one. */
export async function endLastPartition(
  db: Db,
  { table, at, next }: { table: Divided; at: string; next: string },
): Promise<void> {
  await sql`select end_last_partition(${table}, ${at}, ${next})`.execute(db)
  // PostgreSQL does so by itself for partitions, and not for the table that they are of.
  await sql`analyze ${sql.table(table)}`.execute(db)
}

/** Says whether the first two partitions were empty, and are one now. */
export async function joinFirstPartitions(db: Db, table: Divided): Promise<boolean> {
  const { rows } = await sql<{ joined: boolean }>`select join_first_partitions(${table}) as joined`.execute(
    db,
  )
  return rows[0]?.joined === true
}

/** Where the log begins and ends; without an entry it has none that is linked. */
export async function findExtent(
  db: Db,
): Promise<{ anchor: number; head: number; oldestEntry: string | undefined }> {
  const { rows } = await sql<{ anchor: string; head: string; entry: string | null }>`
    select anchor_position as anchor, position as head, (
      select entry_id from audit_chain where audit_chain.position > anchor_position
      order by audit_chain.position limit 1
    ) as entry
    from audit_head
  `.execute(db)
  const { anchor = '0', head = '0', entry = null } = rows[0] ?? {}
  return { anchor: Number(anchor), head: Number(head), oldestEntry: entry ?? undefined }
}
