import { sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'

/** The newest comes first. */
export const listConsents = (db: Db, { userId, now }: { userId: string; now: Date }) =>
  db
    .selectFrom('consents')
    .innerJoin('applications', 'applications.id', 'consents.application_id')
    .leftJoin('brandings', 'brandings.application_id', 'applications.id')
    .leftJoin('tenants', 'tenants.id', 'consents.tenant_id')
    .select(['consents.application_id', 'applications.name as application_name', 'brandings.logo_hash'])
    .select(['consents.tenant_id', 'tenants.name as tenant_name'])
    .select(['consents.scopes', 'consents.granted_at'])
    // The last exchange of a code or refresh of the grants that still have tokens.
    .select(
      sql<Date | null>`(
        select max(
          case when 'offline_access' = any (grants.scopes)
            then (
              select max(greatest(created_at, renewed_at)) from refresh_tokens
              where grant_id = grants.id and expires_at > ${now}
            )
            else grants.code_used_at
          end)
        from grants join clients on clients.id = grants.client_id
        where grants.user_id = consents.user_id and clients.application_id = consents.application_id
          and grants.tenant_id is not distinct from consents.tenant_id and grants.expires_at > ${now}
      )`.as('last_used_at'),
    )
    .where('consents.user_id', '=', userId)
    .orderBy('consents.granted_at', 'desc')
    .orderBy('consents.application_id')
    .orderBy('consents.tenant_id')
    .execute()

export interface ConsentFilter {
  userId: string
  /** Undefined: all applications. */
  applicationId: string | undefined
  /** Null: those that were given in no tenant. Undefined: all. */
  tenantId: string | null | undefined
}

export const deleteConsents = (tx: Tx, { userId, applicationId, tenantId }: ConsentFilter) =>
  tx
    .deleteFrom('consents')
    .where('user_id', '=', userId)
    .$if(applicationId !== undefined, (query) => query.where('application_id', '=', applicationId ?? ''))
    .$if(tenantId !== undefined, (query) => query.where('tenant_id', 'is not distinct from', tenantId ?? null))
    .returning(['application_id', 'tenant_id', 'scopes'])
    .execute()

interface GrantFilter extends Pick<ConsentFilter, 'userId' | 'tenantId'> {
  applicationIds: string[]
}

const grantsOf = ({ userId, applicationIds }: GrantFilter) => sql`
  grants.user_id = ${userId}
  and grants.client_id in (select id from clients where application_id = any (${applicationIds}::uuid[]))`

/** Until the transaction ends, these grants cannot switch to another tenant. */
export async function lockGrants(tx: Tx, filter: GrantFilter): Promise<void> {
  await sql`select from grants where ${grantsOf(filter)} order by id for update`.execute(tx)
}

/**
 * Deletes the grants of the person to these applications, and with them every code and token. With a tenant, those that
 * are or were in this tenant: a grant that has switched to another tenant may still have an access token for this one.
 */
export async function deleteGrants(tx: Tx, filter: GrantFilter): Promise<void> {
  const { tenantId } = filter
  const inTenant =
    tenantId === undefined
      ? sql``
      : sql`and (
          tenant_id is not distinct from ${tenantId}::uuid
          or array_position(earlier_tenant_ids, ${tenantId}::uuid) is not null
        )`
  await sql`delete from grants where ${grantsOf(filter)} ${inTenant}`.execute(tx)
}
