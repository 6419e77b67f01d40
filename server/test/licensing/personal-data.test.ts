import { afterAll, beforeAll, expect, test } from 'vitest'
import { eraseDueAccounts } from '../../src/account/deletion/erasure.ts'
import { createSignedInUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'
import { runSql } from '../tenants/scoped-tenant.ts'
import { insertMembership } from '../tenants/tenant-rows.ts'
import {
  addLicensedMember,
  createLicensedTenant,
  DAY_MS,
  getSeatSummary,
  grant,
  type LicensedTenant,
  listSeatRows,
  requireStatus,
  revoke,
} from './licensed-tenant.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service?.close())

/** A seat holder who can sign in. */
async function newHolder(firm: LicensedTenant) {
  const holder = await createSignedInUser(service, { given_name: 'Quentin', family_name: 'Quill' })
  const membershipId = await insertMembership(service, firm.company, holder)
  await requireStatus(201, grant(firm, holder))
  return { ...holder, membershipId }
}

test('the export of personal data lists the own seats, including parked ones', async () => {
  const firm = await createLicensedTenant(service)
  const second = await createLicensedTenant(service)
  const holder = await newHolder(firm)
  await addLicensedMember(firm)
  await insertMembership(service, second.company, holder)
  await requireStatus(201, grant(second, holder))
  const suspend = `update memberships set status = 'SUSPENDED' where tenant_id = $1 and user_id = $2`
  await runSql(service.ctx.db, suspend, [second.company.id, holder.id])
  const findSlug = async ({ applicationId }: LicensedTenant) => {
    const text = 'select slug from applications where id = $1'
    return (await runSql<{ slug: string }>(service.ctx.db, text, [applicationId]))[0]?.slug
  }
  const toSeat = async (holderFirm: LicensedTenant, status: string) => ({
    tenant: holderFirm.company.slug,
    application: await findSlug(holderFirm),
    licenseType: 'pro',
    status,
    assignedAt: expect.stringMatching(/Z$/),
  })
  const { body } = await requireStatus(200, holder.call('GET', '/api/users/me/export'))
  expect(body.licenses).toHaveLength(2)
  expect(body.licenses).toEqual(
    expect.arrayContaining([await toSeat(firm, 'ASSIGNED'), await toSeat(second, 'PARKED')]),
  )
  await requireStatus(200, revoke(firm, holder))
  const again = await requireStatus(200, holder.call('GET', '/api/users/me/export'))
  expect(again.body.licenses).toEqual([await toSeat(second, 'PARKED')])
})

test('the ledger keeps only the id of an erased user, and no personal data', async () => {
  const firm = await createLicensedTenant(service)
  const holder = await newHolder(firm)
  await requireStatus(200, revoke(firm, holder))
  await requireStatus(201, grant(firm, holder))
  await requireStatus(
    200,
    holder.call('DELETE', '/api/users/me', { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }),
  )
  service.advance(31 * DAY_MS)
  await eraseDueAccounts.run(service.ctx, {})
  expect(await runSql(service.ctx.db, 'select from users where id = $1', [holder.id])).toEqual([])
  expect(await listSeatRows(firm)).toEqual([])
  expect(await getSeatSummary(firm)).toMatchObject({ quantityAssigned: 0 })
  const rows = await runSql(service.ctx.db, 'select * from license_ledger where user_id = $1', [holder.id])
  expect(rows).toHaveLength(4)
  const text = JSON.stringify(rows)
  for (const personalData of [holder.email, 'Quentin', 'Quill', '127.0.0.1']) expect(text).not.toContain(personalData)
})
