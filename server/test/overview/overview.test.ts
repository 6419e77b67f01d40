import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstIdAt, newId } from '../../src/lib/ids.ts'
import { VERSION } from '../../src/lib/version.ts'
import { addPerson, logIn, newSomebody } from '../account/people.ts'
import {
  callAsOps,
  DAY,
  grant,
  hire,
  overview as licenseOverview,
  openFirm,
  renew,
} from '../licensing/firm.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import { hookUp, newCompany } from '../tenants/company.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
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

async function look(): Promise<Overview> {
  const { status, body } = await callAsOps(service, 'GET', '/api/admin/overview')
  expect(status, JSON.stringify(body)).toBe(200)
  return body as unknown as Overview
}

const total = async (path: string): Promise<number> => {
  const { body } = await callAsOps(service, 'GET', `/api/admin/${path}`)
  return (body as { pagination: { total: number } }).pagination.total
}

describe('the overview of the instance', () => {
  test('says what the lists say', async () => {
    await addPerson(service, { disabled: true })
    await addPerson(service, { deletion_requested_at: service.ctx.now() })
    // Who was only invited has no account.
    await addPerson(service, { email_verified: false, password_hash: null })
    const company = await newCompany(service)
    await callAsOps(service, 'PATCH', `/api/admin/tenants/${company.id}`, { suspended: true })
    const seen = await look()
    expect(seen).toMatchObject({
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
    expect(seen.users).toMatchObject({ disabled: 1, deletionRequested: 1 })
    expect(seen.tenants.suspended).toBe(1)
  })

  test('tells how long tokens last where an application does not say', async () => {
    const { accessToken, idToken, refreshTokenIdle, refreshToken } = service.ctx.config.lifetimes
    expect(await look()).toMatchObject({
      tokenLifetimes: {
        accessTokenTtl: accessToken,
        idTokenTtl: idToken,
        refreshTokenIdleTtl: refreshTokenIdle,
        refreshTokenTtl: refreshToken,
      },
    })
  })

  test('counts sessions as people sign in, and what is signed in and refused by day', async () => {
    const before = await look()
    const person = await newSomebody(service)
    await logIn(service.url, person.email, 'not the password at all')
    const after = await look()
    expect(after.sessions).toBe(before.sessions + 1)
    expect(after.signIns).toHaveLength(14)
    const today = service.ctx.now().toISOString().slice(0, 10)
    expect(after.signIns.at(-1)?.day).toBe(today)
    const [was, is] = [before.signIns.at(-1), after.signIns.at(-1)]
    expect(is).toEqual({ day: today, succeeded: (was?.succeeded ?? 0) + 1, failed: (was?.failed ?? 0) + 1 })
  })

  test('puts each sign-in on its day by UTC, and leaves out what is older', async () => {
    const start = Math.floor(service.ctx.now().getTime() / DAY) * DAY
    const entry = async (at: number, action: string) => {
      const moment = new Date(at)
      // Each id tells the time of its entry, and is another one.
      const id = firstIdAt(moment).slice(0, 24) + newId().slice(24)
      await sql`insert into audit_entries (id, occurred_at, action, actor_kind, details, personal)
        values (${id}, ${moment}, ${action}, 'system', '{}', '{}')`.execute(service.ctx.db)
    }
    const before = await look()
    for (const days of [1, 13, 14]) {
      await entry(start - days * DAY, 'session.started')
      await entry(start - days * DAY + DAY - 1, 'session.started')
      await entry(start - days * DAY + 5, 'session.refused')
      await entry(start - days * DAY + 5, 'session.ended')
    }
    const { signIns } = await look()
    const changes = signIns.map(({ succeeded, failed }, index) => [
      succeeded - (before.signIns[index]?.succeeded ?? 0),
      failed - (before.signIns[index]?.failed ?? 0),
    ])
    expect(changes[0]).toEqual([2, 1])
    expect(changes[12]).toEqual([2, 1])
    expect(changes.flat().reduce((sum, count) => sum + count, 0)).toBe(6)
  })

  test('adds up the seats of all tenants, as their own overviews do', async () => {
    const before = (await look()).seats
    const firms = [await openFirm(service, { seats: 3 }), await openFirm(service, { seats: 4 })]
    for (const firm of firms) await grant(firm, await hire(firm))
    const told = await Promise.all(firms.map(licenseOverview))
    const sum = (field: string) => told.reduce((all, each) => all + Number(each[field]), 0)
    expect((await look()).seats).toEqual({
      purchased: before.purchased + sum('totalSeatsOwned'),
      assigned: before.assigned + sum('totalSeatsAssigned'),
    })
    const [first] = firms
    if (first) await renew(first, { status: 'EXPIRED' })
    expect((await look()).seats).toEqual({ purchased: before.purchased + 4, assigned: before.assigned + 1 })
  })

  test('says how the instance is', async () => {
    const { health } = await look()
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
    const hook = await hookUp(service, await newCompany(service))
    await sql`update webhooks set disabled_at = now(), disabled_reason = 'GONE' where id = ${hook.id}`.execute(
      service.ctx.db,
    )
    // No worker runs here, so whatever is written down waits for its place in the chain.
    await callAsOps(service, 'POST', '/api/admin/tenants', { name: 'Written down' })
    const after = (await look()).health
    expect(after.webhooksDisabled).toBe(1)
    expect(after.auditBehind).toBeGreaterThan(Number(health.auditBehind))
  })
})
