import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, call, newSomebody, type Somebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { obtainTokens, PASSWORD, signIn, startWorld } from '../support/world.ts'
import { employ } from '../tenants/company.ts'
import { ask } from '../tenants/walled-world.ts'
import {
  callAsOps,
  change,
  type Firm,
  grant,
  hire,
  hireLicensed,
  mustBe,
  openFirm,
  renew,
  revoke,
  subscribe,
  type Worker,
} from './firm.ts'

// Everything that happens to seats and subscriptions is written down by the database, with who did it and why.

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service?.close())

const order = (text: string, values: unknown[] = []) => ask(service.ctx.db, text, values)

const entriesOf = ({ company }: Firm) =>
  service.ctx.db
    .selectFrom('license_ledger')
    .selectAll()
    .where('tenant_id', '=', company.id)
    .orderBy('sequence')
    .execute()

/** What the work adds to the ledger: who, why, and about whom. */
async function added(firm: Firm, work: () => Promise<unknown>) {
  const before = (await entriesOf(firm)).length
  await work()
  return (await entriesOf(firm)).slice(before).map(({ actor, reason, user_id }) => [actor, reason, user_id])
}

describe('the ledger names who did what, and why:', () => {
  let firm: Firm
  let owner: Somebody
  let worker: Worker
  let ownToken: string
  let superAdmin: string
  beforeAll(async () => {
    firm = await openFirm(service)
    await subscribe(firm, 'basic', { quantityPurchased: 2 })
    owner = await newSomebody(service)
    await employ(service, firm.company, owner, { role: 'owner' })
    const tokens = await obtainTokens(service.url, owner.cookie, { tenant: firm.company.slug })
    ownToken = tokens.access_token
    const cookie = await signIn(service.url, 'admin@latchkey.test')
    superAdmin = (await obtainTokens(service.url, cookie)).access_token
    worker = await hire(firm)
  })

  const machine = () => `client:${firm.machine.clientId}`
  const user = ({ id }: { id: string }) => `user:${id}`
  const byOwner = (path: string, body: object) =>
    call(`${service.url}/api/integration/licenses${path}`, {
      ...{ method: 'POST', headers: { authorization: `Bearer ${ownToken}` } },
      body: { userId: worker.id, applicationId: firm.applicationId, ...body },
    })

  test('a machine that gives, changes and takes a seat', async () => {
    expect(await added(firm, () => grant(firm, worker))).toEqual([[machine(), 'GRANTED', worker.id]])
    expect(await added(firm, () => change(firm, worker, 'basic'))).toEqual([
      [machine(), 'CHANGED', worker.id],
    ])
    expect(await added(firm, () => change(firm, worker, 'basic'))).toEqual([])
    expect(await added(firm, () => revoke(firm, worker))).toEqual([[machine(), 'REVOKED', worker.id]])
    expect(await added(firm, () => revoke(firm, worker))).toEqual([])
  })

  test('a person who does', async () => {
    const seat = { licenseTypeId: firm.types.pro }
    expect(await added(firm, () => byOwner('/grant', seat))).toEqual([[user(owner), 'GRANTED', worker.id]])
    expect(await added(firm, () => byOwner('/revoke', {}))).toEqual([[user(owner), 'REVOKED', worker.id]])
  })

  test('many at once, each with their own line', async () => {
    const { applicationId, types } = firm
    const others = [await hire(firm), await hire(firm)]
    const grants = others.map(({ id: userId }) => ({ userId, applicationId, licenseTypeId: types.pro }))
    const revocations = others.map(({ id: userId }) => ({ userId, applicationId }))
    const lines = (reason: string) => others.map(({ id }) => [user(owner), reason, id]).sort()
    expect((await added(firm, () => byOwner('/grant/bulk', { grants }))).sort()).toEqual(lines('GRANTED'))
    const bulk = () => byOwner('/revoke/bulk', { revocations })
    expect((await added(firm, bulk)).sort()).toEqual(lines('REVOKED'))
  })

  const LEAVING: [string, (leaver: Somebody, id: string) => Promise<Answer>][] = [
    ['leaves', (leaver, id) => leaver.call('DELETE', `/api/tenants/${firm.company.id}/members/${id}`)],
    [
      'deletes their account',
      (leaver) =>
        leaver.call('DELETE', '/api/users/me', { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }),
    ],
  ]
  test.each(LEAVING)('a person who %s', async (_, leave) => {
    const leaver = await newSomebody(service)
    const membershipId = await employ(service, firm.company, leaver)
    await mustBe(201, grant(firm, leaver))
    const lines = await added(firm, () => mustBe(200, leave(leaver, membershipId)))
    expect(lines).toEqual([[user(leaver), 'ENDED', leaver.id]])
  })

  test('somebody who has taken the seat of a member who was suspended', async () => {
    const small = await openFirm(service, { seats: 1 })
    const holder = await hireLicensed(small)
    const setting = 'update memberships set status = $1 where id = $2'
    await order(setting, ['SUSPENDED', holder.membershipId])
    await hireLicensed(small)
    const lines = await added(small, () => order(setting, ['ACTIVE', holder.membershipId]))
    expect(lines).toEqual([[null, 'ENDED', holder.id]])
  })

  test('an operator who sells, changes and ends a subscription', async () => {
    const sale = { licenseTypeId: firm.types.pro, quantityPurchased: 3 }
    await order('delete from subscriptions where id = $1', [firm.subscriptionId])
    const path = `/api/licensing/tenants/${firm.company.id}/subscriptions`
    const selling = () => mustBe(201, callAsOps(service, 'POST', path, sale))
    expect(await added(firm, selling)).toEqual([['client:demo-ops', 'SUBSCRIBED', null]])
    const [row] = await service.ctx.db
      .selectFrom('subscriptions')
      .select('id')
      .where('license_type_id', '=', firm.types.pro)
      .execute()
    firm = { ...firm, subscriptionId: row?.id ?? '' }
    const changing = () => mustBe(200, renew(firm, { quantityPurchased: 4, status: 'TRIALING' }))
    expect(await added(firm, changing)).toEqual([['client:demo-ops', 'SUBSCRIPTION_CHANGED', null]])
    expect(await added(firm, changing)).toEqual([])
    const headers = { authorization: `Bearer ${superAdmin}` }
    const address = `${service.url}/api/licensing/subscriptions/${firm.subscriptionId}`
    const byPerson = () =>
      mustBe(200, call(address, { method: 'PATCH', headers, body: { quantityPurchased: 5 } }))
    const lines = await added(firm, byPerson)
    expect(lines).toEqual([[expect.stringMatching(/^user:/), 'SUBSCRIPTION_CHANGED', null]])
  })

  test('nobody, when it was written past the service', async () => {
    const holder = await hireLicensed(firm)
    const line = (reason: string) => [[null, reason, holder.id]]
    const parking = `update seats set status = 'PARKED' where user_id = $1`
    const waking = `update seats set status = 'ASSIGNED' where user_id = $1`
    expect(await added(firm, () => order(parking, [holder.id]))).toEqual(line('SUSPENDED'))
    expect(await added(firm, () => order(waking, [holder.id]))).toEqual(line('REACTIVATED'))
    expect(await added(firm, () => order('delete from seats where user_id = $1', [holder.id]))).toEqual(
      line('REVOKED'),
    )
    await mustBe(201, grant(firm, holder))
    expect(await added(firm, () => order('delete from users where id = $1', [holder.id]))).toEqual(
      line('ENDED'),
    )
    const shrinking = 'update subscriptions set quantity_purchased = 2 where id = $1'
    const told = [[null, 'SUBSCRIPTION_CHANGED', null]]
    expect(await added(firm, () => order(shrinking, [firm.subscriptionId]))).toEqual(told)
  })
})

test('the ledger outlives the tenant, and tells how it ended', async () => {
  const firm = await openFirm(service)
  const worker = await hireLicensed(firm)
  const lines = await added(firm, () => order('delete from tenants where id = $1', [firm.company.id]))
  expect(lines.sort()).toEqual([
    [null, 'ENDED', worker.id],
    [null, 'SUBSCRIPTION_ENDED', null],
  ])
})

test('what was refused or undone leaves no line and no gap', async () => {
  const firm = await openFirm(service, { seats: 1 })
  const worker = await hireLicensed(firm)
  const other = await hire(firm)
  const undone = () =>
    service.ctx.db
      .transaction()
      .execute(async (tx) => {
        await tx.deleteFrom('seats').where('user_id', '=', worker.id).execute()
        throw new Error('undone')
      })
      .catch(() => {})
  expect(await added(firm, undone)).toEqual([])
  expect(await added(firm, () => grant(firm, other))).toEqual([])
  expect(await added(firm, () => grant(firm, worker))).toEqual([])
  await mustBe(200, revoke(firm, worker))
  expect((await entriesOf(firm)).map(({ sequence }) => Number(sequence))).toEqual([1, 2, 3])
})

test('the answer to a grant says how far the ledger has come, and the ledger begins where it is asked to', async () => {
  const firm = await openFirm(service)
  const worker = await hire(firm)
  const { headers } = await mustBe(201, grant(firm, worker))
  expect(headers.get('x-license-revision')).toBe('2')
  expect((await mustBe(200, revoke(firm, worker))).headers.get('x-license-revision')).toBe('3')
  const path = `/api/licensing/tenants/${firm.company.id}/ledger`
  const { body } = await callAsOps(service, 'GET', `${path}?after=1&limit=1`)
  const seat = {
    ...{ status: 'ASSIGNED', licenseTypeId: firm.types.pro, subscriptionId: firm.subscriptionId },
    assignedAt: expect.any(String),
  }
  expect(body).toEqual({
    entries: [
      {
        ...{ sequence: 2, occurredAt: expect.any(String), actor: `client:${firm.machine.clientId}` },
        ...{ reason: 'GRANTED', subject: 'seat', subjectId: expect.any(String), userId: worker.id },
        ...{ applicationId: firm.applicationId, before: null, after: seat },
      },
    ],
    next: 2,
  })
})

test('the ledger is read backwards as well, from the newest on', async () => {
  const firm = await openFirm(service)
  const worker = await hire(firm)
  await mustBe(201, grant(firm, worker))
  await mustBe(200, revoke(firm, worker))
  const path = `/api/licensing/tenants/${firm.company.id}/ledger?order=desc&limit=2`
  const read = async (address: string) => {
    const { body } = await callAsOps(service, 'GET', address)
    const { entries, next } = body as { entries: { sequence: number }[]; next: number | null }
    return { sequences: entries.map(({ sequence }) => sequence), next }
  }
  expect(await read(path)).toEqual({ sequences: [3, 2], next: 2 })
  expect(await read(`${path}&after=2`)).toEqual({ sequences: [1], next: null })
})
