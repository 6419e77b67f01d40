import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../../src/audit/record.ts'
import { AppError } from '../../src/errors.ts'
import { changeSeatsInBulk } from '../../src/licensing/seats/bulk.ts'
import { grant, grantSeat } from '../../src/licensing/seats/service.ts'
import { requireNotLastOwner } from '../../src/tenants/ownership.ts'
import { createSignedInUser, type TestUser } from '../account/people.ts'
import { openTestPool } from '../support/database.ts'
import { countDeadlocks } from '../support/locks.ts'
import { rounds } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import { admin, startDemoService } from '../support/world.ts'
import { insertMembership, insertTenant } from '../tenants/tenant-rows.ts'
import { insertMembers } from './bulk-members.ts'
import { createReplay, readLicenseState, replayLedger } from './replay.ts'

// Tenants and users that are deleted during grants leave no seat behind.

let here: TestService
let there: TestService
let db: pg.Pool
let owner: TestUser
let applicationId: string
let licenseTypeId: string
/** The license type of a second application. */
let second: { applicationId: string; licenseTypeId: string }
beforeAll(async () => {
  here = await startDemoService()
  there = await startService({ sameDatabaseAs: here })
  db = openTestPool({ ...here.connection.pooled, max: 2 })
  owner = await createSignedInUser(here)
  const first = await newType('First')
  applicationId = first.applicationId
  licenseTypeId = first.licenseTypeId
  second = await newType('Second')
})
afterAll(async () => {
  await db?.end()
  await there?.close()
  await here?.close()
})

async function newType(name: string) {
  const application = await admin<{ id: string }>(here.url, '/api/admin/applications', { name })
  const draft = { applicationId: application.id, slug: 'stalls', name: 'Stalls' }
  const type = await admin<{ id: string }>(here.url, '/api/licensing/license-types', draft)
  return { applicationId: application.id, licenseTypeId: type.id }
}

const HOLDER_COUNT = 20
const NEWCOMER_COUNT = 12

/** A tenant with seat holders, and with members without a seat. */
async function createScene() {
  const company = await insertTenant(here)
  await insertMembership(here, company, owner, { role: 'owner' })
  const userIds = await insertMembers(db, company.id, HOLDER_COUNT + NEWCOMER_COUNT)
  for (const type of [licenseTypeId, second.licenseTypeId]) {
    const terms = { licenseTypeId: type, quantityPurchased: userIds.length }
    await admin(here.url, `/api/licensing/tenants/${company.id}/subscriptions`, terms)
  }
  const holders = userIds.slice(0, HOLDER_COUNT)
  for (const userId of holders) await grantAt(here, company.id, userId)
  return { tenantId: company.id, holders, newcomers: userIds.slice(HOLDER_COUNT) }
}

/** Returns 'done', or the error code of the refusal. */
async function grantAt({ ctx }: TestService, tenantId: string, userId: string): Promise<string> {
  try {
    await grant(ctx, { tenantId, actor: SYSTEM }, { userId, applicationId, licenseTypeId })
    return 'done'
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

test('a tenant that is deleted during grants leaves no seat and no subscription', async () => {
  const before = await countDeadlocks(here)
  for (const round of rounds(10)) {
    const { tenantId, newcomers } = await createScene()
    const grants = (from: number, to: number) =>
      newcomers.slice(from, to).map((userId, index) => grantAt(index % 2 ? here : there, tenantId, userId))
    const grantsBefore = grants(0, round)
    const deletion = owner.call('DELETE', `/api/tenants/${tenantId}`)
    const outcomes = await Promise.all([...grantsBefore, ...grants(round, NEWCOMER_COUNT)])
    expect((await deletion).status).toBe(200)
    const expected = ['done', 'USER_NOT_FOUND', 'TENANT_NOT_FOUND']
    expect(await grantAt(here, tenantId, newcomers[0] ?? '')).toBe('TENANT_NOT_FOUND')
    expect(outcomes.filter((outcome) => !expected.includes(outcome))).toEqual([])
    expect(await readLicenseState(db, tenantId)).toEqual({ seats: {}, subscriptions: {} })
    expect(await replayLedger(db, tenantId, createReplay())).toMatchObject({ seats: {}, subscriptions: {} })
  }
  expect(await countDeadlocks(here)).toBe(before)
})

test('users who are erased during grants leave no seat', async () => {
  const before = await countDeadlocks(here)
  for (const _round of rounds(20)) {
    const { tenantId, newcomers } = await createScene()
    const outcomes = await Promise.all([
      ...newcomers.map((userId, index) => grantAt(index % 2 ? here : there, tenantId, userId)),
      ...newcomers.map((userId) => db.query('delete from users where id = $1', [userId]).then(() => 'done')),
    ])
    expect(outcomes.filter((outcome) => outcome !== 'done' && outcome !== 'USER_NOT_FOUND')).toEqual([])
    const rows = await readLicenseState(db, tenantId)
    expect(Object.keys(rows.seats)).toHaveLength(HOLDER_COUNT)
    expect(await replayLedger(db, tenantId, createReplay())).toMatchObject(rows)
  }
  expect(await countDeadlocks(here)).toBe(before)
})

/** Locks in the same order as the deletion of the own account: first the tenants, then the user. */
const requestDeletion = ({ ctx }: TestService, id: string) =>
  ctx.db.transaction().execute(async (tx) => {
    await requireNotLastOwner(tx, id)
    await tx.updateTable('users').set({ deletion_requested_at: new Date() }).where('id', '=', id).execute()
  })

test('seat holders who request deletion during a bulk grant have no seat', async () => {
  const before = await countDeadlocks(here)
  for (const _round of rounds(10)) {
    const { tenantId, holders, newcomers } = await createScene()
    const requests = [...newcomers, ...holders].map((userId) => ({ userId, ...second }))
    const deleted = holders.slice(-5)
    const [bulk] = await Promise.all([
      changeSeatsInBulk(there.ctx, { tenantId, actor: SYSTEM }, requests, grantSeat),
      ...deleted.map((userId) => requestDeletion(there, userId)),
    ])
    const codes = bulk.result.flatMap((row) => ('error' in row ? [row.error.code] : []))
    expect(codes.filter((code) => code !== 'USER_NOT_FOUND')).toEqual([])
    const rows = await readLicenseState(db, tenantId)
    expect(Object.keys(rows.seats)).toHaveLength(2 * HOLDER_COUNT - 2 * deleted.length + NEWCOMER_COUNT)
    expect(await replayLedger(db, tenantId, createReplay())).toMatchObject(rows)
  }
  expect(await countDeadlocks(here)).toBe(before)
})
