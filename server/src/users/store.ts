import { type ExpressionBuilder, type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'
import type { Tables, UsersTable } from '../db/tables.ts'

export type User = Selectable<UsersTable>

export const findUserByEmail = (db: Db, email: string): Promise<User | undefined> =>
  db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()

export const listUsersByEmail = (db: Db, emails: string[]): Promise<User[]> =>
  db.selectFrom('users').selectAll().where(sql<boolean>`email = any(${emails})`).execute()

export const findUser = (db: Db, id: string): Promise<User | undefined> =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()

/** Locks the row against every change until the transaction ends. */
export const lockUser = (tx: Tx, id: string): Promise<User | undefined> =>
  tx.selectFrom('users').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

/** Locks the row against deletion and a change of the address until the transaction ends. Other updates may go on. */
export const lockUserKey = (tx: Tx, id: string): Promise<User | undefined> =>
  tx.selectFrom('users').selectAll().where('id', '=', id).forKeyShare().executeTakeFirst()

/** Inserts the user unless the address is taken; returns whether it did. */
export async function insertUserIfNew(tx: Tx, user: Insertable<UsersTable>): Promise<boolean> {
  const added = await tx
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  return added !== undefined
}

/** The columns that may change after the insert. */
export type UserChange = Partial<Omit<User, 'id' | 'created_at' | 'updated_at' | 'found_by'>>

export async function updateUser(tx: Tx, id: string, change: UserChange & { updated_at: Date }): Promise<void> {
  await tx.updateTable('users').set(change).where('id', '=', id).execute()
}

/** Replaces the hash of the same password, unless the password was changed meanwhile. Does not touch `updated_at`. */
export async function upgradePasswordHash(
  db: Db,
  id: string,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const upgraded = await db
    .updateTable('users')
    .set({ password_hash: to })
    .where('id', '=', id)
    .where('password_hash', '=', from)
    .returning('id')
    .executeTakeFirst()
  return upgraded !== undefined
}

/** The users among these that are Super Admins, or members who are not merely invited. */
export async function listUserIdsWithRights(db: Db, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const rows = await db
    .selectFrom('users')
    .select('id')
    .where('id', 'in', ids)
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('is_super_admin', '=', true),
        exists(
          selectFrom('memberships')
            .select('memberships.id')
            .whereRef('memberships.user_id', '=', 'users.id')
            .where('memberships.status', '!=', 'INVITED'),
        ),
      ]),
    )
    .execute()
  return rows.map(({ id }) => id)
}

const deleteFromPlaceholders = (db: Db) =>
  db.deleteFrom('users').where('password_hash', 'is', null).where('email_verified', '=', false)

/** Deletes the placeholder account with this address, if there is one. */
export async function deletePlaceholder(db: Db, email: string): Promise<void> {
  await deleteFromPlaceholders(db).where('email', '=', email).execute()
}

/** Deletes placeholder accounts without a membership. Rows that are locked by an invitation in progress are skipped. */
export async function deletePlaceholders(db: Db): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const unused = await tx
      .selectFrom('users')
      .select('id')
      .where('password_hash', 'is', null)
      .where('email_verified', '=', false)
      .where(hasNoMembership)
      .forUpdate()
      .skipLocked()
      .execute()
    const ids = unused.map(({ id }) => id)
    // Checked again: a membership may have been added between the read and the lock.
    if (ids.length > 0) await deleteFromPlaceholders(tx).where('id', 'in', ids).where(hasNoMembership).execute()
  })
}

const hasNoMembership = ({ not, exists, selectFrom }: ExpressionBuilder<Tables, 'users'>) =>
  not(exists(selectFrom('memberships').select('memberships.id').whereRef('memberships.user_id', '=', 'users.id')))
