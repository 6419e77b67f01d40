import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { addPerson, newSomebody, type Somebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import { employ, inviteTo } from '../tenants/company.ts'
import { DAY, type Firm, grant, hire, holders, openFirm, renew, revoke, subscribe } from './firm.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

interface Seat {
  userId: string
  membershipId: string
  displayName: string
  email: string
  role: string
  license: { licenseTypeId: string; slug: string; name: string; assignedAt: string } | null
}
interface Page {
  seats: Seat[]
  pagination: { page: number; limit: number; total: number; pages: number }
}

async function newOwner(firm: Firm): Promise<Somebody> {
  const owner = await newSomebody(service, { display_name: 'aaron' })
  await employ(service, firm.company, owner, { role: 'owner' })
  return owner
}

const pathOf = ({ company, applicationId }: Firm) =>
  `/api/tenants/${company.id}/licenses/${applicationId}/seats`

async function list(firm: Firm, person: Somebody, query: Record<string, string> = {}): Promise<Page> {
  const { status, body } = await person.call('GET', `${pathOf(firm)}?${new URLSearchParams(query)}`)
  expect(status, JSON.stringify(body)).toBe(200)
  return body as unknown as Page
}

const names = ({ seats }: Page) => seats.map(({ displayName }) => displayName)

/** Whoever is shown with a licence is who the other lists say may use the application. */
async function expectAgreement(firm: Firm, person: Somebody): Promise<void> {
  const { seats, pagination } = await list(firm, person, { limit: '100' })
  const licensed = seats.filter(({ license }) => license !== null).map(({ userId }) => userId)
  expect(licensed.sort()).toEqual((await holders(firm)).sort())
  expect(pagination.total).toBe(seats.length)
  expect((await list(firm, person, { licensed: 'true' })).pagination.total).toBe(licensed.length)
  expect((await list(firm, person, { licensed: 'false' })).pagination.total).toBe(
    seats.length - licensed.length,
  )
}

describe('the members and their seats', () => {
  test('are listed by what they are called, with the licence that they hold', async () => {
    const firm = await openFirm(service)
    const owner = await newOwner(firm)
    const zoe = await hire(firm, { given_name: 'Zoe', family_name: 'Ark' })
    const bea = await hire(firm, { display_name: 'Bea' })
    const nameless = await hire(firm, { email: 'mo.nobody@people.test' })
    await subscribe(firm, 'basic', { quantityPurchased: 1 })
    await grant(firm, zoe)
    await grant(firm, nameless, 'basic')
    const page = await list(firm, owner)
    expect(names(page)).toEqual(['aaron', 'Bea', 'mo.nobody', 'Zoe Ark'])
    expect(page.pagination).toEqual({ page: 1, limit: 20, total: 4, pages: 1 })
    expect(page.seats[0]).toMatchObject({ role: 'owner', license: null })
    expect(page.seats[1]).toEqual({
      userId: bea.id,
      membershipId: bea.membershipId,
      displayName: 'Bea',
      email: bea.email,
      role: 'member',
      license: null,
    })
    expect(page.seats[3]).toMatchObject({
      userId: zoe.id,
      license: {
        licenseTypeId: firm.types.pro,
        slug: 'pro',
        name: 'The pro',
        assignedAt: expect.stringMatching(/Z$/),
      },
    })
    await expectAgreement(firm, owner)
    expect(names(await list(firm, owner, { licensed: 'true' }))).toEqual(['mo.nobody', 'Zoe Ark'])
    expect(names(await list(firm, owner, { licensed: 'false' }))).toEqual(['aaron', 'Bea'])
    const { pro, basic } = firm.types
    expect(names(await list(firm, owner, { licenseTypeId: pro }))).toEqual(['Zoe Ark'])
    expect(names(await list(firm, owner, { licenseTypeId: basic.toUpperCase() }))).toEqual(['mo.nobody'])
    expect(names(await list(firm, owner, { licenseTypeId: pro, licensed: 'false' }))).toEqual([])
    for (const unknown of [newId(), 'pro']) {
      expect((await list(firm, owner, { licenseTypeId: unknown })).pagination.total).toBe(0)
    }
    expect(names(await list(firm, owner, { search: 'zoe ark' }))).toEqual(['Zoe Ark'])
    expect(names(await list(firm, owner, { search: 'MO.', licensed: 'true' }))).toEqual(['mo.nobody'])
    await revoke(firm, zoe)
    expect(names(await list(firm, owner, { licensed: 'true' }))).toEqual(['mo.nobody'])
    await expectAgreement(firm, owner)
  })

  test('stand on pages in one order, also those who are called alike', async () => {
    const firm = await openFirm(service)
    const owner = await newOwner(firm)
    for (let index = 0; index < 7; index++) await hire(firm, { display_name: index % 2 ? 'SAM' : 'sam' })
    const whole = (await list(firm, owner)).seats.map(({ membershipId }) => membershipId)
    expect(whole.slice(1)).toEqual(whole.slice(1).sort())
    const parts: string[] = []
    for (const page of ['1', '2', '3', '4']) {
      const part = await list(firm, owner, { page, limit: '3' })
      expect(part.pagination).toEqual({ page: Number(page), limit: 3, total: 8, pages: 3 })
      parts.push(...part.seats.map(({ membershipId }) => membershipId))
    }
    expect(parts).toEqual(whole)
  })

  test('show nobody who is invited or suspended, and no licence of who is disabled', async () => {
    const firm = await openFirm(service)
    const owner = await newOwner(firm)
    const [worker, gone] = [await hire(firm), await hire(firm)]
    await inviteTo(service, firm.company, { person: await addPerson(service) })
    for (const each of [worker, gone]) await grant(firm, each)
    await owner.call('PATCH', `/api/tenants/${firm.company.id}/members/${gone.membershipId}`, {
      status: 'SUSPENDED',
    })
    expect((await list(firm, owner)).seats.map(({ userId }) => userId).sort()).toEqual(
      [owner.id, worker.id].sort(),
    )
    await expectAgreement(firm, owner)
    const { db } = service.ctx
    await db.updateTable('users').set({ disabled: true }).where('id', '=', worker.id).execute()
    expect((await list(firm, owner, { licensed: 'true' })).seats).toEqual([])
    await expectAgreement(firm, owner)
  })

  test('hold nothing while the subscription rests, and what they had when it is renewed', async () => {
    const firm = await openFirm(service)
    const owner = await newOwner(firm)
    await grant(firm, await hire(firm))
    const before = await list(firm, owner)
    await renew(firm, { status: 'EXPIRED' })
    expect((await list(firm, owner)).seats.map(({ license }) => license)).toEqual([null, null])
    await expectAgreement(firm, owner)
    await renew(firm, { status: 'ACTIVE' })
    expect(await list(firm, owner)).toEqual(before)
  })

  test.each(['FREE', 'TENANT_WIDE'] as const)('all hold what there is where it is %s', async (mode) => {
    const firm = await openFirm(service, { mode })
    const owner = await newOwner(firm)
    await hire(firm)
    const disabled = await hire(firm, { disabled: true })
    const { seats } = await list(firm, owner)
    const type = mode === 'FREE' ? 'basic' : 'pro'
    for (const { userId, license } of seats) {
      if (userId === disabled.id) expect(license).toBeNull()
      else expect(license).toMatchObject({ slug: type, licenseTypeId: firm.types[type] })
    }
    await expectAgreement(firm, owner)
    const end = service.ctx.now().getTime() - DAY
    await renew(firm, { currentPeriodEnd: new Date(end) })
    const holding = (await list(firm, owner, { licensed: 'true' })).pagination.total
    expect(holding).toBe(mode === 'FREE' ? 2 : 0)
    await expectAgreement(firm, owner)
  })
})

test('are for members of the tenant alone, for every one of them, and for what there is', async () => {
  const [firm, other] = [await openFirm(service), await openFirm(service)]
  const owner = await newOwner(firm)
  const plain = await newSomebody(service)
  await employ(service, firm.company, plain)
  expect(await list(firm, plain)).toEqual(await list(firm, owner))
  expect((await owner.call('GET', pathOf(other))).status).toBe(403)
  const elsewhere = { ...firm, company: { ...firm.company, id: newId() } }
  expect(await owner.call('GET', pathOf(elsewhere))).toMatchObject({
    status: 404,
    body: { error: 'TENANT_NOT_FOUND' },
  })
  for (const applicationId of [newId(), 'nothing', "'"]) {
    expect(await owner.call('GET', pathOf({ ...firm, applicationId }))).toMatchObject({
      status: 400,
      body: { error: 'INVALID_APPLICATION_ID' },
    })
  }
  // Of an application that the tenant has not bought nobody holds anything.
  const { seats } = await list({ ...firm, applicationId: other.applicationId }, owner)
  expect(seats.map(({ license }) => license)).toEqual([null, null])
})

test.each([
  ['search', 'x'.repeat(101)],
  ['licenseTypeId', 'x'.repeat(201)],
  ['limit', '-1'],
])('%s=%s is not understood', async (field, value) => {
  const firm = await openFirm(service)
  const owner = await newOwner(firm)
  const { status, body } = await owner.call(
    'GET',
    `${pathOf(firm)}?${new URLSearchParams({ [field]: value })}`,
  )
  expect(status).toBe(422)
  expect(body).toMatchObject({ error: 'VALIDATION_FAILED', details: [{ field }] })
})
