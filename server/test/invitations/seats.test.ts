import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expireInvitationsJob } from '../../src/invitations/expiry.ts'
import { call, createSignedInUser, errorReply, findLinkToken, listMailTo } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { admin, machineToken, PASSWORD, startDemoService } from '../support/world.ts'
import { type Host, NEW_USER, unusedAddress } from './hosts.ts'
import { acceptInvitation, createHost } from './invitation-api.ts'

const DAY_MS = 86_400_000

let service: TestService
let applicationId: string
let licenseTypeId: string
beforeAll(async () => {
  service = await startDemoService()
  const { url } = service
  const application = await admin<{ id: string }>(url, '/api/admin/applications', { name: 'Reading room' })
  applicationId = application.id
  const type = { applicationId, name: 'Desk', slug: 'desk', features: { read: true } }
  licenseTypeId = (await admin<{ id: string }>(url, '/api/licensing/license-types', type)).id
})
afterAll(() => service.close())

/** A host whose tenant has this number of seats. */
async function hostWithSeats(quantityPurchased: number): Promise<Host> {
  const host = await createHost(service)
  const path = `/api/licensing/tenants/${host.tenant.id}/subscriptions`
  await admin(service.url, path, { licenseTypeId, quantityPurchased })
  return host
}

const invite = ({ user, tenant }: Host, email = unusedAddress(), more: object = {}) =>
  user.call('POST', `/api/tenants/${tenant.id}/invitations`, {
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

const noSeats = errorReply(400, 'NO_SEATS_AVAILABLE')

const tokenFor = async ({ tenant }: Host, email: string) => {
  const mails = (await (await fetch(`${service.url}/dev/mailbox/messages`)).json()) as {
    to: string
    text: string
  }[]
  expect(tenant.id).toBeDefined()
  return /invitations\/([\w-]+)/.exec(mails.find(({ to }) => to === email)?.text ?? '')?.[1] ?? ''
}

describe('an invitation with a seat', () => {
  test('reserves a free seat, and accepting assigns it', async () => {
    const host = await hostWithSeats(2)
    const email = unusedAddress()
    expect((await invite(host, email)).status).toBe(201)
    expect(await seatsOf(host)).toEqual(seats(2, 0, 1))
    expect((await acceptInvitation(service, await tokenFor(host, email), { body: NEW_USER })).status).toBe(200)
    expect(await seatsOf(host)).toEqual(seats(2, 1, 1))
    const seat = await service.ctx.db
      .selectFrom('seats')
      .innerJoin('users', 'users.id', 'seats.user_id')
      .innerJoin('memberships', (join) =>
        join.onRef('memberships.user_id', '=', 'seats.user_id').onRef('memberships.tenant_id', '=', 'seats.tenant_id'),
      )
      .select(['seats.status', 'seats.assigned_at', 'memberships.joined_at'])
      .where('users.email', '=', email)
      .executeTakeFirstOrThrow()
    expect(seat.status).toBe('ASSIGNED')
    expect(seat.assigned_at).toEqual(seat.joined_at)
  })

  test('is refused without a free seat, and stores nothing', async () => {
    const host = await hostWithSeats(1)
    await invite(host)
    const email = unusedAddress()
    expect(await invite(host, email)).toMatchObject({
      status: 400,
      body: { ...noSeats.body, details: { reason: 'FULL' } },
    })
    const path = `/api/tenants/${host.tenant.id}`
    const { body } = await host.user.call('GET', `${path}/invitations`)
    expect(body.invitations).toHaveLength(1)
    expect(await tokenFor(host, email)).toBe('')
  })

  test('releases the seat when it is revoked, or the INVITED member is removed', async () => {
    const host = await hostWithSeats(1)
    const { body } = await invite(host)
    const path = `/api/tenants/${host.tenant.id}`
    expect((await host.user.call('DELETE', `${path}/invitations/${body.id}`)).status).toBe(200)
    expect(await seatsOf(host)).toEqual(seats(1, 0, 1))
    await invite(host)
    const list = await host.user.call('GET', `${path}/members?status=INVITED`)
    const [member] = list.body.members as { id: string }[]
    expect((await host.user.call('DELETE', `${path}/members/${member?.id}`)).status).toBe(200)
    expect(await seatsOf(host)).toEqual(seats(1, 0, 1))
  })

  test('releases the seat at its expiry, without a job: the next invitation can reserve it', async () => {
    const host = await hostWithSeats(1)
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
    await db.updateTable('invitations').set({ expires_at: past }).where('tenant_id', '=', host.tenant.id).execute()
    expect(await seatsOf(host)).toEqual(seats(1, 0, 1))
    expect((await invite(host)).status).toBe(201)
    expect(await seatsOf(host)).toEqual(seats(1, 0, 0))
    await expireInvitationsJob.run(service.ctx, {})
    expect(await seatsOf(host)).toEqual(seats(1, 0, 0))
  })

  test('keeps the seat when the address moves to another account', async () => {
    const host = await hostWithSeats(1)
    const email = unusedAddress()
    await invite(host, email)
    const token = await tokenFor(host, email)
    const newOwner = await createSignedInUser(service)
    await newOwner.call('POST', '/api/users/me/email', { newEmail: email, password: PASSWORD })
    const [mail] = await listMailTo(service, email)
    const confirmed = { method: 'POST', body: { token: findLinkToken(mail) } }
    expect((await call(`${service.url}/api/auth/email/verify`, confirmed)).status).toBe(200)
    expect((await acceptInvitation(service, token, { as: newOwner })).status).toBe(200)
    expect(await seatsOf(host)).toEqual(seats(1, 1, 0))
  })

  test('can be accepted without a seat when the reservation is gone', async () => {
    const host = await hostWithSeats(1)
    const email = unusedAddress()
    await invite(host, email)
    await service.ctx.db.deleteFrom('seats').where('tenant_id', '=', host.tenant.id).execute()
    await service.ctx.db
      .updateTable('subscriptions')
      .set({ status: 'EXPIRED' })
      .where('tenant_id', '=', host.tenant.id)
      .execute()
    expect((await acceptInvitation(service, await tokenFor(host, email), { body: NEW_USER })).status).toBe(200)
    expect(await seatsOf(host)).toEqual(seats(0, 0, 0))
  })

  test('is recorded in the ledger with the person who accepted it', async () => {
    const host = await hostWithSeats(1)
    const guest = await createSignedInUser(service)
    await invite(host, guest.email)
    await acceptInvitation(service, await tokenFor(host, guest.email), { as: guest })
    const entries = await service.ctx.db
      .selectFrom('license_ledger')
      .select(['reason', 'actor'])
      .where('tenant_id', '=', host.tenant.id)
      .where('subject', '=', 'seat')
      .orderBy('sequence')
      .execute()
    expect(entries).toEqual([
      { reason: 'RESERVED', actor: `user:${host.user.id}` },
      { reason: 'ACCEPTED', actor: `user:${guest.id}` },
    ])
  })

  test('requires a license type of that application, and both fields', async () => {
    const host = await hostWithSeats(1)
    expect(await invite(host, unusedAddress(), { applicationId: 'x' })).toMatchObject(
      errorReply(400, 'INVALID_APPLICATION_ID'),
    )
    expect(await invite(host, unusedAddress(), { licenseTypeId: 'x' })).toMatchObject(
      errorReply(404, 'LICENSE_TYPE_NOT_FOUND'),
    )
    const path = `/api/tenants/${host.tenant.id}/invitations`
    const half = await host.user.call('POST', path, { email: unusedAddress(), applicationId })
    expect(half).toMatchObject({ status: 422, body: { details: [{ field: 'licenseTypeId' }] } })
    expect(await seatsOf(host)).toEqual(seats(1, 0, 1))
  })

  test('in a bulk request fails only in the rows without a free seat', async () => {
    const host = await hostWithSeats(2)
    const rows = [1, 2, 3].map(() => ({ email: unusedAddress(), applicationId, licenseTypeId }))
    const path = `/api/tenants/${host.tenant.id}/invitations/bulk`
    const { body } = await host.user.call('POST', path, { invitations: rows })
    expect(body).toMatchObject({ created: 2, failed: 1 })
    expect(await seatsOf(host)).toEqual(seats(2, 0, 0))
  })

  test('for the last seat: of several concurrent ones, one is sent', async () => {
    for (let round = 0; round < 5; round++) {
      const host = await hostWithSeats(1)
      const answers = await Promise.all([1, 2, 3, 4].map(() => invite(host)))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400])
    }
  })
})
