import type { Db } from '../../db/open.ts'

/** How the person of a session has proven who they are; nothing when it has ended. */
export async function findAmr(db: Db, sessionId: string): Promise<string[]> {
  const session = await db.selectFrom('sessions').select('amr').where('id', '=', sessionId).executeTakeFirst()
  return session?.amr ?? []
}
