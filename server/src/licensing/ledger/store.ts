import type { Selectable } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { LicenseLedgerTable } from '../../db/tables.ts'

export type LedgerRow = Selectable<LicenseLedgerTable>

interface LedgerRange {
  tenantId: string
  /** Lists the entries after this sequence in the given order; undefined lists from the start. */
  after: string | undefined
  limit: number
  order: 'asc' | 'desc'
}

export const listLedger = (db: Db, { tenantId, after, limit, order }: LedgerRange): Promise<LedgerRow[]> =>
  db
    .selectFrom('license_ledger')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .$if(after !== undefined, (query) => query.where('sequence', order === 'asc' ? '>' : '<', after ?? '0'))
    .orderBy('sequence', order)
    .limit(limit)
    .execute()
