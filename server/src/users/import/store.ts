import type { Insertable } from 'kysely'
import type { Tx } from '../../db/open.ts'
import type { UsersTable } from '../../db/tables.ts'

/** Makes these people, but for those whose address somebody has; answers whom it made. */
export const insertUsersIfNew = (
  tx: Tx,
  users: Insertable<UsersTable>[],
): Promise<{ id: string; email: string }[]> =>
  tx
    .insertInto('users')
    .values(users)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(['id', 'email'])
    .execute()
