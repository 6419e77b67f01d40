import { maintainAuditPartitions } from '../../src/audit/partitions.ts'
import { listPartitions } from '../../src/audit/partitions-store.ts'
import type { TestService } from '../support/service.ts'
import { runSql } from './log.ts'

export const maintainPartitions = ({ ctx }: TestService) => maintainAuditPartitions.run(ctx, {})

/** The number of rows in each partition. */
export async function countRowsByPartition({ ctx }: TestService, table: string): Promise<Record<string, number>> {
  const text = `select tableoid::regclass::text as name, count(*)::int from ${table} group by 1`
  return Object.fromEntries((await runSql(ctx, text)).map(({ name, count }) => [name, Number(count)]))
}

/** Partitions in order. */
export const listBounds = async ({ ctx }: TestService, table: 'audit_entries' | 'audit_chain') =>
  (await listPartitions(ctx.db, table)).toSorted((one, other) => order(one.lower) - order(other.lower))

/** The time in an id, or the first digits of a position. */
export const order = (lower = '0') => Number.parseInt(lower.replaceAll('-', '').slice(0, 12), 16)
