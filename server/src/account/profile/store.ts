import type { Db } from '../../db/open.ts'

/** The user row and whether a second factor is set up. */
export const findProfile = (db: Db, userId: string) =>
  db
    .selectFrom('users')
    .selectAll()
    .select(({ exists, selectFrom, or }) =>
      or([
        exists(
          selectFrom('totp_secrets')
            .select('totp_secrets.user_id')
            .whereRef('totp_secrets.user_id', '=', 'users.id')
            .where('totp_secrets.confirmed_at', 'is not', null),
        ),
        exists(selectFrom('passkeys').select('passkeys.id').whereRef('passkeys.user_id', '=', 'users.id')),
      ]).as('mfa_enabled'),
    )
    .where('id', '=', userId)
    .executeTakeFirst()
