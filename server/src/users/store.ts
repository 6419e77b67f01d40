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

/** The person, whom nobody else changes until the transaction ends. */
export const lockUser = (tx: Tx, id: string): Promise<User | undefined> =>
  tx.selectFrom('users').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst()

/** The person, who stays, with this address, until the transaction ends. They may do whatever else they like. */
export const holdUser = (tx: Tx, id: string): Promise<User | undefined> =>
  tx.selectFrom('users').selectAll().where('id', '=', id).forKeyShare().executeTakeFirst()

/** Makes a person unless somebody has the address; says whether it did. */
export async function insertUserIfNew(tx: Tx, user: Insertable<UsersTable>): Promise<boolean> {
  const added = await tx
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  return added !== undefined
}

export async function insertUser(tx: Tx, user: Insertable<UsersTable>): Promise<void> {
  await tx.insertInto('users').values(user).execute()
}

/** What may change about a person once they exist. */
export type UserChange = Partial<Omit<User, 'id' | 'created_at' | 'updated_at' | 'found_by'>>

export async function updateUser(
  tx: Tx,
  id: string,
  change: UserChange & { updated_at: Date },
): Promise<void> {
  await tx.updateTable('users').set(change).where('id', '=', id).execute()
}

/**
 * Keeps the same password under a better hash, unless it became another meanwhile. For the person nothing changes.
 */
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

/** Who of these people is more here than by an address: a Super Admin, or a member who is not merely invited. */
export async function listSettledIds(db: Db, ids: string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const settled = await db
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
  return settled.map(({ id }) => id)
}

const placeholders = (db: Db) =>
  db.deleteFrom('users').where('password_hash', 'is', null).where('email_verified', '=', false)

/** Deletes the placeholder with this address, if there is one. */
export async function deletePlaceholder(db: Db, email: string): Promise<void> {
  await placeholders(db).where('email', '=', email).execute()
}

/** Deletes placeholders that are members of nothing. Who is being invited at this moment is left for another time. */
export async function deletePlaceholders(db: Db): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const idle = await tx
      .selectFrom('users')
      .select('id')
      .where('password_hash', 'is', null)
      .where('email_verified', '=', false)
      .where(isNoMember)
      .forUpdate()
      .skipLocked()
      .execute()
    const ids = idle.map(({ id }) => id)
    // Asked again: somebody may have become one between the question and the lock.
    if (ids.length > 0) await placeholders(tx).where('id', 'in', ids).where(isNoMember).execute()
  })
}

const isNoMember = ({ not, exists, selectFrom }: ExpressionBuilder<Tables, 'users'>) =>
  not(
    exists(
      selectFrom('memberships').select('memberships.id').whereRef('memberships.user_id', '=', 'users.id'),
    ),
  )
