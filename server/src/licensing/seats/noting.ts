import { type Action, type Entry, recordAndAsk } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Tx } from '../../db/open.ts'
import type { Granting } from './in-ledger.ts'
import { askRevision, type SeatKey } from './store.ts'

export interface Noted {
  action: Action
  granting: Granting
  seat: SeatKey & { licenseTypeId: string }
  before?: string | null
}

/** Writes down what was done, and says how far the tenant's ledger came by it. */
export async function note(ctx: Ctx, tx: Tx, noted: Noted): Promise<string> {
  const question = askRevision(noted.granting.tenantId)
  return (await recordAndAsk(ctx, tx, { ...toEntry(noted), question }))?.revision ?? '0'
}

export function toEntry({ action, granting, seat, before }: Noted): Entry {
  const { actor, request, tenantId } = granting
  const { userId, applicationId, licenseTypeId } = seat
  const details = { applicationId, licenseTypeId, ...(before && { before: { licenseTypeId: before } }) }
  return { action, actor, request, tenantId, userId, details }
}
