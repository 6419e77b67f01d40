import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'

/** The use of a refresh token that stays valid. */
export interface Renewal {
  hash: Buffer
  grantId: string
  /** The tenant of the grant from now on. */
  tenantId: string | null
  now: Date
  expiresAt: Date
}

/** Moves the expiry and the last use of a refresh token. Returns false if it is not valid anymore. Locks as `rotateRefreshTokens` does. */
export async function renewRefreshToken(
  db: Db,
  { hash, grantId, tenantId, now, expiresAt }: Renewal,
): Promise<boolean> {
  const { rows } = await sql`
    with locked as (
      select id from grants where id = ${grantId} for no key update
    ), renewed as (
      update refresh_tokens set expires_at = ${expiresAt}, renewed_at = ${now} from locked
      where hash = ${hash} and (grant_id = locked.id) is true and used_at is null and expires_at > ${now}
      returning grant_id
    ), moved as (
      update grants set
        tenant_id = ${tenantId},
        earlier_tenant_ids = case
          when array_position(grants.earlier_tenant_ids, grants.tenant_id) is null
          then array_append(grants.earlier_tenant_ids, grants.tenant_id)
          else grants.earlier_tenant_ids
        end
      from renewed
      where grants.id = renewed.grant_id and grants.tenant_id is distinct from ${tenantId}::uuid
    )
    select grant_id from renewed
  `.execute(db)
  return rows.length > 0
}
