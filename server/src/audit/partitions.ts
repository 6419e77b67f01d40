import type { Ctx } from '../context.ts'
import { defineJob } from '../jobs/job.ts'
import { firstIdAt } from '../lib/ids.ts'
import {
  type Divided,
  endLastPartition,
  findExtent,
  joinFirstPartitions,
  listPartitions,
} from './partitions/store.ts'

/**
 * The log is divided: its entries by month, its links by position. The last partition of each has no end, so whatever is
 * written has a place. It is given one before anything is written to it, which is quick because it is empty.
 */

/** How many positions make a partition. */
const LINKS = 100_000_000

export const maintainAuditPartitions = defineJob<unknown>({
  name: 'maintain_audit_partitions',
  schedule: '27 * * * *',
  async run(ctx) {
    const { anchor, head, oldestEntry } = await findExtent(ctx.db)
    const month = monthAfterNext(ctx.now())
    await addAhead(ctx, {
      table: 'audit_entries',
      at: firstIdAt(month),
      next: `audit_entries_${month.toISOString().slice(0, 7).replace('-', '_')}`,
    })
    const position = (Math.floor(head / LINKS) + 2) * LINKS
    await addAhead(ctx, { table: 'audit_chain', at: String(position), next: `audit_chain_${position}` })
    if (oldestEntry !== undefined) await dropEmptied(ctx, 'audit_entries', oldestEntry)
    await dropEmptied(ctx, 'audit_chain', String(anchor + 1))
  },
})

const monthAfterNext = (now: Date): Date => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2))

/** Sees to it that the last partition begins where nothing is written for a while yet. */
async function addAhead(ctx: Ctx, next: { table: Divided; at: string; next: string }): Promise<void> {
  const last = (await listPartitions(ctx.db, next.table)).find(({ upper }) => upper === undefined)
  if (last?.lower !== undefined && !isBefore(last.lower, next.at)) return
  await endLastPartition(ctx.db, next)
  ctx.log.info({ partition: next.next }, 'partition added')
}

/** Drops partitions that retention has emptied. One without rows stays at the beginning, for whatever is told late. */
async function dropEmptied(ctx: Ctx, table: Divided, oldest: string): Promise<void> {
  for (;;) {
    const partitions = await listPartitions(ctx.db, table)
    const first = partitions.find(({ lower }) => lower === undefined)
    const second = partitions.find(({ lower }) => lower !== undefined && lower === first?.upper)
    if (second?.upper === undefined || isBefore(oldest, second.upper)) return
    if (!(await joinFirstPartitions(ctx.db, table))) return
    ctx.log.info({ partition: second.name }, 'empty partition dropped')
  }
}

/** Ids are of one length, and a shorter number is a smaller one. */
const isBefore = (one: string, other: string): boolean =>
  one.length === other.length ? one < other : one.length < other.length
