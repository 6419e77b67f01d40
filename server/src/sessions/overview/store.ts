import type { ExpressionBuilder } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { Tables } from '../../db/tables.ts'

/** What is still good now: cookies used and begun after these moments, and grants that end after this one. */
export interface Alive {
  usedAfter: Date
  startedAfter: Date
  now: Date
}

/** A session lives while its cookie is good, or an application still has a hold on it. */
const isAlive = ({ usedAfter, startedAfter, now }: Alive) => {
  return ({ eb, and, or, exists, selectFrom }: ExpressionBuilder<Tables, 'sessions'>) =>
    or([
      and([eb('sessions.cookie_used_at', '>', usedAfter), eb('sessions.created_at', '>', startedAfter)]),
      exists(
        selectFrom('grants')
          .select('grants.id')
          .whereRef('grants.session_id', '=', 'sessions.id')
          .where('grants.expires_at', '>', now),
      ),
    ])
}

/** A person's living sessions, the one in use last first. The one that asks is among them: it was good a moment ago. */
export const listLivingSessions = (
  db: Db,
  { userId, current, alive }: { userId: string; current: string; alive: Alive },
) =>
  db
    .selectFrom('sessions')
    .select(['id', 'user_agent', 'ip_address', 'last_active_at', 'created_at'])
    .where('user_id', '=', userId)
    .where((where) => where.or([where('id', '=', current), isAlive(alive)(where)]))
    .orderBy('last_active_at', 'desc')
    .orderBy('id', 'desc')
    .execute()

/** Says whether the person had such a session. */
export async function deleteSessionOf(
  tx: Tx,
  { userId, id }: { userId: string; id: string },
): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst()
  return deleted !== undefined
}

export async function countLivingSessions(
  db: Db,
  { userId, alive }: { userId: string; alive: Alive },
): Promise<number> {
  const { count } = await db
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('user_id', '=', userId)
    .where((where) => isAlive(alive)(where))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Ends all sessions of a person, but for one that is to stay, and says how many of them were alive. */
export async function deleteSessionsBeside(
  tx: Tx,
  { userId, kept, alive }: { userId: string; kept?: string; alive: Alive },
): Promise<number> {
  let sessions = tx.deleteFrom('sessions').where('user_id', '=', userId)
  if (kept !== undefined) sessions = sessions.where('id', '!=', kept)
  const deleted = await sessions.returning((row) => isAlive(alive)(row).as('alive')).execute()
  return deleted.filter(({ alive }) => alive).length
}
