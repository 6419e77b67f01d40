import type { Insertable } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { SessionsTable, SupportSessionsTable } from '../../db/tables.ts'

/** The sessions of operators with everything that the pages say about them. */
const supportSessions = (db: Db) =>
  db
    .selectFrom('support_sessions')
    .innerJoin('sessions', 'sessions.id', 'support_sessions.id')
    .innerJoin('users', 'users.id', 'support_sessions.user_id')
    .innerJoin('users as operators', 'operators.id', 'support_sessions.operator_id')
    .innerJoin('tenants', 'tenants.id', 'support_sessions.tenant_id')
    .select([
      'sessions.id',
      'sessions.user_id',
      'sessions.auth_time',
      'sessions.auth_time_assumed',
      'sessions.amr',
      'users.email',
      'users.email_verified',
      'users.display_name',
      'users.given_name',
      'users.family_name',
      'support_sessions.operator_id',
      'support_sessions.tenant_id',
      'support_sessions.ends_at',
      'tenants.name as tenant_name',
      'operators.email as operator_email',
      'operators.display_name as operator_display_name',
      'operators.given_name as operator_given_name',
      'operators.family_name as operator_family_name',
    ])

export type SupportRow = NonNullable<Awaited<ReturnType<typeof findBySecret>>>

interface SecretOfOperator {
  hash: Buffer
  operatorSessionId: string
  now: Date
}

/** Finds the session of the cookie, which is valid only next to the session of its operator. */
export const findBySecret = (db: Db, { hash, operatorSessionId, now }: SecretOfOperator) =>
  supportSessions(db)
    .where('support_sessions.secret_hash', '=', hash)
    .where('support_sessions.operator_session_id', '=', operatorSessionId)
    .where('support_sessions.ends_at', '>', now)
    .executeTakeFirst()

export const findById = (db: Db, id: string) =>
  supportSessions(db).where('support_sessions.id', '=', id).executeTakeFirst()

/** Uses up the code of the link, and sets the secret of the cookie. Returns the end of the session. */
export async function openLink(
  db: Db,
  { hash, operatorSessionId, now, secretHash }: SecretOfOperator & { secretHash: Buffer },
): Promise<Date | undefined> {
  const opened = await db
    .updateTable('support_sessions')
    .set({ link_hash: null, secret_hash: secretHash })
    .where('link_hash', '=', hash)
    .where('operator_session_id', '=', operatorSessionId)
    .where('ends_at', '>', now)
    .returning('ends_at')
    .executeTakeFirst()
  return opened?.ends_at
}

export async function insertSupportSession(
  tx: Tx,
  { session, support }: { session: Insertable<SessionsTable>; support: Insertable<SupportSessionsTable> },
): Promise<void> {
  await tx.insertInto('sessions').values(session).execute()
  await tx.insertInto('support_sessions').values(support).execute()
}

/** Ends every session of an operator. */
export async function deleteSessionsOfOperator(tx: Tx, operatorId: string): Promise<void> {
  await tx
    .deleteFrom('sessions')
    .where('id', 'in', (query) =>
      query.selectFrom('support_sessions').select('id').where('operator_id', '=', operatorId),
    )
    .execute()
}

/** Ends sessions whose time is over; without `now`, all of them. */
export async function deleteDueSessions(tx: Tx, now: Date | undefined): Promise<void> {
  await tx
    .deleteFrom('sessions')
    .where('id', 'in', (query) =>
      query
        .selectFrom('support_sessions')
        .select('id')
        .$if(now !== undefined, (due) => due.where('ends_at', '<=', now ?? new Date(0))),
    )
    .execute()
}

/** Ends one session; false if it had ended already. */
export async function deleteSupportSession(tx: Tx, id: string): Promise<SupportEnd | undefined> {
  await tx.deleteFrom('sessions').where('id', '=', id).where('operator_id', 'is not', null).execute()
  return tx.deleteFrom('support_sessions').where('id', '=', id).returningAll().executeTakeFirst()
}

/** Takes the rows of sessions that have ended, each once. */
export const takeEnded = (tx: Tx) =>
  tx
    .deleteFrom('support_sessions')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('sessions').select('sessions.id').whereRef('sessions.id', '=', 'support_sessions.id'))),
    )
    .returningAll()
    .execute()

export type SupportEnd = Awaited<ReturnType<typeof takeEnded>>[number]
