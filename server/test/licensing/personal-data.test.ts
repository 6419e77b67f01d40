import { afterAll, beforeAll, expect, test } from 'vitest'
import { erasePeople } from '../../src/account/deletion/erasure.ts'
import { newSomebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startWorld } from '../support/world.ts'
import { employ } from '../tenants/company.ts'
import { ask } from '../tenants/walled-world.ts'
import { DAY, type Firm, grant, hireLicensed, mustBe, openFirm, revoke, rowsOf, seatsOf } from './firm.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service?.close())

/** Somebody who can sign in, with a seat. */
async function newHolder(firm: Firm) {
  const somebody = await newSomebody(service, { given_name: 'Quentin', family_name: 'Quill' })
  const membershipId = await employ(service, firm.company, somebody)
  await mustBe(201, grant(firm, somebody))
  return { ...somebody, membershipId }
}

test('what somebody takes along of their data names their own seats, also dormant and parked ones', async () => {
  const firm = await openFirm(service)
  const second = await openFirm(service)
  const holder = await newHolder(firm)
  await hireLicensed(firm)
  await employ(service, second.company, holder)
  await mustBe(201, grant(second, holder))
  const suspending = `update memberships set status = 'SUSPENDED' where tenant_id = $1 and user_id = $2`
  await ask(service.ctx.db, suspending, [second.company.id, holder.id])
  const slugOf = async ({ applicationId }: Firm) => {
    const text = 'select slug from applications where id = $1'
    return (await ask<{ slug: string }>(service.ctx.db, text, [applicationId]))[0]?.slug
  }
  const seat = async (of: Firm, status: string) => ({
    ...{ tenant: of.company.slug, application: await slugOf(of), licenseType: 'pro', status },
    assignedAt: expect.stringMatching(/Z$/),
  })
  const { body } = await mustBe(200, holder.call('GET', '/api/users/me/export'))
  expect(body.licenses).toHaveLength(2)
  expect(body.licenses).toEqual(
    expect.arrayContaining([await seat(firm, 'ASSIGNED'), await seat(second, 'PARKED')]),
  )
  await mustBe(200, revoke(firm, holder))
  const again = await mustBe(200, holder.call('GET', '/api/users/me/export'))
  expect(again.body.licenses).toEqual([await seat(second, 'PARKED')])
})

test('of somebody who was erased the ledger keeps a number that is nobody, and nothing that tells who it was', async () => {
  const firm = await openFirm(service)
  const owner = await newHolder(firm)
  const token = { id: owner.id, email: owner.email }
  await mustBe(200, revoke(firm, owner))
  await mustBe(201, grant(firm, owner))
  await mustBe(
    200,
    owner.call('DELETE', '/api/users/me', { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }),
  )
  service.advance(31 * DAY)
  await erasePeople.run(service.ctx, {})
  expect(await ask(service.ctx.db, 'select from users where id = $1', [token.id])).toEqual([])
  expect(await rowsOf(firm)).toEqual([])
  expect(await seatsOf(firm)).toMatchObject({ quantityAssigned: 0 })
  const rows = await ask(service.ctx.db, 'select * from license_ledger where user_id = $1', [token.id])
  expect(rows).toHaveLength(4)
  const text = JSON.stringify(rows)
  for (const trace of [token.email, 'Quentin', 'Quill', '127.0.0.1']) expect(text).not.toContain(trace)
})
