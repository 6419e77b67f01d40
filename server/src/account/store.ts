import type { Db } from '../db/open.ts'

/** When the person of a session last proved who they are; undefined when it has ended. */
export async function findAuthTime(db: Db, sessionId: string): Promise<Date | undefined> {
  const session = await db
    .selectFrom('sessions')
    .select('auth_time')
    .where('id', '=', sessionId)
    .executeTakeFirst()
  return session?.auth_time
}
