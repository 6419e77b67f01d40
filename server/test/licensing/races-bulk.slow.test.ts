import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SYSTEM } from '../../src/audit/record.ts'
import { newId } from '../../src/lib/ids.ts'
import { changeSeatsInBulk } from '../../src/licensing/seats/bulk.ts'
import { grantSeat } from '../../src/licensing/seats/service.ts'
import { call, createSignedInUser, findLinkToken, listMailTo } from '../account/people.ts'
import { mailedToken, unusedAddress } from '../invitations/hosts.ts'
import { acceptInvitation } from '../invitations/invitation-api.ts'
import { openTestPool } from '../support/database.ts'
import { countDeadlocks } from '../support/locks.ts'
import { FULL } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import { admin, PASSWORD, startDemoService } from '../support/world.ts'
import { insertMembership, insertTenant } from '../tenants/tenant-rows.ts'
import { insertMembers } from './bulk-members.ts'
import { callAsOps } from './licensed-tenant.ts'
import { createReplay, readLicenseState, replayLedger } from './replay.ts'

// A bulk grant locks many rows. Concurrent requests wait for it, and none deadlocks.

let here: TestService
let there: TestService
let db: pg.Pool
beforeAll(async () => {
  here = await startDemoService()
  there = await startService({ sameDatabaseAs: here })
  db = openTestPool({ ...here.connection.pooled, max: 2 })
})
afterAll(async () => {
  await db?.end()
  await there?.close()
  await here?.close()
})

const MEMBER_COUNT = 100
const ROUNDS = FULL ? 3 : 1

async function newType(name: string) {
  const { id: applicationId } = await admin<{ id: string }>(here.url, '/api/admin/applications', { name })
  const draft = { applicationId, slug: 'stalls', name: 'Stalls' }
  const { id: licenseTypeId } = await admin<{ id: string }>(here.url, '/api/licensing/license-types', draft)
  return { applicationId, licenseTypeId }
}

/** A tenant, and grant requests for its members: most for the first application, the last ten for the second. */
async function createScene() {
  const company = await insertTenant(here)
  const owner = await createSignedInUser(here)
  await insertMembership(here, company, owner, { role: 'owner' })
  const userIds = await insertMembers(db, company.id, MEMBER_COUNT)
  const [first, second] = [await newType('First'), await newType('Second')]
  for (const { licenseTypeId } of [first, second]) {
    const terms = { licenseTypeId, quantityPurchased: 2 * MEMBER_COUNT }
    await admin(here.url, `/api/licensing/tenants/${company.id}/subscriptions`, terms)
  }
  const requests = userIds.map((userId, index) => ({
    userId,
    ...(index < MEMBER_COUNT - 10 ? first : second),
  }))
  const invite = (email: string) => owner.call('POST', `/api/tenants/${company.id}/invitations`, { email, ...second })
  return { tenantId: company.id, userIds, first, second, requests, invite }
}
type Scene = Awaited<ReturnType<typeof createScene>>

/** Prepares a request, and returns the function that sends it during the bulk grant. */
type Prepare = (scene: Scene) => Promise<() => Promise<unknown>>

/** Expects no deadlock, a consistent ledger, and no refused row except with the allowed codes. */
async function runDuringBulkGrant(prepare: Prepare, allowedCodes: string[] = []): Promise<void> {
  const before = await countDeadlocks(here)
  for (let round = 0; round < ROUNDS; round++) {
    const scene = await createScene()
    const { tenantId, requests } = scene
    const send = await prepare(scene)
    const bulkGrant = changeSeatsInBulk(there.ctx, { tenantId, actor: SYSTEM }, requests, grantSeat)
    await sleep(20 * (round + 1))
    const [{ result }] = await Promise.all([bulkGrant, send()])
    const codes = result.flatMap((row) => ('error' in row ? [row.error.code] : []))
    expect(codes.filter((code) => !allowedCodes.includes(code))).toEqual([])
    expect(await replayLedger(db, tenantId, createReplay())).toMatchObject(await readLicenseState(db, tenantId))
  }
  expect(await countDeadlocks(here)).toBe(before)
}

test('a bulk grant and the deletion of one of its applications do not deadlock', () =>
  runDuringBulkGrant(
    async ({ second }) =>
      async () => {
        const path = `/api/admin/applications/${second.applicationId}`
        expect((await callAsOps(here, 'DELETE', path)).status).toBe(200)
      },
    ['INVALID_APPLICATION_ID'],
  ))

test('a bulk grant and the disabling of some of its users do not deadlock', () =>
  runDuringBulkGrant(
    async ({ userIds }) =>
      () =>
        Promise.all(userIds.slice(-5).map((id) => db.query('update users set disabled = true where id = $1', [id]))),
    ['MEMBER_NOT_ACTIVE'],
  ))

test('a bulk grant and the acceptance of an invitation with a seat do not deadlock', () =>
  runDuringBulkGrant(async ({ invite }) => {
    const guest = await createSignedInUser(here)
    expect((await invite(guest.email)).status).toBe(201)
    const token = await mailedToken(here, guest.email)
    return async () => expect((await acceptInvitation(here, token, { as: guest })).status).toBe(200)
  }))

test('a bulk grant and the verification of an address with a reserved seat do not deadlock', () =>
  runDuringBulkGrant(async ({ invite }) => {
    const guest = await createSignedInUser(here)
    const newEmail = unusedAddress()
    expect((await invite(newEmail)).status).toBe(201)
    await guest.call('POST', '/api/users/me/email', { newEmail, password: PASSWORD })
    const [mail] = await listMailTo(here, newEmail)
    const token = findLinkToken(mail)
    return async () => {
      const verified = await call(`${here.url}/api/auth/email/verify`, { method: 'POST', body: { token } })
      expect(verified.status).toBe(200)
    }
  }))

test('concurrent deletions of two applications with the same tenants do not deadlock', async () => {
  const before = await countDeadlocks(here)
  const tenants = Array.from({ length: 500 }, newId)
  await db.query(
    `insert into tenants (id, name, slug, created_at, updated_at)
     select id, 'Buyer', 'buyer-' || id, now(), now() from unnest($1::uuid[]) as id`,
    [tenants],
  )
  const [first, second] = [await newType('One'), await newType('Other')]
  const insertSubscriptions = ({ applicationId, licenseTypeId }: typeof first, tenantIds: string[]) =>
    db.query(
      `insert into subscriptions (id, tenant_id, application_id, license_type_id, quantity_purchased, status,
         current_period_start, created_at, updated_at)
       select gen_random_uuid(), id, $1, $2, 5, 'ACTIVE', now(), now(), now()
       from unnest($3::uuid[]) with ordinality as tenant (id, ordinal) order by ordinal`,
      [applicationId, licenseTypeId, tenantIds],
    )
  await insertSubscriptions(first, tenants)
  await insertSubscriptions(second, [...tenants].reverse())
  const responses = await Promise.all(
    [first, second].map(({ applicationId }) => callAsOps(here, 'DELETE', `/api/admin/applications/${applicationId}`)),
  )
  expect(responses.map(({ status }) => status)).toEqual([200, 200])
  expect(await countDeadlocks(here)).toBe(before)
})
