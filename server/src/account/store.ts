import type { Db } from '../db/open.ts'

/** When and how the person of a session last proved who they are; undefined when it has ended. */
export const findProof = (db: Db, sessionId: string) =>
  db.selectFrom('sessions').select(['auth_time', 'amr']).where('id', '=', sessionId).executeTakeFirst()
