import type { Db } from '../db/open.ts'
import type { LicensingMode } from '../db/tables.ts'

export const findLicensingMode = async (db: Db, applicationId: string): Promise<LicensingMode | undefined> =>
  (await db.selectFrom('applications').select('licensing_mode').where('id', '=', applicationId).executeTakeFirst())
    ?.licensing_mode
