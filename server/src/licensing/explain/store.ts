import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { hasShownUserId } from '../../db/shown-user-id.ts'
import type { Features, MembershipStatus, SubscriptionStatus } from '../../db/tables.ts'
import { NIL_ID, toId } from '../../lib/ids.ts'
import { countOpenReservations } from '../subscriptions/store.ts'

/** A license type of the application, and the tenant's subscription to it. */
export interface LicenseTypeWithSubscription {
  licenseTypeId: string
  slug: string
  features: Features
  subscription: TenantSubscription | null
}

export interface TenantSubscription {
  id: string
  status: SubscriptionStatus
  start: string
  end: string | null
  purchased: number
  taken: number
  /** Whether the user has a seat of this subscription. */
  hasUserSeat: boolean
}

export interface LicenseFacts {
  membershipId: string | null
  status: MembershipStatus | null
  /** The tenant requires a second factor, and the member has none. */
  lacksSecondFactor: boolean
  licenseTypes: LicenseTypeWithSubscription[]
}

/** Reads nothing about a user who is not a member of the tenant. Undefined if the tenant does not exist. */
export async function findLicenseFacts(
  db: Db,
  query: { tenantId: string; userId: string; applicationId?: unknown },
  now: Date,
): Promise<LicenseFacts | undefined> {
  const userId = toId(query.userId) ?? NIL_ID
  const { rows } = await sql<LicenseFacts>`
    select memberships.id as "membershipId", memberships.status,
      coalesce(memberships.status = 'ACTIVE', false) and tenants.mfa_policy = 'REQUIRED'
        and not exists (select from totp_secrets where user_id = memberships.user_id and confirmed_at is not null)
        and not exists (select from passkeys where user_id = memberships.user_id) as "lacksSecondFactor",
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'licenseTypeId', types.id, 'slug', types.slug, 'features', types.features,
          'subscription', case when subscribed.id is not null then jsonb_build_object(
            'id', subscribed.id, 'status', subscribed.status,
            'start', moment(subscribed.current_period_start), 'end', moment(subscribed.current_period_end),
            'purchased', subscribed.quantity_purchased,
            'taken', subscribed.quantity_assigned + ${countOpenReservations(now, 'subscribed')},
            'hasUserSeat', exists (
              select from seats where tenant_id = tenants.id and user_id = memberships.user_id
                and subscription_id = subscribed.id
            )
          ) end
        ) order by types.display_order, types.id)
        from license_types as types
        left join subscriptions as subscribed
          on subscribed.license_type_id = types.id and subscribed.tenant_id = tenants.id
        where types.application_id = ${toId(query.applicationId) ?? NIL_ID}
          and (types.status = 'ACTIVE' or subscribed.id is not null)
      ), '[]') as "licenseTypes"
    from tenants
    left join memberships on memberships.tenant_id = tenants.id and ${hasShownUserId(userId, now)}
    where tenants.id = ${query.tenantId}
  `.execute(db)
  return rows[0]
}
