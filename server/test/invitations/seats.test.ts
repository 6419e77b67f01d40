import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expireInvitationsJob } from '../../src/invitations/expiry.ts'
import { call, failure, mailTo, newSomebody, tokenIn } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { admin, machineToken, PASSWORD, startWorld } from '../support/world.ts'
import { accept, openHouse } from './desk.ts'
import { type Host, NEWCOMER, unusedAddress } from './guests.ts'

const DAY_MS = 86_400_000

let service: TestService
let applicationId: string
let licenseTypeId: string
beforeAll(async () => {
  service = await startWorld()
  const { url } = service
  const application = await admin<{ id: string }>(url, '/api/admin/applications', { name: 'Reading room' })
  applicationId = application.id
  const type = { applicationId, name: 'Desk', slug: 'desk', features: { read: true } }
  licenseTypeId = (await admin<{ id: string }>(url, '/api/licensing/license-types', type)).id
})
afterAll(() => service.close())

/** A tenant with so many seats. */
async function houseWith(quantityPurchased: number): Promise<Host> {
  const host = await openHouse(service)
  const path = `/api/licensing/tenants/${host.tenant.id}/subscriptions`
  await admin(service.url, path, { licenseTypeId, quantityPurchased })
  return host
}

const invite = ({ somebody, tenant }: Host, email = unusedAddress(), more: object = {}) =>
  somebody.call('POST', `/api/tenants/${tenant.id}/invitations`, {
    email,
    applicationId,
    licenseTypeId,
    ...more,
  })

interface Overview {
  totalSeatsOwned: number
  totalSeatsAssigned: number
  totalSeatsAvailable: number
}

async function seatsOf({ tenant }: Host): Promise<Overview> {
  const headers = { authorization: `Bearer ${await machineToken(service.url, 'demo-ops')}` }
  const path = `${service.url}/api/licensing/tenants/${tenant.id}/license-overview`
  const { body } = await call(path, { method: 'GET', headers })
  const { totalSeatsOwned, totalSeatsAssigned, totalSeatsAvailable } = body as unknown as Overview
  return { totalSeatsOwned, totalSeatsAssigned, totalSeatsAvailable }
}

const seats = (owned: number, assigned: number, available: number): Overview => ({
  totalSeatsOwned: owned,
  totalSeatsAssigned: assigned,
  totalSeatsAvailable: available,
})

const full = failure(400, 'NO_SEATS_AVAILABLE')

const tokenFor = async ({ tenant }: Host, email: string) => {
  const mails = (await (await fetch(`${service.url}/dev/mailbox/messages`)).json()) as {
    to: string
    text: string
  }[]
  expect(tenant.id).toBeDefined()
  return /invitations\/([\w-]+)/.exec(mails.find(({ to }) => to === email)?.text ?? '')?.[1] ?? ''
}

describe('an invitation with a seat', () => {
  test('takes one out of those that are free, and accepting makes it theirs', async () => {
    const host = await houseWith(2)
    const email = unusedAddress()
    expect((await invite(host, email)).status).toBe(201)
    expect(await seatsOf(host)).toEqual(seats(2, 0, 1))
    expect((await accept(service, await tokenFor(host, email), { body: NEWCOMER })).status).toBe(200)
    expect(await seatsOf(host)).toEqual(seats(2, 1, 1))
    const held = await service.ctx.db
      .selectFrom('seats')
      .innerJoin('users', 'users.id', 'seats.user_id')
      .innerJoin('memberships', (join) =>
        join
          .onRef('memberships.user_id', '=', 'seats.user_id')
          .onRef('memberships.tenant_id', '=', 'seats.tenant_id'),
      )
      .select(['seats.status', 'seats.assigned_at', 'memberships.joined_at'])
      .where('users.email', '=', email)
      .executeTakeFirstOrThrow()
    expect(held.status).toBe('ASSIGNED')
    expect(held.assigned_at).toEqual(held.joined_at)
  })

  test('is refused when there is none, and leaves nothing behind', async () => {
    const host = await houseWith(1)
    await invite(host)
    const email = unusedAddress()
    expect(await invite(host, email)).toMatchObject({
      status: 400,
      body: { ...full.body, details: { reason: 'FULL' } },
    })
    const path = `/api/tenants/${host.tenant.id}`
    const { body } = await host.somebody.call('GET', `${path}/invitations`)
    expect(body.invitations).toHaveLength(1)
    expect(await tokenFor(host, email)).toBe('')
  })

  test('gives it back when it is revoked, or the INVITED member is removed', async () => {
    const host = await houseWith(1)
    const { body } = await invite(host)
    const path = `/api/tenants/${host.tenant.id}`
    expect((await host.somebody.call('DELETE', `${path}/invitations/${body.id}`)).status).toBe(200)
    expect(await seatsOf(host)).toEqual(seats(1, 0, 1))
    await invite(host)
    const list = await host.somebody.call('GET', `${path}/members?status=INVITED`)
    const [member] = list.body.members as { id: string }[]
    expect((await host.somebody.call('DELETE', `${path}/members/${member?.id}`)).status).toBe(200)
    expect(await seatsOf(host)).toEqual(seats(1, 0, 1))
  })

  test('gives it back when its time is over, by the clock alone: the next may have it', async () => {
    const host = await houseWith(1)
    const email = unusedAddress()
    await invite(host, email, { expiresInDays: 1 })
    expect(await seatsOf(host)).toEqual(seats(1, 0, 0))
    const past = new Date(Date.now() - DAY_MS)
    const { db } = service.ctx
    await db
      .updateTable('memberships')
      .set({ invited_until: past })
      .where('tenant_id', '=', host.tenant.id)
      .where('status', '=', 'INVITED')
      .execute()
    await db
      .updateTable('invitations')
      .set({ expires_at: past })
      .where('tenant_id', '=', host.tenant.id)
      .execute()
    expect(await seatsOf(host)).toEqual(seats(1, 0, 1))
    expect((await invite(host)).status).toBe(201)
    expect(await seatsOf(host)).toEqual(seats(1, 0, 0))
    await expireInvitationsJob.run(service.ctx, {})
    expect(await seatsOf(host)).toEqual(seats(1, 0, 0))
  })

  test('keeps its promise when the address becomes somebody else’s meanwhile', async () => {
    const host = await houseWith(1)
    const email = unusedAddress()
    await invite(host, email)
    const token = await tokenFor(host, email)
    const heir = await newSomebody(service)
    await heir.call('POST', '/api/users/me/email', { newEmail: email, password: PASSWORD })
    const [mail] = await mailTo(service, email)
    const confirmed = { method: 'POST', body: { token: tokenIn(mail) } }
    expect((await call(`${service.url}/api/auth/email/verify`, confirmed)).status).toBe(200)
    expect((await accept(service, token, { as: heir })).status).toBe(200)
    expect(await seatsOf(host)).toEqual(seats(1, 1, 0))
  })

  test('lets people in without one when it cannot be kept any more', async () => {
    const host = await houseWith(1)
    const email = unusedAddress()
    await invite(host, email)
    // Whatever takes it away.
    await service.ctx.db.deleteFrom('seats').where('tenant_id', '=', host.tenant.id).execute()
    await service.ctx.db
      .updateTable('subscriptions')
      .set({ status: 'EXPIRED' })
      .where('tenant_id', '=', host.tenant.id)
      .execute()
    expect((await accept(service, await tokenFor(host, email), { body: NEWCOMER })).status).toBe(200)
    expect(await seatsOf(host)).toEqual(seats(0, 0, 0))
  })

  test('names in the ledger who accepted it', async () => {
    const host = await houseWith(1)
    const guest = await newSomebody(service)
    await invite(host, guest.email)
    await accept(service, await tokenFor(host, guest.email), { as: guest })
    const told = await service.ctx.db
      .selectFrom('license_ledger')
      .select(['reason', 'actor'])
      .where('tenant_id', '=', host.tenant.id)
      .where('subject', '=', 'seat')
      .orderBy('sequence')
      .execute()
    expect(told).toEqual([
      { reason: 'RESERVED', actor: `user:${host.somebody.id}` },
      { reason: 'ACCEPTED', actor: `user:${guest.id}` },
    ])
  })

  test('needs a type of that application, and both fields', async () => {
    const host = await houseWith(1)
    expect(await invite(host, unusedAddress(), { applicationId: 'x' })).toMatchObject(
      failure(400, 'INVALID_APPLICATION_ID'),
    )
    expect(await invite(host, unusedAddress(), { licenseTypeId: 'x' })).toMatchObject(
      failure(404, 'LICENSE_TYPE_NOT_FOUND'),
    )
    const path = `/api/tenants/${host.tenant.id}/invitations`
    const half = await host.somebody.call('POST', path, { email: unusedAddress(), applicationId })
    expect(half).toMatchObject({ status: 422, body: { details: [{ field: 'licenseTypeId' }] } })
    expect(await seatsOf(host)).toEqual(seats(1, 0, 1))
  })

  test('is one row of many: those who find no seat are told, the others are invited', async () => {
    const host = await houseWith(2)
    const rows = [1, 2, 3].map(() => ({ email: unusedAddress(), applicationId, licenseTypeId }))
    const path = `/api/tenants/${host.tenant.id}/invitations/bulk`
    const { body } = await host.somebody.call('POST', path, { invitations: rows })
    expect(body).toMatchObject({ created: 2, failed: 1 })
    expect(await seatsOf(host)).toEqual(seats(2, 0, 0))
  })

  test('of two at once for the last seat one is sent', async () => {
    for (let round = 0; round < 5; round++) {
      const host = await houseWith(1)
      const answers = await Promise.all([1, 2, 3, 4].map(() => invite(host)))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400])
    }
  })
})
