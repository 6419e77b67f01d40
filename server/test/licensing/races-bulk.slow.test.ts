import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../../src/audit/record.ts'
import { newId } from '../../src/lib/ids.ts'
import { inBulk } from '../../src/licensing/seats/many.ts'
import { grantSeat } from '../../src/licensing/seats/service.ts'
import { call, mailTo, newSomebody, tokenIn } from '../account/people.ts'
import { accept } from '../invitations/desk.ts'
import { mailedToken, unusedAddress } from '../invitations/guests.ts'
import { openTestPool } from '../support/database.ts'
import { deadlocksIn } from '../support/locks.ts'
import { FULL } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import { admin, PASSWORD, startWorld } from '../support/world.ts'
import { employ, newCompany } from '../tenants/company.ts'
import { addCrowd } from './crowd.ts'
import { callAsOps } from './firm.ts'
import { fromTheStart, readOn, readRows } from './replay.ts'

// Whoever gives many seats at a time holds much at a time: whoever else comes waits, and nobody in a circle.

let here: TestService
let there: TestService
let db: pg.Pool
beforeAll(async () => {
  here = await startWorld()
  there = await startService({ beside: here })
  db = openTestPool({ ...here.connection.pooled, max: 2 })
})
afterAll(async () => {
  await db?.end()
  await there?.close()
  await here?.close()
})

const MANY = 100
const ROUNDS = FULL ? 3 : 1

async function newType(name: string) {
  const { id: applicationId } = await admin<{ id: string }>(here.url, '/api/admin/applications', { name })
  const draft = { applicationId, slug: 'stalls', name: 'Stalls' }
  const { id: licenseTypeId } = await admin<{ id: string }>(here.url, '/api/licensing/license-types', draft)
  return { applicationId, licenseTypeId }
}

/** A tenant whose people are to have seats: most of them in the stalls, and at last some upstairs. */
async function stage() {
  const company = await newCompany(here)
  const owner = await newSomebody(here)
  await employ(here, company, owner, { role: 'owner' })
  const people = await addCrowd(db, company.id, MANY)
  const [stalls, upstairs] = [await newType('Stalls'), await newType('Upstairs')]
  for (const { licenseTypeId } of [stalls, upstairs]) {
    const terms = { licenseTypeId, quantityPurchased: 2 * MANY }
    await admin(here.url, `/api/licensing/tenants/${company.id}/subscriptions`, terms)
  }
  const wishes = people.map((userId, index) => ({ userId, ...(index < MANY - 10 ? stalls : upstairs) }))
  const invite = (email: string) =>
    owner.call('POST', `/api/tenants/${company.id}/invitations`, { email, ...upstairs })
  return { tenantId: company.id, people, stalls, upstairs, wishes, invite }
}
type Stage = Awaited<ReturnType<typeof stage>>

/** What is done while the seats are given away, once it is prepared. */
type Prepare = (stage: Stage) => Promise<() => Promise<unknown>>

async function meet(prepare: Prepare, allowed: string[] = []): Promise<void> {
  const before = await deadlocksIn(here)
  for (let round = 0; round < ROUNDS; round++) {
    const set = await stage()
    const act = await prepare(set)
    const giving = inBulk(there.ctx, { tenantId: set.tenantId, actor: SYSTEM }, set.wishes, grantSeat)
    await sleep(20 * (round + 1))
    const [{ result }] = await Promise.all([giving, act()])
    const codes = result.flatMap((row) => ('error' in row ? [row.error.code] : []))
    expect(codes.filter((code) => !allowed.includes(code))).toEqual([])
    expect(await readOn(db, set.tenantId, fromTheStart())).toMatchObject(await readRows(db, set.tenantId))
  }
  expect(await deadlocksIn(here)).toBe(before)
}

test('one of the applications is deleted meanwhile', () =>
  meet(
    async ({ upstairs }) =>
      async () => {
        const path = `/api/admin/applications/${upstairs.applicationId}`
        expect((await callAsOps(here, 'DELETE', path)).status).toBe(200)
      },
    ['INVALID_APPLICATION_ID'],
  ))

test('some of the people are disabled meanwhile', () =>
  meet(
    async ({ people }) =>
      () =>
        Promise.all(
          people.slice(-5).map((id) => db.query('update users set disabled = true where id = $1', [id])),
        ),
    ['MEMBER_NOT_ACTIVE'],
  ))

test('somebody accepts an invitation with a seat meanwhile', () =>
  meet(async ({ invite }) => {
    const guest = await newSomebody(here)
    expect((await invite(guest.email)).status).toBe(201)
    const token = await mailedToken(here, guest.email)
    return async () => expect((await accept(here, token, { as: guest })).status).toBe(200)
  }))

test('somebody confirms an address for which a seat is kept meanwhile', () =>
  meet(async ({ invite }) => {
    const guest = await newSomebody(here)
    const newEmail = unusedAddress()
    expect((await invite(newEmail)).status).toBe(201)
    await guest.call('POST', '/api/users/me/email', { newEmail, password: PASSWORD })
    const [mail] = await mailTo(here, newEmail)
    const token = tokenIn(mail)
    return async () => {
      const confirmed = await call(`${here.url}/api/auth/email/verify`, { method: 'POST', body: { token } })
      expect(confirmed.status).toBe(200)
    }
  }))

test('two applications that the same tenants have bought are deleted at once', async () => {
  const before = await deadlocksIn(here)
  const tenants = Array.from({ length: 500 }, newId)
  await db.query(
    `insert into tenants (id, name, slug, created_at, updated_at)
     select id, 'Buyer', 'buyer-' || id, now(), now() from unnest($1::uuid[]) as id`,
    [tenants],
  )
  const [one, other] = [await newType('One'), await newType('Other')]
  const sell = ({ applicationId, licenseTypeId }: typeof one, buyers: string[]) =>
    db.query(
      `insert into subscriptions (id, tenant_id, application_id, license_type_id, quantity_purchased, status,
         current_period_start, created_at, updated_at)
       select gen_random_uuid(), id, $1, $2, 5, 'ACTIVE', now(), now(), now()
       from unnest($3::uuid[]) with ordinality as buyer (id, place) order by place`,
      [applicationId, licenseTypeId, buyers],
    )
  await sell(one, tenants)
  await sell(other, [...tenants].reverse())
  const answers = await Promise.all(
    [one, other].map(({ applicationId }) =>
      callAsOps(here, 'DELETE', `/api/admin/applications/${applicationId}`),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect(await deadlocksIn(here)).toBe(before)
})
