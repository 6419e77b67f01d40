import type { Db, Tx } from '../../db/open.ts'

export const listConsents = (db: Db, userId: string) =>
  db
    .selectFrom('consents')
    .innerJoin('applications', 'applications.id', 'consents.application_id')
    .leftJoin('brandings', 'brandings.application_id', 'applications.id')
    .leftJoin('tenants', 'tenants.id', 'consents.tenant_id')
    .select(['consents.application_id', 'applications.name as application_name', 'brandings.logo_hash'])
    .select(['consents.tenant_id', 'tenants.name as tenant_name'])
    .select(['consents.scopes', 'consents.granted_at'])
    .where('consents.user_id', '=', userId)
    .orderBy('consents.granted_at', 'desc')
    .orderBy('consents.application_id')
    .execute()

interface ConsentFilter {
  userId: string
  /** Undefined: all applications. */
  applicationId: string | undefined
}

export const deleteConsents = (tx: Tx, { userId, applicationId }: ConsentFilter) =>
  tx
    .deleteFrom('consents')
    .where('user_id', '=', userId)
    .$if(applicationId !== undefined, (query) => query.where('application_id', '=', applicationId ?? ''))
    .returning(['application_id', 'tenant_id', 'scopes'])
    .execute()

/** Deletes the grants of the person to these applications, and with them every code and token. */
export async function deleteGrantsOf(
  tx: Tx,
  { userId, applicationIds }: { userId: string; applicationIds: string[] },
): Promise<void> {
  await tx
    .deleteFrom('grants')
    .where('user_id', '=', userId)
    .where('client_id', 'in', (query) =>
      query.selectFrom('clients').select('clients.id').where('application_id', 'in', applicationIds),
    )
    .execute()
}
