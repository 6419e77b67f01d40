import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { isShownAs } from '../../db/shown-members.ts'
import type { Features, MembershipStatus, SubscriptionStatus } from '../../db/tables.ts'
import { NO_ID, toId } from '../../lib/ids.ts'
import { openReservations } from '../subscriptions/store.ts'

/** A licence type of the application, and what the tenant has bought of it. */
export interface Offer {
  licenseTypeId: string
  slug: string
  features: Features
  subscription: Bought | null
}

export interface Bought {
  id: string
  status: SubscriptionStatus
  start: string
  end: string | null
  purchased: number
  taken: number
  /** The person's own seat is one of these. */
  isTheirs: boolean
}

export interface Circumstances {
  membershipId: string | null
  status: MembershipStatus | null
  /** The tenant requires a second factor that the member has not. */
  needsFactor: boolean
  offers: Offer[]
}

/** What stands around a licence. Of who is no member of the tenant, or none yet, nothing is told. */
export async function findCircumstances(
  db: Db,
  asked: { tenantId: string; userId: string; applicationId?: unknown },
  now: Date,
): Promise<Circumstances | undefined> {
  const userId = toId(asked.userId) ?? NO_ID
  const { rows } = await sql<Circumstances>`
    select memberships.id as "membershipId", memberships.status,
      coalesce(memberships.status = 'ACTIVE', false) and tenants.mfa_policy = 'REQUIRED'
        and not exists (select from totp_secrets where user_id = memberships.user_id and confirmed_at is not null)
        and not exists (select from passkeys where user_id = memberships.user_id) as "needsFactor",
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'licenseTypeId', types.id, 'slug', types.slug, 'features', types.features,
          'subscription', case when bought.id is not null then jsonb_build_object(
            'id', bought.id, 'status', bought.status,
            'start', moment(bought.current_period_start), 'end', moment(bought.current_period_end),
            'purchased', bought.quantity_purchased,
            'taken', bought.quantity_assigned + ${openReservations(now, 'bought')},
            'isTheirs', exists (
              select from seats where tenant_id = tenants.id and user_id = memberships.user_id
                and subscription_id = bought.id
            )
          ) end
        ) order by types.display_order, types.id)
        from license_types as types
        left join subscriptions as bought on bought.license_type_id = types.id and bought.tenant_id = tenants.id
        where types.application_id = ${toId(asked.applicationId) ?? NO_ID}
          and (types.status = 'ACTIVE' or bought.id is not null)
      ), '[]') as offers
    from tenants
    left join memberships on memberships.tenant_id = tenants.id and ${isShownAs(userId, now)}
    where tenants.id = ${asked.tenantId}
  `.execute(db)
  return rows[0]
}
