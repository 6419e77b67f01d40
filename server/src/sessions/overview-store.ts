import type { ExpressionBuilder } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { Tables } from '../db/tables.ts'

/**
 * A session is active if its cookie was used and created after these times, or if it has a grant that has not expired.
 */
export interface ActivityBounds {
  usedAfter: Date
  startedAfter: Date
  now: Date
}

/** A session is active while its cookie is valid or an application has a grant from it. */
const isActive = ({ usedAfter, startedAfter, now }: ActivityBounds) => {
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

/** A user's active sessions, the most recently used first. The current session is always included. */
export const listActiveSessions = (
  db: Db,
  { userId, current, bounds }: { userId: string; current: string; bounds: ActivityBounds },
) =>
  db
    .selectFrom('sessions')
    .select(['id', 'user_agent', 'ip_address', 'last_active_at', 'created_at'])
    .where('user_id', '=', userId)
    .where('operator_id', 'is', null)
    .where((where) => where.or([where('id', '=', current), isActive(bounds)(where)]))
    .orderBy('last_active_at', 'desc')
    .orderBy('id', 'desc')
    .execute()

/** Returns false if the user has no such session. */
export async function deleteOwnSession(tx: Tx, { userId, id }: { userId: string; id: string }): Promise<boolean> {
  const deleted = await tx
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst()
  return deleted !== undefined
}

export async function countActiveSessions(
  db: Db,
  { userId, bounds }: { userId: string; bounds: ActivityBounds },
): Promise<number> {
  const { count } = await db
    .selectFrom('sessions')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('user_id', '=', userId)
    .where('operator_id', 'is', null)
    .where((where) => isActive(bounds)(where))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Deletes a user's sessions except `exceptId`, and returns how many of them were active. */
export async function deleteOtherSessions(
  tx: Tx,
  { userId, exceptId, bounds }: { userId: string; exceptId?: string; bounds: ActivityBounds },
): Promise<number> {
  let sessions = tx.deleteFrom('sessions').where('user_id', '=', userId)
  if (exceptId !== undefined) sessions = sessions.where('id', '!=', exceptId)
  const deleted = await sessions.returning((row) => isActive(bounds)(row).as('isActive')).execute()
  return deleted.filter(({ isActive }) => isActive).length
}
