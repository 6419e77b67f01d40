import { sql } from 'kysely'
import type { Db } from '../db/open.ts'

/** A range-partitioned table of the audit log. */
export type PartitionedTable = 'audit_entries' | 'audit_chain'

export interface Partition {
  name: string
  /** Undefined: unbounded. */
  lower: string | undefined
  upper: string | undefined
}

export async function listPartitions(db: Db, table: PartitionedTable): Promise<Partition[]> {
  const { rows } = await sql<{ name: string; lower: string | null; upper: string | null }>`
    select name, lower, upper from range_partitions where parent = ${table}
  `.execute(db)
  return rows.map(({ name, lower, upper }) => ({
    name,
    lower: lower ?? undefined,
    upper: upper ?? undefined,
  }))
}

/** Ends the last partition at a bound and adds the next one. */
export async function splitLastPartition(
  db: Db,
  { table, at, next }: { table: PartitionedTable; at: string; next: string },
): Promise<void> {
  await sql`select end_last_partition(${table}, ${at}, ${next})`.execute(db)
  // Autovacuum analyzes partitions, but not the partitioned table.
  await sql`analyze ${sql.table(table)}`.execute(db)
}

/** Merges the first two partitions if they are empty and returns whether it did. */
export async function mergeFirstPartitions(db: Db, table: PartitionedTable): Promise<boolean> {
  const { rows } = await sql<{ joined: boolean }>`select join_first_partitions(${table}) as joined`.execute(db)
  return rows[0]?.joined === true
}

/** The bounds of the audit log. `oldestEntry` is undefined when no entry is linked. */
export async function findLogBounds(
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
