import type { Selectable } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { LicenseLedgerTable } from '../../db/tables.ts'

export type LedgerRow = Selectable<LicenseLedgerTable>

/** What happened to the seats of a tenant after a place in its ledger, in order. */
export const listLedger = (
  db: Db,
  { tenantId, after, limit }: { tenantId: string; after: string; limit: number },
): Promise<LedgerRow[]> =>
  db
    .selectFrom('license_ledger')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit)
    .execute()
