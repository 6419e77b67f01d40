import { sql } from 'kysely'
import type { Db, Tx } from '../db/open.ts'

/** The users with these ids, in no particular order. */
export const listUserRows = (db: Db, ids: string[]) =>
  db
    .selectFrom('users')
    .select(['id', 'email', 'email_verified', 'display_name', 'given_name', 'family_name'])
    .select(['is_super_admin', 'disabled', 'password_sign_in', 'deletion_requested_at'])
    .select(['created_at', 'updated_at'])
    // For cursors: a Date would lose the microseconds.
    .select(sql<string>`created_at::text`.as('created_at_text'))
    .select((row) => [
      row('password_hash', 'is not', null).as('has_password'),
      row
        .or([
          row.exists(
            row
              .selectFrom('totp_secrets')
              .select('user_id')
              .whereRef('user_id', '=', 'users.id')
              .where('confirmed_at', 'is not', null),
          ),
          row.exists(row.selectFrom('passkeys').select('passkeys.id').whereRef('passkeys.user_id', '=', 'users.id')),
        ])
        .as('mfa_enabled'),
    ])
    .select(
      sql<Date | null>`greatest(
        (select max(auth_time) from sessions where user_id = users.id and operator_id is null),
        (select max(last_seen_at) from known_devices where user_id = users.id)
      )`.as('last_sign_in_at'),
    )
    .where('id', 'in', ids)
    // Excludes placeholder accounts.
    .where((where) => where.or([where('password_hash', 'is not', null), where('email_verified', '=', true)]))
    .execute()
export type UserRow = Awaited<ReturnType<typeof listUserRows>>[number]

/** The number of accounts, which a database trigger keeps as increments. */
export async function countAccounts(db: Db): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    select coalesce(sum(change), 0) as count from user_counts
  `.execute(db)
  return Number(rows[0]?.count ?? 0)
}

/** Replaces the increments by their sum. Several nodes may run it concurrently: each skips rows that another has locked. */
export async function consolidateCounts(db: Db): Promise<void> {
  await sql`
    with taken as (
      delete from user_counts where id in (select id from user_counts for update skip locked)
      and (select count(*) from user_counts) > 1 returning change
    )
    insert into user_counts (change) select sum(change) from taken having count(*) > 0
  `.execute(db)
}

/** Runs all queries of a page on one snapshot. */
export const withReadSnapshot = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(work)
