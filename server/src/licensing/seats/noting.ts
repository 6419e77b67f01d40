import { type Action, type Entry, recordAndAsk } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import type { Granting } from './in-ledger.ts'
import { askRevisions, type SeatKey } from './store.ts'

export interface Noted {
  action: Action
  granting: Granting
  seat: SeatKey & { licenseTypeId: string }
  before?: string | null
}

/** Writes down what was done, and says how far the ledger of each tenant came by it. */
export async function note(ctx: Ctx, tx: Tx, noted: Noted[]): Promise<(tenantId: string) => string> {
  const tenants = new Set(noted.map(({ seat }) => seat.tenantId))
  const rows = await recordAndAsk(ctx, tx, noted.map(toEntry), askRevisions([...tenants]))
  const revisions = new Map(rows.map(({ tenantId, revision }) => [tenantId, revision]))
  return (tenantId) => revisions.get(tenantId) ?? '0'
}

export function toEntry({ action, granting, seat, before }: Noted): Entry {
  const { actor, request, tenantId } = granting
  const { userId, applicationId, licenseTypeId } = seat
  const details = { applicationId, licenseTypeId, ...(before && { before: { licenseTypeId: before } }) }
  return { action, actor, request, tenantId, userId, details }
}
