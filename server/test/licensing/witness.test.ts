import { afterAll, beforeAll, expect, test } from 'vitest'
import { callWitness } from '../../src/db/durable.ts'
import { isReachable } from '../../src/db/ping.ts'
import { adminOf } from '../support/database.ts'
import { whileHeld } from '../support/locks.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import { type Firm, grant, hire, hireMany, openFirm, typeOf } from './firm.ts'

// Work on seats commits without the disk. That it is kept can only be said by a connection that was open before: one that
// was opened since may lead to another server, or to the same after a crash.

let service: TestService
let firm: Firm
beforeAll(async () => {
  service = await startWorld()
  firm = await openFirm(service, { seats: 50 })
})
afterAll(() => service.close())

/** Ends the connection on which the disk is waited for. */
async function endWitness(): Promise<void> {
  const admin = await adminOf(service.connection.direct.host ?? '')
  const { rowCount } = await admin.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where datname = $1 and query like '%pg_logical_emit_message%' and pid <> pg_backend_pid()`,
    [service.connection.name],
  )
  await admin.end()
  expect(rowCount).toBe(1)
}

test('a witness whose connection was lost vouches for nothing, though the database answers; the next one does', async () => {
  const witness = await callWitness(service.ctx.db)
  await witness.untilDurable()
  await endWitness()
  await expect(witness.untilDurable()).rejects.toThrow(/^Connection terminated/)
  expect(await isReachable(service.ctx.db)).toBe(true)
  await (await callWitness(service.ctx.db)).untilDurable()
})

test('a seat is not acknowledged when nobody can say that it is kept', async () => {
  const worker = await hire(firm)
  await grant(firm, await hire(firm))
  const hold = { statement: 'select from tenants where id = $1 for update', values: [firm.company.id] }
  const waiting = await whileHeld(service, hold, async (waitFor) => {
    // By itself: the statement that several share does not wait for a lock.
    const answer = grant(firm, worker)
    await waitFor(1)
    await endWitness()
    return { answer }
  })
  const { status, headers } = await waiting.answer
  expect([status, headers.get('retry-after')]).toEqual([503, '2'])
  // It was done all the same, and whoever repeats it hears so.
  expect((await grant(firm, worker)).status).toBe(400)
  expect(await typeOf(firm, worker)).toBe('pro')
})

test('many at once wait for the disk together', async () => {
  const workers = await hireMany(firm, 10)
  const answers = await Promise.all(workers.map((worker) => grant(firm, worker)))
  expect(answers.map(({ status }) => status)).toEqual(workers.map(() => 201))
})
