import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstIdAt, newId } from '../../src/lib/ids.ts'
import { VERSION } from '../../src/lib/version.ts'
import { createSignedInUser, insertUser, logIn } from '../account/people.ts'
import {
  addTenantMember,
  callAsOps,
  changeSubscription,
  createLicensedTenant,
  DAY_MS,
  grant,
  overview as licenseOverview,
} from '../licensing/licensed-tenant.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { insertTenant, insertWebhook } from '../tenants/tenant-rows.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

interface Overview {
  version: string
  users: { total: number; disabled: number; deletionRequested: number }
  tenants: { total: number; suspended: number }
  applications: number
  clients: number
  sessions: number
  signIns: { day: string; succeeded: number; failed: number }[]
  seats: { purchased: number; assigned: number }
  health: Record<string, unknown> & { signingKey: { kid: string; ageDays: number } }
}

async function getOverview(): Promise<Overview> {
  const { status, body } = await callAsOps(service, 'GET', '/api/admin/overview')
  expect(status, JSON.stringify(body)).toBe(200)
  return body as unknown as Overview
}

const total = async (path: string): Promise<number> => {
  const { body } = await callAsOps(service, 'GET', `/api/admin/${path}`)
  return (body as { pagination: { total: number } }).pagination.total
}

describe('the overview of the instance', () => {
  test('has the same totals as the lists', async () => {
    await insertUser(service, { disabled: true })
    await insertUser(service, { deletion_requested_at: service.ctx.now() })
    // A placeholder account of an invited user is not counted.
    await insertUser(service, { email_verified: false, password_hash: null })
    const company = await insertTenant(service)
    await callAsOps(service, 'PATCH', `/api/admin/tenants/${company.id}`, { suspended: true })
    const overview = await getOverview()
    expect(overview).toMatchObject({
      version: VERSION,
      users: {
        total: await total('users'),
        disabled: await total('users?disabled=true'),
        deletionRequested: await total('users?deletionRequested=true'),
      },
      tenants: { total: await total('tenants'), suspended: await total('tenants?suspended=true') },
      applications: await total('applications'),
      clients: await total('clients'),
    })
    expect(overview.users).toMatchObject({ disabled: 1, deletionRequested: 1 })
    expect(overview.tenants.suspended).toBe(1)
  })

  test('has the default token lifetimes', async () => {
    const { accessToken, idToken, refreshTokenIdle, refreshToken } = service.ctx.config.lifetimes
    expect(await getOverview()).toMatchObject({
      tokenLifetimes: {
        accessTokenTtl: accessToken,
        idTokenTtl: idToken,
        refreshTokenIdleTtl: refreshTokenIdle,
        refreshTokenTtl: refreshToken,
      },
    })
  })

  test('counts sessions, and successful and failed sign-ins by day', async () => {
    const before = await getOverview()
    const person = await createSignedInUser(service)
    await logIn(service.url, person.email, 'not the password at all')
    const after = await getOverview()
    expect(after.sessions).toBe(before.sessions + 1)
    expect(after.signIns).toHaveLength(14)
    const today = service.ctx.now().toISOString().slice(0, 10)
    expect(after.signIns.at(-1)?.day).toBe(today)
    const previous = before.signIns.at(-1)
    expect(after.signIns.at(-1)).toEqual({
      day: today,
      succeeded: (previous?.succeeded ?? 0) + 1,
      failed: (previous?.failed ?? 0) + 1,
    })
  })

  test('assigns sign-ins to days in UTC and leaves out older ones', async () => {
    const start = Math.floor(service.ctx.now().getTime() / DAY_MS) * DAY_MS
    const entry = async (at: number, action: string) => {
      const time = new Date(at)
      // A unique id that begins with the time of the entry.
      const id = firstIdAt(time).slice(0, 24) + newId().slice(24)
      await sql`insert into audit_entries (id, occurred_at, action, actor_kind, details, personal)
        values (${id}, ${time}, ${action}, 'system', '{}', '{}')`.execute(service.ctx.db)
    }
    const before = await getOverview()
    for (const days of [1, 13, 14]) {
      await entry(start - days * DAY_MS, 'session.started')
      await entry(start - days * DAY_MS + DAY_MS - 1, 'session.started')
      await entry(start - days * DAY_MS + 5, 'session.refused')
      await entry(start - days * DAY_MS + 5, 'session.ended')
    }
    const { signIns } = await getOverview()
    const changes = signIns.map(({ succeeded, failed }, index) => [
      succeeded - (before.signIns[index]?.succeeded ?? 0),
      failed - (before.signIns[index]?.failed ?? 0),
    ])
    expect(changes[0]).toEqual([2, 1])
    expect(changes[12]).toEqual([2, 1])
    expect(changes.flat().reduce((sum, count) => sum + count, 0)).toBe(6)
  })

  test('has the sum of the seats of all tenants', async () => {
    const before = (await getOverview()).seats
    const firms = [await createLicensedTenant(service, { seats: 3 }), await createLicensedTenant(service, { seats: 4 })]
    for (const firm of firms) await grant(firm, await addTenantMember(firm))
    const overviews = await Promise.all(firms.map(licenseOverview))
    const sum = (field: string) => overviews.reduce((total, each) => total + Number(each[field]), 0)
    expect((await getOverview()).seats).toEqual({
      purchased: before.purchased + sum('totalSeatsOwned'),
      assigned: before.assigned + sum('totalSeatsAssigned'),
    })
    const [first] = firms
    if (first) await changeSubscription(first, { status: 'EXPIRED' })
    expect((await getOverview()).seats).toEqual({
      purchased: before.purchased + 4,
      assigned: before.assigned + 1,
    })
  })

  test('has the state of health of the instance', async () => {
    const { health } = await getOverview()
    expect(health).toEqual({
      database: 'ok',
      mailWaiting: expect.any(Number),
      jobsWaiting: expect.any(Number),
      webhooksWaiting: 0,
      webhooksDisabled: 0,
      auditBehind: expect.any(Number),
      signingKey: { kid: expect.any(String), ageDays: 0 },
    })
    const { body } = await callAsOps(service, 'GET', '/api/admin/keys')
    const signing = (body.keys as { kid: string; state: string }[]).find(({ state }) => state === 'signing')
    expect(health.signingKey.kid).toBe(signing?.kid)
    const hook = await insertWebhook(service, await insertTenant(service))
    await sql`update webhooks set disabled_at = now(), disabled_reason = 'GONE' where id = ${hook.id}`.execute(
      service.ctx.db,
    )
    // No worker runs in this test, so new audit entries are not added to the chain.
    await callAsOps(service, 'POST', '/api/admin/tenants', { name: 'Recorded' })
    const after = (await getOverview()).health
    expect(after.webhooksDisabled).toBe(1)
    expect(after.auditBehind).toBeGreaterThan(Number(health.auditBehind))
  })
})
