import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { claimLogout, claimQuery } from '../../../src/oauth/back-channel-logout/store.ts'
import type { TestService } from '../../support/service.ts'
import { startDemoService } from '../../support/world.ts'
import { ALLOW_LOOPBACK, type RelyingParty, startRelyingParty } from './relying-party.ts'

// How the next logout is found while many of other clients are due.

const BACKLOG = 20_000

let service: TestService
let busy: RelyingParty[]
let idle: RelyingParty
beforeAll(async () => {
  service = await startDemoService({ config: ALLOW_LOOPBACK })
  busy = [await startRelyingParty(service), await startRelyingParty(service)]
  idle = await startRelyingParty(service)
  const { db } = service.ctx
  for (const { id } of busy)
    await sql`
      insert into logout_deliveries (client_id, session_id, user_id, due_at, created_at)
      select ${id}, gen_random_uuid(), gen_random_uuid(), now() - make_interval(secs => number), now()
      from generate_series(1, ${BACKLOG}) as number`.execute(db)
  await sql`
    insert into logout_deliveries (client_id, session_id, user_id, due_at, created_at)
    values (${idle.id}, gen_random_uuid(), gen_random_uuid(), now(), now())`.execute(db)
  await sql`analyze logout_deliveries`.execute(db)
})
afterAll(async () => {
  for (const client of [...(busy ?? []), idle]) await client?.stop()
  await service?.close()
})

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  Plans?: Plan[]
}

const listNodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(listNodes)]

const newClaim = (fullClients: string[], toOutsideClients = true) => {
  const now = new Date(Date.now() + 1_000)
  return { holder: randomUUID(), fullClients, toOutsideClients, now, until: new Date(now.getTime() + 30_000) }
}

async function explainClaim(fullClients: string[]): Promise<Plan> {
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`
    explain (analyze, buffers, format json) ${claimQuery(newClaim(fullClients))}`.execute(service.ctx.db)
  const [row] = rows
  if (!row) throw new Error('no plan')
  return row['QUERY PLAN'][0].Plan
}

test.each([
  ['no client is full', () => []],
  ['the clients with a long backlog are full', () => busy.map(({ id }) => id)],
  ['all clients are full', () => [...busy, idle].map(({ id }) => id)],
])('a claim is a few index lookups while %s', async (_, fullClients) => {
  const plan = await explainClaim(fullClients())
  const scans = listNodes(plan).filter((node) => node['Relation Name'] === 'logout_deliveries')
  expect(scans.map((node) => node['Node Type'])).not.toContain('Seq Scan')
  expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(120)
})

test('the client that has waited longest is first, and full ones are left out', async () => {
  const { db } = service.ctx
  await sql`update logout_deliveries set due_at = now() where client_id = ${idle.id}`.execute(db)
  expect(busy.map(({ id }) => id)).toContain((await claimLogout(db, newClaim([])))?.clientRowId)
  expect((await claimLogout(db, newClaim(busy.map(({ id }) => id))))?.clientRowId).toBe(idle.id)
  expect(await claimLogout(db, newClaim([...busy, idle].map(({ id }) => id)))).toBeUndefined()
})

test('simultaneous claims take different deliveries', async () => {
  const claims = await Promise.all(Array.from({ length: 12 }, () => claimLogout(service.ctx.db, newClaim([]))))
  const ids = claims.flatMap((claim) => claim?.id ?? [])
  expect(ids.length).toBe(12)
  expect(new Set(ids).size).toBe(12)
})
