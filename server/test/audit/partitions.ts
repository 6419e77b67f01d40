import { listPartitions } from '../../src/audit/partitions/store.ts'
import { maintainAuditPartitions } from '../../src/audit/partitions.ts'
import type { TestService } from '../support/service.ts'
import { run } from './log.ts'

export const maintain = ({ ctx }: TestService) => maintainAuditPartitions.run(ctx, {})

/** In which partition each row lies, by how many. */
export async function whereIn({ ctx }: TestService, table: string): Promise<Record<string, number>> {
  const text = `select tableoid::regclass::text as name, count(*)::int from ${table} group by 1`
  return Object.fromEntries((await run(ctx, text)).map(({ name, count }) => [name, Number(count)]))
}

/** Partitions in their order. */
export const bounds = async ({ ctx }: TestService, table: 'audit_entries' | 'audit_chain') =>
  (await listPartitions(ctx.db, table)).toSorted((one, other) => order(one.lower) - order(other.lower))

/** The time in an id, or the first digits of a position. */
export const order = (lower = '0') => Number.parseInt(lower.replaceAll('-', '').slice(0, 12), 16)
