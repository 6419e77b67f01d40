import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'

/** People by their ids, with everything that a list of them shows. In no order. */
export const listByIds = (db: Db, ids: string[]) =>
  db
    .selectFrom('users')
    .select(['id', 'email', 'email_verified', 'display_name', 'given_name', 'family_name'])
    .select(['is_super_admin', 'disabled', 'password_sign_in', 'deletion_requested_at'])
    .select(['created_at', 'updated_at'])
    // To the last digit, which a Date has not.
    .select(sql<string>`created_at::text`.as('created_mark'))
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
          row.exists(
            row.selectFrom('passkeys').select('passkeys.id').whereRef('passkeys.user_id', '=', 'users.id'),
          ),
        ])
        .as('mfa_enabled'),
    ])
    .select(
      sql<Date | null>`greatest(
        (select max(auth_time) from sessions where user_id = users.id),
        (select max(last_seen_at) from known_devices where user_id = users.id)
      )`.as('last_sign_in_at'),
    )
    .where('id', 'in', ids)
    // Who was only invited has no account.
    .where((where) => where.or([where('password_hash', 'is not', null), where('email_verified', '=', true)]))
    .execute()
export type UserRow = Awaited<ReturnType<typeof listByIds>>[number]
