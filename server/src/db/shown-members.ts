import { type RawBuilder, sql } from 'kysely'

/**
 * Whether a membership belongs to whom its tenant knows by this `userId`: the id of the account or, of who is INVITED at
 * this moment, that of the membership (tenants/invited.ts says why).
 */
export const isShownAs = (userId: string, now: Date): RawBuilder<boolean> => sql<boolean>`(
  memberships.user_id = ${userId} and memberships.status <> 'INVITED'
  or memberships.id = ${userId} and memberships.status = 'INVITED' and memberships.invited_until > ${now}
)`
