import { sql } from 'kysely'
import type { Db } from '../db/open.ts'

/** Options of the protocol that at least one client of the instance may use. */
export interface ClientFeatures {
  formPost: boolean
}

export const findClientFeatures = (db: Db): Promise<ClientFeatures> =>
  db
    .selectFrom('clients')
    .select(sql<boolean>`coalesce(bool_or('form_post' = any(response_modes)), false)`.as('formPost'))
    .where('disabled', '=', false)
    .executeTakeFirstOrThrow()
