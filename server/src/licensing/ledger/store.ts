import type { Selectable } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { LicenseLedgerTable } from '../../db/tables.ts'

export type LedgerRow = Selectable<LicenseLedgerTable>

interface Part {
  tenantId: string
  /** The last sequence known; undefined: none. */
  after: string | undefined
  limit: number
  order: 'asc' | 'desc'
}

/** What happened to the seats of a tenant from a place in its ledger on, forwards or backwards. */
export const listLedger = (db: Db, { tenantId, after, limit, order }: Part): Promise<LedgerRow[]> =>
  db
    .selectFrom('license_ledger')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .$if(after !== undefined, (query) => query.where('sequence', order === 'asc' ? '>' : '<', after ?? '0'))
    .orderBy('sequence', order)
    .limit(limit)
    .execute()
