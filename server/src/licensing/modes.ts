import type { Db } from '../db/open.ts'
import type { LicensingMode } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { requireApplicationId } from './application-id.ts'
import { findMode } from './modes/store.ts'

/** How an application is licensed; whatever is the id of none is refused. */
export async function getMode(db: Db, applicationId: string): Promise<{ id: string; mode: LicensingMode }> {
  const id = requireApplicationId(applicationId)
  const mode = await findMode(db, id)
  if (mode === undefined) throw new AppError('INVALID_APPLICATION_ID')
  return { id, mode }
}
