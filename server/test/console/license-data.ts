import { sql } from 'kysely'
import { expect } from 'vitest'
import { asSuperuser } from '../support/many-users.ts'
import { admin, findIds, machineToken } from '../support/world.ts'
import type { ConsoleTest } from './console-page.ts'

const DAY_MS = 86_400_000

/** Changes made through the API, as by another admin. */
export function createOtherAdmin({ service }: ConsoleTest) {
  const send = async (action: 'grant' | 'revoke', email: string, type: string) => {
    const { userId } = await findIds(service, email, 'acme')
    const { id: licenseTypeId, application_id: applicationId } = await service.ctx.db
      .selectFrom('license_types')
      .select(['id', 'application_id'])
      .where('slug', '=', type)
      .executeTakeFirstOrThrow()
    return fetch(`${service.url}/api/integration/licenses/${action}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        authorization: `Bearer ${await machineToken(service.url, 'demo-machine')}`,
      },
      body: JSON.stringify({ userId, applicationId, licenseTypeId }),
    })
  }
  const grant = async (email: string, type = 'pro') => expect((await send('grant', email, type)).status).toBe(201)
  const revoke = async (email: string, type = 'pro') => expect((await send('revoke', email, type)).status).toBe(200)
  const suspend = async (email: string, isSuspended: boolean) => {
    const { userId } = await findIds(service, email, 'acme')
    const status = isSuspended ? 'SUSPENDED' : 'ACTIVE'
    await service.ctx.db.updateTable('memberships').set({ status }).where('user_id', '=', userId).execute()
  }
  return {
    grant,
    revoke,
    suspend,
    /** Restores the seats of the demo data: Mia has Pro. */
    async reset() {
      await suspend('max@acme.test', false)
      for (const name of ['olivia', 'adam', 'mia', 'max']) await send('revoke', `${name}@acme.test`, 'pro')
      await grant('mia@acme.test')
    },
  }
}

/** Adds members to Acme: Colleague 01, Colleague 02 and so on. */
export async function addColleagues({ service }: ConsoleTest, count: number): Promise<void> {
  const { tenantId } = await findIds(service, 'mia@acme.test', 'acme')
  const { db } = service.ctx
  await sql`
    insert into users (id, email, display_name, email_verified, is_super_admin, created_at, updated_at)
    select gen_random_uuid(), 'colleague-' || n || '@acme.test', 'Colleague ' || lpad(n::text, 2, '0'),
      true, false, now(), now()
    from generate_series(1, ${count}::int) as n`.execute(db)
  await sql`
    insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
    select gen_random_uuid(), ${tenantId}::uuid, id, 'member', 'ACTIVE', now(), now(), now()
    from users where email like 'colleague-%'`.execute(db)
}

/** Moves all ledger entries into the past. */
export const ageLedger = ({ service }: ConsoleTest, days: number): Promise<unknown> =>
  asSuperuser(service, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query('update license_ledger set occurred_at = occurred_at - make_interval(days => $1)', [days])
  })

/** Creates applications of every licensing mode and subscriptions of every status. */
export async function createSubscriptions({ service: { url }, service }: ConsoleTest): Promise<void> {
  const { tenantId } = await findIds(service, 'mia@acme.test', 'acme')
  const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
  const createApplication = async (name: string, licensingMode: string, termsByType: Record<string, object | null>) => {
    const { id: applicationId } = await admin<{ id: string }>(url, '/api/admin/applications', {
      name,
      licensingMode,
    })
    for (const [slug, terms] of Object.entries(termsByType)) {
      const type = { applicationId, slug, name: slug, features: { read: true } }
      const { id: licenseTypeId } = await admin<{ id: string }>(url, '/api/licensing/license-types', type)
      const path = `/api/licensing/tenants/${tenantId}/subscriptions`
      if (terms) await admin(url, path, { licenseTypeId, quantityPurchased: 3, ...terms })
    }
  }
  await createApplication('Wiki', 'FREE', { everyone: null })
  await createApplication('Payroll', 'TENANT_WIDE', {
    company: { status: 'PAST_DUE', currentPeriodEnd: inDays(2) },
  })
  await createApplication('Analytics', 'PER_SEAT', {
    viewer: { status: 'TRIALING', currentPeriodEnd: inDays(12.1) },
    analyst: { status: 'CANCELED', currentPeriodEnd: inDays(30) },
    creator: { status: 'EXPIRED' },
  })
}
