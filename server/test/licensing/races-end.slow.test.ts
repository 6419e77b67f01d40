import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../../src/audit/record.ts'
import { AppError } from '../../src/errors.ts'
import { inBulk } from '../../src/licensing/seats/many.ts'
import { grant, grantSeat } from '../../src/licensing/seats/service.ts'
import { requireNoTenantAlone } from '../../src/tenants/ownership.ts'
import { newSomebody, type Somebody } from '../account/people.ts'
import { openTestPool } from '../support/database.ts'
import { deadlocksIn } from '../support/locks.ts'
import { rounds } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import { admin, startWorld } from '../support/world.ts'
import { employ, newCompany } from '../tenants/company.ts'
import { addCrowd } from './crowd.ts'
import { fromTheStart, readOn, readRows } from './replay.ts'

// Whoever ends while seats are given away ends, and leaves none behind.

let here: TestService
let there: TestService
let db: pg.Pool
let owner: Somebody
let applicationId: string
let licenseTypeId: string
/** Of another application. */
let elsewhere: { applicationId: string; licenseTypeId: string }
beforeAll(async () => {
  here = await startWorld()
  there = await startService({ beside: here })
  db = openTestPool({ ...here.connection.pooled, max: 2 })
  owner = await newSomebody(here)
  const stalls = await newType('Stage')
  applicationId = stalls.applicationId
  licenseTypeId = stalls.licenseTypeId
  elsewhere = await newType('Attic')
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

const SEATED = 20
const WAITING = 12

/** A tenant in which some have a seat and others are about to be given one. */
async function stage() {
  const company = await newCompany(here)
  await employ(here, company, owner, { role: 'owner' })
  const people = await addCrowd(db, company.id, SEATED + WAITING)
  for (const type of [licenseTypeId, elsewhere.licenseTypeId]) {
    const terms = { licenseTypeId: type, quantityPurchased: people.length }
    await admin(here.url, `/api/licensing/tenants/${company.id}/subscriptions`, terms)
  }
  const seated = people.slice(0, SEATED)
  for (const userId of seated) await grantAt(here, company.id, userId)
  return { tenantId: company.id, seated, waiting: people.slice(SEATED) }
}

/** What becomes of a grant: that it is done, or the code of the refusal. */
async function grantAt({ ctx }: TestService, tenantId: string, userId: string): Promise<string> {
  try {
    await grant(ctx, { tenantId, actor: SYSTEM }, { userId, applicationId, licenseTypeId })
    return 'done'
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}

test('a tenant is deleted while its members are given seats: it is gone, and so is every seat', async () => {
  const before = await deadlocksIn(here)
  for (const round of rounds(10)) {
    const { tenantId, waiting } = await stage()
    const grants = (from: number, to: number) =>
      waiting.slice(from, to).map((userId, index) => grantAt(index % 2 ? here : there, tenantId, userId))
    const early = grants(0, round)
    const deletion = owner.call('DELETE', `/api/tenants/${tenantId}`)
    const outcomes = await Promise.all([...early, ...grants(round, WAITING)])
    expect((await deletion).status).toBe(200)
    // Who comes too late hears what everybody hears from then on.
    const told = ['done', 'USER_NOT_FOUND', 'TENANT_NOT_FOUND']
    expect(await grantAt(here, tenantId, waiting[0] ?? '')).toBe('TENANT_NOT_FOUND')
    expect(outcomes.filter((outcome) => !told.includes(outcome))).toEqual([])
    expect(await readRows(db, tenantId)).toEqual({ seats: {}, subscriptions: {} })
    expect(await readOn(db, tenantId, fromTheStart())).toMatchObject({ seats: {}, subscriptions: {} })
  }
  expect(await deadlocksIn(here)).toBe(before)
})

test('people are erased while they are given seats: every one of their seats is free', async () => {
  const before = await deadlocksIn(here)
  for (const _round of rounds(20)) {
    const { tenantId, waiting } = await stage()
    const all = await Promise.all([
      ...waiting.map((userId, index) => grantAt(index % 2 ? here : there, tenantId, userId)),
      ...waiting.map((userId) => db.query('delete from users where id = $1', [userId]).then(() => 'done')),
    ])
    expect(all.filter((outcome) => outcome !== 'done' && outcome !== 'USER_NOT_FOUND')).toEqual([])
    const rows = await readRows(db, tenantId)
    expect(Object.keys(rows.seats)).toHaveLength(SEATED)
    expect(await readOn(db, tenantId, fromTheStart())).toMatchObject(rows)
  }
  expect(await deadlocksIn(here)).toBe(before)
})

/** As who deletes the own account does: the tenants come first. */
const letGo = ({ ctx }: TestService, id: string) =>
  ctx.db.transaction().execute(async (tx) => {
    await requireNoTenantAlone(tx, id)
    await tx.updateTable('users').set({ deletion_requested_at: new Date() }).where('id', '=', id).execute()
  })

test('people with a seat ask to be deleted while all are given another: who goes has none', async () => {
  const before = await deadlocksIn(here)
  for (const _round of rounds(10)) {
    const { tenantId, seated, waiting } = await stage()
    const wishes = [...waiting, ...seated].map((userId) => ({ userId, ...elsewhere }))
    const going = seated.slice(-5)
    const [settled] = await Promise.all([
      inBulk(there.ctx, { tenantId, actor: SYSTEM }, wishes, grantSeat),
      ...going.map((userId) => letGo(there, userId)),
    ])
    const codes = settled.result.flatMap((row) => ('error' in row ? [row.error.code] : []))
    expect(codes.filter((code) => code !== 'USER_NOT_FOUND')).toEqual([])
    const rows = await readRows(db, tenantId)
    expect(Object.keys(rows.seats)).toHaveLength(2 * SEATED - 2 * going.length + WAITING)
    expect(await readOn(db, tenantId, fromTheStart())).toMatchObject(rows)
  }
  expect(await deadlocksIn(here)).toBe(before)
})
