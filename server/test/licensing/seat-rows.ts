import { expect } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { runSql } from '../tenants/scoped-tenant.ts'
import type { LicensedTenant } from './licensed-tenant.ts'

/** Inserts a seat directly into the database. */
export const insertSeat = (
  firm: LicensedTenant,
  { id: userId }: { id: string },
  fields: Record<string, unknown> = {},
): Promise<unknown> => {
  const { service, company, applicationId, types, subscriptionId } = firm
  const row = {
    id: newId(),
    tenant_id: company.id,
    user_id: userId,
    application_id: applicationId,
    license_type_id: types.pro,
    subscription_id: subscriptionId,
    status: 'ASSIGNED',
    assigned_at: new Date(),
    ...fields,
  }
  const statement = 'insert into seats select * from json_populate_record(null::seats, $1)'
  return runSql(service.ctx.db, statement, [JSON.stringify(row)])
}

/** Expects the seat counters of every subscription of the tenant to match its seats. */
export async function expectCountersMatch({ service, company }: LicensedTenant): Promise<void> {
  const rows = await runSql(
    service.ctx.db,
    `select quantity_assigned, quantity_reserved,
       (select count(*)::int from seats where subscription_id = subscriptions.id and status = 'ASSIGNED') as assigned,
       (select count(*)::int from seats where subscription_id = subscriptions.id and status = 'RESERVED') as reserved
     from subscriptions where tenant_id = $1`,
    [company.id],
  )
  for (const row of rows as Record<string, number>[]) {
    expect([row.quantity_assigned, row.quantity_reserved]).toEqual([row.assigned, row.reserved])
  }
}
