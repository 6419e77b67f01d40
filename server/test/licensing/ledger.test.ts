import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiResponse, call, createSignedInUser, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { obtainTokens, PASSWORD, signIn, startDemoService } from '../support/world.ts'
import { runSql } from '../tenants/scoped-tenant.ts'
import { insertMembership } from '../tenants/tenant-rows.ts'
import {
  addLicensedMember,
  addTenantMember,
  callAsOps,
  change,
  changeSubscription,
  createLicensedTenant,
  createSubscription,
  grant,
  type LicensedTenant,
  requireStatus,
  revoke,
  type TestMember,
} from './licensed-tenant.ts'

// The database records every change of seats and subscriptions, with its actor and reason.

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())

const execute = (text: string, values: unknown[] = []) => runSql(service.ctx.db, text, values)

const listEntries = ({ company }: LicensedTenant) =>
  service.ctx.db
    .selectFrom('license_ledger')
    .selectAll()
    .where('tenant_id', '=', company.id)
    .orderBy('sequence')
    .execute()

/** Lists the entries that the work adds to the ledger, as [actor, reason, user]. */
async function listAdded(firm: LicensedTenant, work: () => Promise<unknown>) {
  const before = (await listEntries(firm)).length
  await work()
  return (await listEntries(firm)).slice(before).map(({ actor, reason, user_id }) => [actor, reason, user_id])
}

describe('the ledger records the actor and the reason of', () => {
  let firm: LicensedTenant
  let owner: TestUser
  let worker: TestMember
  let ownerToken: string
  let superAdminToken: string
  beforeAll(async () => {
    firm = await createLicensedTenant(service)
    await createSubscription(firm, 'basic', { quantityPurchased: 2 })
    owner = await createSignedInUser(service)
    await insertMembership(service, firm.company, owner, { role: 'owner' })
    const tokens = await obtainTokens(service.url, owner.cookie, { tenant: firm.company.slug })
    ownerToken = tokens.access_token
    const cookie = await signIn(service.url, 'admin@latchkey.test')
    superAdminToken = (await obtainTokens(service.url, cookie)).access_token
    worker = await addTenantMember(firm)
  })

  const machine = () => `client:${firm.machine.clientId}`
  const user = ({ id }: { id: string }) => `user:${id}`
  const postAsOwner = (path: string, body: object) =>
    call(`${service.url}/api/integration/licenses${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ownerToken}` },
      body: { userId: worker.id, applicationId: firm.applicationId, ...body },
    })

  test('a grant, a change and a revocation by a machine', async () => {
    expect(await listAdded(firm, () => grant(firm, worker))).toEqual([[machine(), 'GRANTED', worker.id]])
    expect(await listAdded(firm, () => change(firm, worker, 'basic'))).toEqual([[machine(), 'CHANGED', worker.id]])
    expect(await listAdded(firm, () => change(firm, worker, 'basic'))).toEqual([])
    expect(await listAdded(firm, () => revoke(firm, worker))).toEqual([[machine(), 'REVOKED', worker.id]])
    expect(await listAdded(firm, () => revoke(firm, worker))).toEqual([])
  })

  test('a grant and a revocation by a user', async () => {
    const seat = { licenseTypeId: firm.types.pro }
    expect(await listAdded(firm, () => postAsOwner('/grant', seat))).toEqual([[user(owner), 'GRANTED', worker.id]])
    expect(await listAdded(firm, () => postAsOwner('/revoke', {}))).toEqual([[user(owner), 'REVOKED', worker.id]])
  })

  test('bulk requests, with one entry for each row', async () => {
    const { applicationId, types } = firm
    const others = [await addTenantMember(firm), await addTenantMember(firm)]
    const grants = others.map(({ id: userId }) => ({ userId, applicationId, licenseTypeId: types.pro }))
    const revocations = others.map(({ id: userId }) => ({ userId, applicationId }))
    const toEntries = (reason: string) => others.map(({ id }) => [user(owner), reason, id]).sort()
    expect((await listAdded(firm, () => postAsOwner('/grant/bulk', { grants }))).sort()).toEqual(toEntries('GRANTED'))
    const bulk = () => postAsOwner('/revoke/bulk', { revocations })
    expect((await listAdded(firm, bulk)).sort()).toEqual(toEntries('REVOKED'))
  })

  const DEPARTURES: [string, (leaver: TestUser, id: string) => Promise<ApiResponse>][] = [
    ['leaves the tenant', (leaver, id) => leaver.call('DELETE', `/api/tenants/${firm.company.id}/members/${id}`)],
    [
      'deletes their account',
      (leaver) => leaver.call('DELETE', '/api/users/me', { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }),
    ],
  ]
  test.each(DEPARTURES)('a user who %s', async (_, leave) => {
    const leaver = await createSignedInUser(service)
    const membershipId = await insertMembership(service, firm.company, leaver)
    await requireStatus(201, grant(firm, leaver))
    const entries = await listAdded(firm, () => requireStatus(200, leave(leaver, membershipId)))
    expect(entries).toEqual([[user(leaver), 'ENDED', leaver.id]])
  })

  test('the loss of a parked seat that was granted to another member', async () => {
    const small = await createLicensedTenant(service, { seats: 1 })
    const holder = await addLicensedMember(small)
    const setStatus = 'update memberships set status = $1 where id = $2'
    await execute(setStatus, ['SUSPENDED', holder.membershipId])
    await addLicensedMember(small)
    const entries = await listAdded(small, () => execute(setStatus, ['ACTIVE', holder.membershipId]))
    expect(entries).toEqual([[null, 'ENDED', holder.id]])
  })

  test('the creation and changes of a subscription by an operator', async () => {
    const draft = { licenseTypeId: firm.types.pro, quantityPurchased: 3 }
    await execute('delete from subscriptions where id = $1', [firm.subscriptionId])
    const path = `/api/licensing/tenants/${firm.company.id}/subscriptions`
    const create = () => requireStatus(201, callAsOps(service, 'POST', path, draft))
    expect(await listAdded(firm, create)).toEqual([['client:demo-ops', 'SUBSCRIBED', null]])
    const [row] = await service.ctx.db
      .selectFrom('subscriptions')
      .select('id')
      .where('license_type_id', '=', firm.types.pro)
      .execute()
    firm = { ...firm, subscriptionId: row?.id ?? '' }
    const changeTerms = () => requireStatus(200, changeSubscription(firm, { quantityPurchased: 4, status: 'TRIALING' }))
    expect(await listAdded(firm, changeTerms)).toEqual([['client:demo-ops', 'SUBSCRIPTION_CHANGED', null]])
    expect(await listAdded(firm, changeTerms)).toEqual([])
    const headers = { authorization: `Bearer ${superAdminToken}` }
    const url = `${service.url}/api/licensing/subscriptions/${firm.subscriptionId}`
    const changeAsUser = () =>
      requireStatus(200, call(url, { method: 'PATCH', headers, body: { quantityPurchased: 5 } }))
    const entries = await listAdded(firm, changeAsUser)
    expect(entries).toEqual([[expect.stringMatching(/^user:/), 'SUBSCRIPTION_CHANGED', null]])
  })

  test('direct changes of the database, which have no actor', async () => {
    const holder = await addLicensedMember(firm)
    const entry = (reason: string) => [[null, reason, holder.id]]
    const park = `update seats set status = 'PARKED' where user_id = $1`
    const unpark = `update seats set status = 'ASSIGNED' where user_id = $1`
    expect(await listAdded(firm, () => execute(park, [holder.id]))).toEqual(entry('SUSPENDED'))
    expect(await listAdded(firm, () => execute(unpark, [holder.id]))).toEqual(entry('REACTIVATED'))
    expect(await listAdded(firm, () => execute('delete from seats where user_id = $1', [holder.id]))).toEqual(
      entry('REVOKED'),
    )
    await requireStatus(201, grant(firm, holder))
    expect(await listAdded(firm, () => execute('delete from users where id = $1', [holder.id]))).toEqual(entry('ENDED'))
    const reduce = 'update subscriptions set quantity_purchased = 2 where id = $1'
    const expected = [[null, 'SUBSCRIPTION_CHANGED', null]]
    expect(await listAdded(firm, () => execute(reduce, [firm.subscriptionId]))).toEqual(expected)
  })
})

test('the ledger is kept after the deletion of the tenant, and records how its seats ended', async () => {
  const firm = await createLicensedTenant(service)
  const worker = await addLicensedMember(firm)
  const entries = await listAdded(firm, () => execute('delete from tenants where id = $1', [firm.company.id]))
  expect(entries.sort()).toEqual([
    [null, 'ENDED', worker.id],
    [null, 'SUBSCRIPTION_ENDED', null],
  ])
})

test('refused and rolled back changes leave no entry and no gap', async () => {
  const firm = await createLicensedTenant(service, { seats: 1 })
  const worker = await addLicensedMember(firm)
  const other = await addTenantMember(firm)
  const rollBack = () =>
    service.ctx.db
      .transaction()
      .execute(async (tx) => {
        await tx.deleteFrom('seats').where('user_id', '=', worker.id).execute()
        throw new Error('rolled back')
      })
      .catch(() => {})
  expect(await listAdded(firm, rollBack)).toEqual([])
  expect(await listAdded(firm, () => grant(firm, other))).toEqual([])
  expect(await listAdded(firm, () => grant(firm, worker))).toEqual([])
  await requireStatus(200, revoke(firm, worker))
  expect((await listEntries(firm)).map(({ sequence }) => Number(sequence))).toEqual([1, 2, 3])
})

test('a grant returns the revision of the ledger, and the ledger can be listed after a sequence', async () => {
  const firm = await createLicensedTenant(service)
  const worker = await addTenantMember(firm)
  const { headers } = await requireStatus(201, grant(firm, worker))
  expect(headers.get('x-license-revision')).toBe('2')
  expect((await requireStatus(200, revoke(firm, worker))).headers.get('x-license-revision')).toBe('3')
  const path = `/api/licensing/tenants/${firm.company.id}/ledger`
  const { body } = await callAsOps(service, 'GET', `${path}?after=1&limit=1`)
  const seat = {
    status: 'ASSIGNED',
    licenseTypeId: firm.types.pro,
    subscriptionId: firm.subscriptionId,
    assignedAt: expect.any(String),
  }
  expect(body).toEqual({
    entries: [
      {
        sequence: 2,
        occurredAt: expect.any(String),
        actor: `client:${firm.machine.clientId}`,
        reason: 'GRANTED',
        subject: 'seat',
        subjectId: expect.any(String),
        userId: worker.id,
        applicationId: firm.applicationId,
        before: null,
        after: seat,
      },
    ],
    next: 2,
  })
})

test('the ledger can be listed newest first', async () => {
  const firm = await createLicensedTenant(service)
  const worker = await addTenantMember(firm)
  await requireStatus(201, grant(firm, worker))
  await requireStatus(200, revoke(firm, worker))
  const path = `/api/licensing/tenants/${firm.company.id}/ledger?order=desc&limit=2`
  const readPage = async (path: string) => {
    const { body } = await callAsOps(service, 'GET', path)
    const { entries, next } = body as { entries: { sequence: number }[]; next: number | null }
    return { sequences: entries.map(({ sequence }) => sequence), next }
  }
  expect(await readPage(path)).toEqual({ sequences: [3, 2], next: 2 })
  expect(await readPage(`${path}&after=2`)).toEqual({ sequences: [1], next: null })
})
