import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { Features, LicensingMode, MembershipStatus, SubscriptionStatus } from '../../db/tables.ts'

export interface StandingRow {
  mode: LicensingMode
  revision: string
  /** The tenant is. */
  suspended: boolean
  disabled: boolean | null
  status: MembershipStatus | null
  joined_at: Date | null
  holdings: {
    slug: string
    name: string
    features: Features
    since: string | null
    status: SubscriptionStatus
    end: string | null
  }[]
}

/** All that decides about one person's licence for one application, of one moment; undefined: no such application. */
export async function findStandingRow(
  db: Db,
  { tenantId, userId, applicationId }: { tenantId: string; userId: string; applicationId: string },
): Promise<StandingRow | undefined> {
  const { rows } = await sql<StandingRow>`
    select applications.licensing_mode as mode, users.disabled, memberships.status, memberships.joined_at,
      coalesce((select revision from license_revisions where tenant_id = ${tenantId}), 0)::text as revision,
      coalesce((select suspended_at is not null from tenants where id = ${tenantId}), false) as suspended,
      coalesce((
        select jsonb_agg(held order by held.rank) from (
          select types.slug, types.name, types.features, moment(seats.assigned_at) as since,
            subscriptions.status, moment(subscriptions.current_period_end) as end, 1 as rank
          from seats
          join subscriptions on subscriptions.id = seats.subscription_id
          join license_types as types on types.id = seats.license_type_id
          where applications.licensing_mode = 'PER_SEAT' and seats.status = 'ASSIGNED'
            and seats.tenant_id = ${tenantId} and seats.user_id = ${userId}
            and seats.application_id = applications.id
          union all
          select types.slug, types.name, types.features, moment(subscriptions.current_period_start),
            subscriptions.status, moment(subscriptions.current_period_end),
            row_number() over (order by types.display_order desc, subscriptions.created_at desc, subscriptions.id)
          from subscriptions
          join license_types as types on types.id = subscriptions.license_type_id
          where applications.licensing_mode = 'TENANT_WIDE'
            and subscriptions.tenant_id = ${tenantId} and subscriptions.application_id = applications.id
          union all
          select types.slug, types.name, types.features, null, 'ACTIVE', null,
            row_number() over (order by types.display_order, types.created_at, types.id)
          from license_types as types
          where applications.licensing_mode = 'FREE' and types.status = 'ACTIVE'
            and types.application_id = applications.id
        ) as held
      ), '[]') as holdings
    from applications
    left join memberships on memberships.tenant_id = ${tenantId} and memberships.user_id = ${userId}
      and memberships.status <> 'INVITED'
    -- Of strangers nothing is told, and who is INVITED is still one of them.
    left join users on users.id = memberships.user_id
    where applications.id = ${applicationId}
  `.execute(db)
  return rows[0]
}
