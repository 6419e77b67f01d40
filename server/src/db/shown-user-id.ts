import { type RawBuilder, sql } from 'kysely'

/**
 * True if the tenant's API shows the membership under this `userId`. That is the id of the account or, for a pending
 * invitation, the id of the membership (tenants/invited.ts explains why).
 */
export const hasShownUserId = (userId: string, now: Date): RawBuilder<boolean> => sql<boolean>`(
  memberships.user_id = ${userId} and memberships.status <> 'INVITED'
  or memberships.id = ${userId} and memberships.status = 'INVITED' and memberships.invited_until > ${now}
)`
