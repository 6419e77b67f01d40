import type { Db } from '../db/open.ts'

/** When and how the person of a session last authenticated; undefined when the session has ended. */
export const findSessionAuthentication = (db: Db, sessionId: string) =>
  db.selectFrom('sessions').select(['auth_time', 'amr']).where('id', '=', sessionId).executeTakeFirst()
