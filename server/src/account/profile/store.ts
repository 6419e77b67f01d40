import type { Db } from '../../db/open.ts'

/** A person with everything their profile shows beside their tenants. */
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

export type ProfileRow = NonNullable<Awaited<ReturnType<typeof findProfile>>>

/** Every tenant that counts the person among its members, whatever their state there. */
export const listMembershipsOf = (db: Db, userId: string, now: Date) =>
  db
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select(['tenants.id as tenantId', 'tenants.name as tenantName', 'tenants.slug as tenantSlug'])
    .select(['memberships.role', 'memberships.status'])
    .where('memberships.user_id', '=', userId)
    .where((where) => where.or([where('status', '<>', 'INVITED'), where('invited_until', '>', now)]))
    .orderBy(({ fn }) => fn('lower', ['tenants.name']))
    .orderBy('tenants.id')
    .execute()
