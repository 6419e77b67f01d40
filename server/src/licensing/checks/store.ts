import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { Features, LicensingMode, MembershipStatus, SubscriptionStatus } from '../../db/tables.ts'

export interface EligibilityRow {
  mode: LicensingMode
  revision: string
  /** Whether the tenant is suspended. */
  suspended: boolean
  disabled: boolean | null
  status: MembershipStatus | null
  joined_at: Date | null
  /** In order of precedence. */
  entitlements: {
    slug: string
    name: string
    features: Features
    since: string | null
    status: SubscriptionStatus
    end: string | null
  }[]
}

/** Reads what decides which license a user holds, in one snapshot. Undefined if the application does not exist. */
export async function findEligibilityRow(
  db: Db,
  { tenantId, userId, applicationId }: { tenantId: string; userId: string; applicationId: string },
): Promise<EligibilityRow | undefined> {
  const { rows } = await sql<EligibilityRow>`
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
      ), '[]') as entitlements
    from applications
    left join memberships on memberships.tenant_id = ${tenantId} and memberships.user_id = ${userId}
      and memberships.status <> 'INVITED'
    -- Only for members: the state of other accounts, including INVITED ones, must not be disclosed.
    left join users on users.id = memberships.user_id
    where applications.id = ${applicationId}
  `.execute(db)
  return rows[0]
}
