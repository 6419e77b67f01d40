import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiResponse } from '../account/people.ts'
import { FULL } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { startDemoService } from '../support/world.ts'
import {
  addTenantMember,
  addTenantMembers,
  callAsOps,
  createLicensedTenant,
  grant,
  type LicensedTenant,
  onNode,
  overview,
  revoke,
  type TestMember,
} from './licensed-tenant.ts'

// Concurrent grants and revocations share a statement. Each has the result that it would have alone.

let service: TestService
let watch: StatementWatch
beforeAll(async () => {
  service = await startDemoService()
  watch = await watchStatements(service)
})
afterAll(async () => {
  await watch?.close()
  await service?.close()
})

interface Seat {
  firm: LicensedTenant
  worker: TestMember
}

async function openFirms(
  firmCount: number,
  workerCount: number,
  seats = workerCount,
): Promise<{ firms: LicensedTenant[]; all: Seat[] }> {
  const firms = await Promise.all(Array.from({ length: firmCount }, () => createLicensedTenant(service, { seats })))
  const staffs = await Promise.all(firms.map((firm) => addTenantMembers(firm, workerCount)))
  return {
    firms,
    all: firms.flatMap((firm, index) => (staffs[index] ?? []).map((worker) => ({ firm, worker }))),
  }
}

const statusesOf = (responses: ApiResponse[]) => responses.map(({ status }) => status)
const codesOf = (responses: ApiResponse[]) => responses.map(({ body }) => (body as { error?: string }).error)

interface LedgerEntry {
  sequence: number
  actor: string
  reason: string
  userId: string | null
}

async function ledgerOf({ company }: LicensedTenant): Promise<LedgerEntry[]> {
  const { body } = await callAsOps(service, 'GET', `/api/licensing/tenants/${company.id}/ledger?limit=200`)
  return (body as { entries: LedgerEntry[] }).entries
}

const listAuditEvents = ({ company }: LicensedTenant, action: string) =>
  service.ctx.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('tenant_id', '=', company.id)
    .where('action', '=', action)
    .execute()

test('each tenant has its seats, a ledger without gaps and its own machine as the actor', async () => {
  const { firms, all } = await openFirms(6, 4)
  const granted = await Promise.all(all.map(({ firm, worker }) => grant(firm, worker)))
  expect(new Set(statusesOf(granted))).toEqual(new Set([201]))
  const revoked = await Promise.all(all.map(({ firm, worker }) => revoke(firm, worker)))
  expect(new Set(statusesOf(revoked))).toEqual(new Set([200]))
  for (const firm of firms) {
    const workers = all.filter((seat) => seat.firm === firm).map(({ worker }) => worker.id)
    const entries = (await ledgerOf(firm)).filter(({ reason }) => reason === 'GRANTED' || reason === 'REVOKED')
    expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 2))
    expect(new Set(entries.map(({ actor }) => actor))).toEqual(new Set([`client:${firm.machine.clientId}`]))
    for (const reason of ['GRANTED', 'REVOKED']) {
      const userIds = entries.filter((entry) => entry.reason === reason).map(({ userId }) => userId)
      expect(userIds.toSorted()).toEqual(workers.toSorted())
    }
    for (const action of ['license.granted', 'license.revoked']) {
      const events = await listAuditEvents(firm, action)
      expect(events.map(({ user_id }) => user_id).toSorted()).toEqual(workers.toSorted())
      expect(new Set(events.map(({ actor_id }) => actor_id))).toEqual(new Set([firm.machine.clientId]))
      expect(new Set(events.map(({ request_id }) => request_id)).size).toBe(workers.length)
      const details = { applicationId: firm.applicationId, licenseTypeId: firm.types.pro }
      for (const event of events) expect(event.details).toEqual(details)
    }
  }
})

test('concurrent grants share statements', async () => {
  const { all } = await openFirms(4, 6)
  const listed = await watch.list(() => Promise.all(all.map(({ firm, worker }) => grant(firm, worker))))
  const inserts = listed.filter(({ query }) => query.includes('insert into seats'))
  expect(inserts.reduce((sum, { calls }) => sum + calls, 0)).toBeLessThan(all.length)
})

test('concurrent grants and revocations to several nodes share statements', async () => {
  const others = [await startService({ sameDatabaseAs: service }), await startService({ sameDatabaseAs: service })]
  const { firms, all } = await openFirms(1, 60)
  const [firm] = firms as [LicensedTenant]
  const views = [firm, ...others.map((node) => onNode(node, firm))]
  // Twelve clients, each of which waits for a response before its next request.
  const runClient = async (client: number, work: typeof grant) => {
    const view = views[client % views.length] as LicensedTenant
    for (const { worker } of all.filter((_, index) => index % 12 === client)) {
      const { status } = await work(view, worker)
      expect(status).toBe(work === grant ? 201 : 200)
    }
  }
  const listed = await watch.list(async () => {
    for (const work of [grant, revoke])
      await Promise.all(Array.from({ length: 12 }, (_, client) => runClient(client, work as typeof grant)))
  })
  const transactions = listed.filter(({ query }) => /^\s*begin\b/i.test(query))
  expect(transactions.reduce((sum, { calls }) => sum + calls, 0)).toBeLessThan(all.length / 5)
  for (const node of others) await node.close()
})

test('a refused request does not stop later requests from sharing statements', async () => {
  const { firms, all } = await openFirms(1, 24)
  const [firm] = firms as [LicensedTenant]
  const clients = all.map(({ worker }, index) => async () => {
    // Without a seat these are refused, each in its own transaction.
    if (index < 4) expect((await revoke(firm, worker)).status).toBe(404)
    for (let round = 0; round < (FULL ? 5 : 2); round++) {
      expect((await grant(firm, worker)).status).toBe(201)
      expect((await revoke(firm, worker)).status).toBe(200)
    }
  })
  const listed = await watch.list(() => Promise.all(clients.map((client) => client())))
  const transactions = listed.filter(({ query }) => /^\s*begin\b/i.test(query))
  expect(transactions.reduce((sum, { calls }) => sum + calls, 0)).toBeLessThan(40)
})

test('as many grants succeed as seats are free, and the others are refused with NO_SEATS_AVAILABLE', async () => {
  const { firms, all } = await openFirms(3, 8, 5)
  const responses = await Promise.all(all.map(({ firm, worker }) => grant(firm, worker)))
  expect(statusesOf(responses).filter((status) => status === 201)).toHaveLength(15)
  expect(codesOf(responses).filter((code) => code === 'NO_SEATS_AVAILABLE')).toHaveLength(9)
  for (const firm of firms) {
    const { subscriptions } = await overview(firm)
    expect(subscriptions).toMatchObject([{ quantityAssigned: 5 }])
  }
})

test('a request that fails in a batch is refused with its own error code, and the others succeed', async () => {
  const { firms, all } = await openFirms(2, 4)
  const [firm, other] = firms as [LicensedTenant, LicensedTenant]
  const stranger = await addTenantMember(other)
  await service.ctx.db
    .updateTable('users')
    .set({ disabled: true })
    .where('id', '=', all[0]?.worker.id ?? '')
    .execute()
  const [disabled, unknown, wrongType, ...successful] = await Promise.all([
    grant(firm, all[0]?.worker as TestMember),
    grant(firm, stranger),
    grant({ ...firm, types: { ...firm.types, pro: other.types.pro } }, all[1]?.worker as TestMember),
    ...all.slice(2).map((seat) => grant(seat.firm, seat.worker)),
    revoke(other, stranger),
  ])
  expect(codesOf([disabled, unknown, wrongType, successful.pop()] as ApiResponse[])).toEqual([
    'MEMBER_NOT_ACTIVE',
    'USER_NOT_FOUND',
    'LICENSE_TYPE_NOT_FOUND',
    'LICENSE_NOT_FOUND',
  ])
  expect(new Set(statusesOf(successful))).toEqual(new Set([201]))
})

test('of two grants for the same user one succeeds, and the other is refused with ALREADY_LICENSED', async () => {
  const { firms, all } = await openFirms(1, 5)
  const [firm] = firms as [LicensedTenant]
  const twice = all.flatMap(({ worker }) => [grant(firm, worker), grant(firm, worker)])
  const codes = codesOf(await Promise.all(twice))
  expect(codes.filter((code) => code === 'ALREADY_LICENSED')).toHaveLength(5)
  expect(codes.filter((code) => code === undefined)).toHaveLength(5)
})

test('a request that waits for a database lock does not delay the requests of other tenants', async () => {
  const { firms, all } = await openFirms(2, 4)
  const [busy, idle] = firms as [LicensedTenant, LicensedTenant]
  const [held] = all as [Seat]
  expect(await grant(busy, held.worker)).toMatchObject({ status: 201 })
  const locker = new pg.Client(service.connection.pooled)
  await locker.connect()
  await locker.query('begin')
  await locker.query('select from seats where user_id = $1 for update', [held.worker.id])
  let isRevoked = false
  const revocation = revoke(busy, held.worker).then((response) => {
    isRevoked = true
    return response
  })
  const others = all.filter(({ firm }) => firm === idle)
  for (const { worker } of others) expect(await grant(idle, worker)).toMatchObject({ status: 201 })
  expect(isRevoked).toBe(false)
  await locker.query('rollback')
  await locker.end()
  expect(await revocation).toMatchObject({ status: 200 })
})
