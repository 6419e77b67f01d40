import type { Insertable } from 'kysely'
import type { Tx } from '../db/open.ts'
import type { UsersTable } from '../db/tables.ts'

/** Inserts the users whose address is free, and returns them. */
export const insertUsersIfNew = (tx: Tx, users: Insertable<UsersTable>[]): Promise<{ id: string; email: string }[]> =>
  tx
    .insertInto('users')
    .values(users)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning(['id', 'email'])
    .execute()
