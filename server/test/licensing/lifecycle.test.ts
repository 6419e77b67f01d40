import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, createSignedInUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { obtainTokens, PASSWORD, startDemoService } from '../support/world.ts'
import { insertMembership } from '../tenants/tenant-rows.ts'
import {
  addLicensedMember,
  addTenantMember,
  changeSubscription,
  check,
  createLicensedTenant,
  createSubscription,
  DAY_MS,
  getSeatSummary,
  grant,
  type LicensedTenant,
  listHolderIds,
  listSeatRows,
  NO_LICENSE,
  requireStatus,
  revoke,
  type TestMember,
  toSeatRefusal,
} from './licensed-tenant.ts'

// A seat follows the membership of its holder, in the same transaction.

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())

/** A firm with an owner and a seat holder, whose membership can be changed. */
async function openSmall(seats = 1) {
  const firm = await createLicensedTenant(service, { seats })
  const owner = await createSignedInUser(service)
  await insertMembership(service, firm.company, owner, { role: 'owner' })
  const worker = await addLicensedMember(firm)
  const path = `/api/tenants/${firm.company.id}/members/${worker.membershipId}`
  const setStatus = (status: string) => requireStatus(200, owner.call('PATCH', path, { status }))
  return { firm, owner, worker, setStatus, remove: () => requireStatus(200, owner.call('DELETE', path)) }
}

const expectAvailable = async (firm: LicensedTenant, count: number) =>
  expect(await getSeatSummary(firm)).toMatchObject({ quantityAvailable: count })

async function expectNoLicense(firm: LicensedTenant, worker: TestMember) {
  expect(await check(firm, worker)).toEqual(NO_LICENSE)
  expect(await listHolderIds(firm)).not.toContain(worker.id)
}

describe('a member who is suspended', () => {
  test('has no license immediately, and gets the seat back on reactivation if it is free', async () => {
    const { firm, worker, setStatus } = await openSmall()
    const [before] = await listSeatRows(firm)
    await setStatus('SUSPENDED')
    await expectNoLicense(firm, worker)
    await expectAvailable(firm, 1)
    expect(await listSeatRows(firm)).toMatchObject([{ id: before?.id, status: 'PARKED' }])
    expect(await grant(firm, worker)).toMatchObject({ status: 400, body: { error: 'MEMBER_NOT_ACTIVE' } })
    await setStatus('ACTIVE')
    expect(await check(firm, worker)).toMatchObject({ hasLicense: true, licenseType: 'pro' })
    expect(await listHolderIds(firm)).toEqual([worker.id])
    await expectAvailable(firm, 0)
  })

  test('loses the seat if it was granted to another member, and can be granted one later', async () => {
    const { firm, worker, setStatus } = await openSmall()
    await setStatus('SUSPENDED')
    const other = await addLicensedMember(firm)
    await setStatus('ACTIVE')
    await expectNoLicense(firm, worker)
    expect(await listSeatRows(firm)).toMatchObject([{ user_id: other.id, status: 'ASSIGNED' }])
    expect(await grant(firm, worker)).toMatchObject(toSeatRefusal('FULL'))
    await requireStatus(200, revoke(firm, other))
    await expectNoLicense(firm, worker)
    await requireStatus(201, grant(firm, worker))
    expect(await listHolderIds(firm)).toEqual([worker.id])
  })

  test('loses and gets back the seats of several applications independently', async () => {
    const { firm, worker, setStatus } = await openSmall()
    const second = await createLicensedTenant(service, { seats: 1 })
    const elsewhere = { ...firm, applicationId: second.applicationId, types: second.types }
    elsewhere.subscriptionId = (await createSubscription(elsewhere, 'pro', { quantityPurchased: 1 })).id
    await requireStatus(201, grant(elsewhere, worker))
    await setStatus('SUSPENDED')
    await expectNoLicense(firm, worker)
    await expectNoLicense(elsewhere, worker)
    await addLicensedMember(elsewhere)
    await setStatus('ACTIVE')
    expect(await check(firm, worker)).toMatchObject({ hasLicense: true })
    await expectNoLicense(elsewhere, worker)
  })

  test('gets back a seat of a lapsed subscription only with its renewal', async () => {
    const { firm, worker, setStatus } = await openSmall()
    await setStatus('SUSPENDED')
    await requireStatus(200, changeSubscription(firm, { status: 'EXPIRED' }))
    await setStatus('ACTIVE')
    await expectNoLicense(firm, worker)
    await requireStatus(200, changeSubscription(firm, { status: 'ACTIVE' }))
    expect(await check(firm, worker)).toMatchObject({ hasLicense: true })
  })

  test('does not get back a surplus seat', async () => {
    const { firm, worker, setStatus } = await openSmall(3)
    for (let count = 0; count < 2; count++) await addLicensedMember(firm)
    await requireStatus(200, changeSubscription(firm, { status: 'EXPIRED' }))
    await requireStatus(200, changeSubscription(firm, { status: 'ACTIVE', quantityPurchased: 1 }))
    expect(await check(firm, worker)).toMatchObject({ hasLicense: true })
    await setStatus('SUSPENDED')
    await setStatus('ACTIVE')
    await expectNoLicense(firm, worker)
    expect(await getSeatSummary(firm)).toMatchObject({ quantityAssigned: 2, quantityAvailable: 0 })
  })

  test('and is then removed leaves no seat behind', async () => {
    const { firm, setStatus, remove } = await openSmall()
    await setStatus('SUSPENDED')
    await remove()
    expect(await listSeatRows(firm)).toEqual([])
    await expectAvailable(firm, 1)
  })
})

describe('the seat is released', () => {
  /** A seat holder who can sign in. */
  async function newLeaver(firm: LicensedTenant) {
    const leaver = await createSignedInUser(service)
    const membershipId = await insertMembership(service, firm.company, leaver)
    await requireStatus(201, grant(firm, leaver))
    return { ...leaver, membershipId }
  }

  test('when its holder deletes the account, and is not restored with the account', async () => {
    const firm = await createLicensedTenant(service, { seats: 1 })
    const leaver = await newLeaver(firm)
    const confirmation = { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }
    await requireStatus(200, leaver.call('DELETE', '/api/users/me', confirmation))
    await expectNoLicense(firm, leaver)
    await expectAvailable(firm, 1)
    expect(await listSeatRows(firm)).toEqual([])
    const { email } = leaver
    const restore = { method: 'POST', body: { email, password: PASSWORD } }
    await requireStatus(200, call(`${service.url}/api/auth/restore`, restore))
    await expectNoLicense(firm, leaver)
    await expectAvailable(firm, 1)
    await requireStatus(201, grant(firm, leaver))
    expect(await listHolderIds(firm)).toEqual([leaver.id])
  })

  test('when the tenant is deleted, together with the subscription', async () => {
    const { firm, owner } = await openSmall()
    await requireStatus(200, owner.call('DELETE', `/api/tenants/${firm.company.id}`))
    const { db } = service.ctx
    for (const table of ['seats', 'subscriptions'] as const) {
      const rows = await db.selectFrom(table).select('id').where('tenant_id', '=', firm.company.id).execute()
      expect(rows).toEqual([])
    }
  })
})

test('a user whose account is disabled has no license until it is enabled again', async () => {
  const firm = await createLicensedTenant(service)
  const worker = await addLicensedMember(firm)
  const setDisabled = async (disabled: boolean) => {
    await service.ctx.db.updateTable('users').set({ disabled }).where('id', '=', worker.id).execute()
    await service.ctx.changes.waitUntilCurrent()
  }
  await setDisabled(true)
  await expectNoLicense(firm, worker)
  await setDisabled(false)
  expect(await check(firm, worker)).toMatchObject({ hasLicense: true })
  expect(await listHolderIds(firm)).toEqual([worker.id])
})

describe.each(['TENANT_WIDE', 'FREE'] as const)('in an application without seats (%s)', (mode) => {
  test('every ACTIVE member holds it since joining or since the start of the period, and no one else', async () => {
    const firm = await createLicensedTenant(service, { mode })
    const type = mode === 'FREE' ? 'basic' : 'pro'
    const early = await addTenantMember(firm)
    service.advance(DAY_MS)
    if (mode === 'TENANT_WIDE') {
      await requireStatus(200, changeSubscription(firm, { status: 'EXPIRED' }))
      expect(await listHolderIds(firm)).toEqual([])
      await requireStatus(200, changeSubscription(firm, { status: 'ACTIVE' }))
    }
    const late = await addTenantMember(firm)
    const invited = await createSignedInUser(service)
    await insertMembership(service, firm.company, invited, { status: 'INVITED' })
    const { db } = service.ctx
    const joined = await db
      .selectFrom('memberships')
      .select(['user_id', 'joined_at'])
      .where('tenant_id', '=', firm.company.id)
      .execute()
    const { current_period_start: start } = await db
      .selectFrom('subscriptions')
      .select('current_period_start')
      .where('id', '=', firm.subscriptionId)
      .executeTakeFirstOrThrow()
    const toAssignedAt = ({ id }: TestMember) => {
      const joinedAt = joined.find(({ user_id }) => user_id === id)?.joined_at as Date
      return (mode === 'TENANT_WIDE' && start > joinedAt ? start : joinedAt).toISOString()
    }
    for (const worker of [early, late]) {
      expect(await check(firm, worker)).toMatchObject({ licenseType: type, assignedAt: toAssignedAt(worker) })
      expect(await grant(firm, worker)).toMatchObject({ status: 400, body: { error: 'ALREADY_LICENSED' } })
    }
    expect(await listHolderIds(firm)).toEqual([early.id, late.id])
    expect(await check(firm, invited)).toEqual(NO_LICENSE)
    await db.updateTable('memberships').set({ status: 'SUSPENDED' }).where('id', '=', late.membershipId).execute()
    await service.ctx.changes.waitUntilCurrent()
    await expectNoLicense(firm, late)
  })

  test('members can read their license type with their own token', async () => {
    const firm = await createLicensedTenant(service, { mode })
    const member = await createSignedInUser(service)
    await insertMembership(service, firm.company, member)
    const { access_token } = await obtainTokens(service.url, member.cookie, { tenant: firm.company.slug })
    const headers = { authorization: `Bearer ${access_token}` }
    const path = `/api/integration/licenses/type?applicationId=${firm.applicationId}`
    const { body } = await call(service.url + path, { method: 'GET', headers })
    expect(body).toEqual({ licenseType: mode === 'FREE' ? 'basic' : 'pro' })
  })
})
