import type { Ctx } from '../context.ts'
import { defineJob } from '../jobs/job.ts'
import { firstIdAt } from '../lib/ids.ts'
import {
  findLogBounds,
  listPartitions,
  mergeFirstPartitions,
  type PartitionedTable,
  splitLastPartition,
} from './partitions-store.ts'

/**
 * The audit log is partitioned: entries by month, the links of the hash chain by position. The last partition of each table has no upper
 * bound, so that every row fits into a partition. It is split while it is still empty, which is fast.
 */

/** The number of positions in one partition. */
const LINKS_PER_PARTITION = 100_000_000

export const maintainAuditPartitions = defineJob<unknown>({
  name: 'maintain_audit_partitions',
  schedule: '27 * * * *',
  async run(ctx) {
    const { anchor, head, oldestEntry } = await findLogBounds(ctx.db)
    const month = monthAfterNext(ctx.now())
    await addNextPartition(ctx, {
      table: 'audit_entries',
      at: firstIdAt(month),
      next: `audit_entries_${month.toISOString().slice(0, 7).replace('-', '_')}`,
    })
    const position = (Math.floor(head / LINKS_PER_PARTITION) + 2) * LINKS_PER_PARTITION
    await addNextPartition(ctx, {
      table: 'audit_chain',
      at: String(position),
      next: `audit_chain_${position}`,
    })
    if (oldestEntry !== undefined) await dropEmptyPartitions(ctx, 'audit_entries', oldestEntry)
    await dropEmptyPartitions(ctx, 'audit_chain', String(anchor + 1))
  },
})

const monthAfterNext = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2))

/** Splits the last partition unless it already starts at the given bound or later. */
async function addNextPartition(ctx: Ctx, split: { table: PartitionedTable; at: string; next: string }): Promise<void> {
  const last = (await listPartitions(ctx.db, split.table)).find(({ upper }) => upper === undefined)
  if (last?.lower !== undefined && !isBefore(last.lower, split.at)) return
  await splitLastPartition(ctx.db, split)
  ctx.log.info({ partition: split.next }, 'partition added')
}

/** Drops partitions that retention has emptied. The first partition stays for entries with an old timestamp. */
async function dropEmptyPartitions(ctx: Ctx, table: PartitionedTable, oldest: string): Promise<void> {
  for (;;) {
    const partitions = await listPartitions(ctx.db, table)
    const first = partitions.find(({ lower }) => lower === undefined)
    const second = partitions.find(({ lower }) => lower !== undefined && lower === first?.upper)
    if (second?.upper === undefined || isBefore(oldest, second.upper)) return
    if (!(await mergeFirstPartitions(ctx.db, table))) return
    ctx.log.info({ partition: second.name }, 'empty partition dropped')
  }
}

/** Compares ids, which have equal length, and numbers, of which the shorter one is smaller. */
const isBefore = (one: string, other: string): boolean =>
  one.length === other.length ? one < other : one.length < other.length
