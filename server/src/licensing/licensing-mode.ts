import type { Db } from '../db/open.ts'
import type { LicensingMode } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { requireApplicationId } from './application-id.ts'
import { findLicensingMode } from './licensing-mode-store.ts'

/** Throws INVALID_APPLICATION_ID if there is no such application. */
export async function getLicensingMode(db: Db, applicationId: string): Promise<{ id: string; mode: LicensingMode }> {
  const id = requireApplicationId(applicationId)
  const mode = await findLicensingMode(db, id)
  if (mode === undefined) throw new AppError('INVALID_APPLICATION_ID')
  return { id, mode }
}
