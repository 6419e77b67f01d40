import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answer } from '../account/people.ts'
import { startService, type TestService } from '../support/service.ts'
import { type StatementWatch, watchStatements } from '../support/statements.ts'
import { startWorld } from '../support/world.ts'
import {
  callAsOps,
  type Firm,
  grant,
  hire,
  hireMany,
  openFirm,
  overview,
  revoke,
  seenFrom,
  type Worker,
} from './firm.ts'

// Seats that are given and taken at the same time share a statement: what becomes of each is what would become of it
// alone.

let service: TestService
let watch: StatementWatch
beforeAll(async () => {
  service = await startWorld()
  watch = await watchStatements(service)
})
afterAll(async () => {
  await watch?.close()
  await service?.close()
})

interface Seat {
  firm: Firm
  worker: Worker
}

/** Several firms with several people each. */
async function openFirms(
  many: number,
  people: number,
  seats = people,
): Promise<{ firms: Firm[]; all: Seat[] }> {
  const firms = await Promise.all(Array.from({ length: many }, () => openFirm(service, { seats })))
  const staffs = await Promise.all(firms.map((firm) => hireMany(firm, people)))
  return {
    firms,
    all: firms.flatMap((firm, index) => (staffs[index] ?? []).map((worker) => ({ firm, worker }))),
  }
}

const statuses = (answers: Answer[]) => answers.map(({ status }) => status)
const codesOf = (answers: Answer[]) => answers.map(({ body }) => (body as { error?: string }).error)

interface LedgerEntry {
  sequence: number
  actor: string
  reason: string
  userId: string | null
}

async function ledgerOf({ company }: Firm): Promise<LedgerEntry[]> {
  const { body } = await callAsOps(service, 'GET', `/api/licensing/tenants/${company.id}/ledger?limit=200`)
  return (body as { entries: LedgerEntry[] }).entries
}

const entriesOf = ({ company }: Firm, action: string) =>
  service.ctx.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('tenant_id', '=', company.id)
    .where('action', '=', action)
    .execute()

test('each of many firms has its seats, its ledger in order and its own machine as who did it', async () => {
  const { firms, all } = await openFirms(6, 4)
  const granted = await Promise.all(all.map(({ firm, worker }) => grant(firm, worker)))
  expect(new Set(statuses(granted))).toEqual(new Set([201]))
  const revoked = await Promise.all(all.map(({ firm, worker }) => revoke(firm, worker)))
  expect(new Set(statuses(revoked))).toEqual(new Set([200]))
  for (const firm of firms) {
    const workers = all.filter((seat) => seat.firm === firm).map(({ worker }) => worker.id)
    const entries = (await ledgerOf(firm)).filter(
      ({ reason }) => reason === 'GRANTED' || reason === 'REVOKED',
    )
    expect(entries.map(({ sequence }) => sequence)).toEqual(entries.map((_, index) => index + 2))
    expect(new Set(entries.map(({ actor }) => actor))).toEqual(new Set([`client:${firm.machine.clientId}`]))
    for (const reason of ['GRANTED', 'REVOKED']) {
      const told = entries.filter((entry) => entry.reason === reason).map(({ userId }) => userId)
      expect(told.toSorted()).toEqual(workers.toSorted())
    }
    for (const action of ['license.granted', 'license.revoked']) {
      const noted = await entriesOf(firm, action)
      expect(noted.map(({ user_id }) => user_id).toSorted()).toEqual(workers.toSorted())
      expect(new Set(noted.map(({ actor_id }) => actor_id))).toEqual(new Set([firm.machine.clientId]))
      expect(new Set(noted.map(({ request_id }) => request_id)).size).toBe(workers.length)
      const details = { applicationId: firm.applicationId, licenseTypeId: firm.types.pro }
      for (const entry of noted) expect(entry.details).toEqual(details)
    }
  }
})

test('they share statements', async () => {
  const { all } = await openFirms(4, 6)
  const listed = await watch.list(() => Promise.all(all.map(({ firm, worker }) => grant(firm, worker))))
  const inserts = listed.filter(({ query }) => query.includes('insert into seats'))
  expect(inserts.reduce((sum, { calls }) => sum + calls, 0)).toBeLessThan(all.length)
})

test('they share statements when they come to several nodes', async () => {
  const others = [await startService({ beside: service }), await startService({ beside: service })]
  const { firms, all } = await openFirms(1, 60)
  const [firm] = firms as [Firm]
  const seen = [firm, ...others.map((node) => seenFrom(node, firm))]
  // One after the other on twelve ways, as those who wait for an answer do.
  const inTurn = async (way: number, work: typeof grant) => {
    const at = seen[way % seen.length] as Firm
    for (const { worker } of all.filter((_, index) => index % 12 === way)) {
      const { status } = await work(at, worker)
      expect(status).toBe(work === grant ? 201 : 200)
    }
  }
  const listed = await watch.list(async () => {
    for (const work of [grant, revoke])
      await Promise.all(Array.from({ length: 12 }, (_, way) => inTurn(way, work as typeof grant)))
  })
  const alone = listed.filter(({ query }) => /^\s*begin\b/i.test(query))
  expect(alone.reduce((sum, { calls }) => sum + calls, 0)).toBeLessThan(all.length / 5)
  for (const node of others) await node.close()
})

test('one that is refused does not keep those after it from sharing', async () => {
  const { firms, all } = await openFirms(1, 24)
  const [firm] = firms as [Firm]
  const ways = all.map(({ worker }, index) => async () => {
    // Nobody has a seat yet: these are refused, each in a transaction of its own.
    if (index < 4) expect((await revoke(firm, worker)).status).toBe(404)
    for (let round = 0; round < 5; round++) {
      expect((await grant(firm, worker)).status).toBe(201)
      expect((await revoke(firm, worker)).status).toBe(200)
    }
  })
  const listed = await watch.list(() => Promise.all(ways.map((way) => way())))
  const alone = listed.filter(({ query }) => /^\s*begin\b/i.test(query))
  expect(alone.reduce((sum, { calls }) => sum + calls, 0)).toBeLessThan(40)
})

test('as many as are free have a seat afterwards, and the others hear that there is none', async () => {
  const { firms, all } = await openFirms(3, 8, 5)
  const answers = await Promise.all(all.map(({ firm, worker }) => grant(firm, worker)))
  expect(statuses(answers).filter((status) => status === 201)).toHaveLength(15)
  expect(codesOf(answers).filter((code) => code === 'NO_SEATS_AVAILABLE')).toHaveLength(9)
  for (const firm of firms) {
    const { subscriptions } = await overview(firm)
    expect(subscriptions).toMatchObject([{ quantityAssigned: 5 }])
  }
})

test('what cannot be done among them is refused for its own reason, and holds up no other', async () => {
  const { firms, all } = await openFirms(2, 4)
  const [firm, other] = firms as [Firm, Firm]
  const stranger = await hire(other)
  await service.ctx.db
    .updateTable('users')
    .set({ disabled: true })
    .where('id', '=', all[0]?.worker.id ?? '')
    .execute()
  const [disabled, unknown, typeless, ...good] = await Promise.all([
    grant(firm, all[0]?.worker as Worker),
    grant(firm, stranger),
    grant({ ...firm, types: { ...firm.types, pro: other.types.pro } }, all[1]?.worker as Worker),
    ...all.slice(2).map((seat) => grant(seat.firm, seat.worker)),
    ...[revoke(other, stranger)],
  ])
  expect(codesOf([disabled, unknown, typeless, good.pop()] as Answer[])).toEqual([
    ...['MEMBER_NOT_ACTIVE', 'USER_NOT_FOUND', 'LICENSE_TYPE_NOT_FOUND', 'LICENSE_NOT_FOUND'],
  ])
  expect(new Set(statuses(good))).toEqual(new Set([201]))
})

test('of two for the same person one is done, and the other sees it', async () => {
  const { firms, all } = await openFirms(1, 5)
  const [firm] = firms as [Firm]
  const twice = all.flatMap(({ worker }) => [grant(firm, worker), grant(firm, worker)])
  const codes = codesOf(await Promise.all(twice))
  expect(codes.filter((code) => code === 'ALREADY_LICENSED')).toHaveLength(5)
  expect(codes.filter((code) => code === undefined)).toHaveLength(5)
})

test('who waits for somebody at the database keeps nobody else waiting', async () => {
  const { firms, all } = await openFirms(2, 4)
  const [busy, idle] = firms as [Firm, Firm]
  const [held] = all as [Seat]
  expect(await grant(busy, held.worker)).toMatchObject({ status: 201 })
  const somebody = new pg.Client(service.connection.pooled)
  await somebody.connect()
  await somebody.query('begin')
  await somebody.query('select from seats where user_id = $1 for update', [held.worker.id])
  let isTaken = false
  const taking = revoke(busy, held.worker).then((answer) => {
    isTaken = true
    return answer
  })
  const others = all.filter(({ firm }) => firm === idle)
  for (const { worker } of others) expect(await grant(idle, worker)).toMatchObject({ status: 201 })
  expect(isTaken).toBe(false)
  await somebody.query('rollback')
  await somebody.end()
  expect(await taking).toMatchObject({ status: 200 })
})
