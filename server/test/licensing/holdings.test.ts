import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { newSomebody, type Somebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { admin, startWorld } from '../support/world.ts'
import { employ } from '../tenants/company.ts'
import { DAY, type Firm, hireLicensed, openFirm, overview, renew, subscribe } from './firm.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

interface Application {
  id: string
  name: string
  licensingMode: string
  seats: { purchased: number; assigned: number; available: number }
  licenseTypes: Record<string, unknown>[]
}

async function join(firm: Firm, role: 'owner' | 'admin' | 'member' = 'member'): Promise<Somebody> {
  const person = await newSomebody(service)
  await employ(service, firm.company, person, { role })
  return person
}

async function holdings({ company }: Firm, person: Somebody): Promise<Application[]> {
  const { status, body } = await person.call('GET', `/api/tenants/${company.id}/licenses`)
  expect(status).toBe(200)
  return body.applications as Application[]
}

const ofFirm = async (firm: Firm, person: Somebody): Promise<Application | undefined> =>
  (await holdings(firm, person)).find(({ id }) => id === firm.applicationId)

/** The sums of all applications together are those of the overview. */
async function expectAgreement(firm: Firm, person: Somebody): Promise<void> {
  const applications = await holdings(firm, person)
  const total = (field: keyof Application['seats']) =>
    applications.reduce((sum, { seats }) => sum + seats[field], 0)
  expect(await overview(firm)).toMatchObject({
    totalSeatsOwned: total('purchased'),
    totalSeatsAssigned: total('assigned'),
    totalSeatsAvailable: total('available'),
  })
}

describe('what a tenant holds', () => {
  test('shows what was bought, with its seats, to every member', async () => {
    const end = new Date(service.ctx.now().getTime() + 30 * DAY)
    const firm = await openFirm(service, { seats: 4, currentPeriodEnd: end })
    await hireLicensed(firm)
    for (const role of ['owner', 'admin', 'member'] as const) {
      expect(await ofFirm(firm, await join(firm, role))).toEqual({
        id: firm.applicationId,
        name: `Desk of ${firm.company.name}`,
        slug: expect.any(String),
        licensingMode: 'PER_SEAT',
        seats: { purchased: 4, assigned: 1, available: 3 },
        licenseTypes: [
          {
            id: firm.types.pro,
            slug: 'pro',
            name: 'The pro',
            description: null,
            features: { edit: true, view: true, never: false },
            subscriptionId: firm.subscriptionId,
            status: 'ACTIVE',
            currentPeriodEnd: end.toISOString(),
            purchased: 4,
            assigned: 1,
            available: 3,
          },
        ],
      })
    }
  })

  test('lists what has run out, and counts it for nothing', async () => {
    const firm = await openFirm(service, { seats: 4 })
    const member = await join(firm)
    await hireLicensed(firm)
    await subscribe(firm, 'basic', { quantityPurchased: 7 })
    expect(await ofFirm(firm, member)).toMatchObject({ seats: { purchased: 11, assigned: 1, available: 10 } })
    await expectAgreement(firm, member)
    await renew(firm, { status: 'EXPIRED' })
    const application = await ofFirm(firm, member)
    expect(application).toMatchObject({ seats: { purchased: 7, assigned: 0, available: 7 } })
    // By their order, as everywhere.
    expect(application?.licenseTypes).toMatchObject([
      { slug: 'basic', status: 'ACTIVE', currentPeriodEnd: null },
      { slug: 'pro', status: 'EXPIRED', purchased: 4, assigned: 1 },
    ])
    await expectAgreement(firm, member)
  })

  test('shows of a free application what everybody holds, bought or not', async () => {
    const firm = await openFirm(service, { mode: 'FREE', seats: 3 })
    const other = await openFirm(service)
    const free = await ofFirm(firm, await join(firm))
    expect(free).toMatchObject({ licensingMode: 'FREE', seats: { purchased: 3, assigned: 0, available: 3 } })
    expect(free?.licenseTypes).toMatchObject([
      { slug: 'basic', subscriptionId: null, status: null, currentPeriodEnd: null, purchased: 0 },
      { slug: 'pro', subscriptionId: firm.subscriptionId, status: 'ACTIVE', purchased: 3 },
    ])
    const elsewhere = (await holdings(other, await join(other))).find(({ id }) => id === firm.applicationId)
    expect(elsewhere).toMatchObject({ seats: { purchased: 0, assigned: 0, available: 0 } })
    expect(elsewhere?.licenseTypes.map(({ slug }) => slug)).toEqual(['basic'])
  })

  test('stands there once when what is free was bought, and not at all when nothing is on offer', async () => {
    const firm = await openFirm(service, { mode: 'FREE' })
    const member = await join(firm)
    await subscribe(firm, 'basic', { quantityPurchased: 2 })
    expect((await ofFirm(firm, member))?.licenseTypes.map(({ slug }) => slug)).toEqual(['basic', 'pro'])
    const draft = { name: 'Nothing to offer', licensingMode: 'FREE' }
    const { id } = await admin<{ id: string }>(service.url, '/api/admin/applications', draft)
    expect((await holdings(firm, member)).filter((application) => application.id === id)).toEqual([])
  })

  test('tells nothing of what another tenant has bought', async () => {
    const [mine, theirs] = [await openFirm(service), await openFirm(service)]
    const member = await join(mine)
    expect((await holdings(mine, member)).some(({ id }) => id === theirs.applicationId)).toBe(false)
    const refused = await member.call('GET', `/api/tenants/${theirs.company.id}/licenses`)
    expect(refused).toMatchObject({ status: 403, body: { error: 'FORBIDDEN' } })
    const unknown = await member.call('GET', `/api/tenants/${newId()}/licenses`)
    expect(unknown).toMatchObject({ status: 404, body: { error: 'TENANT_NOT_FOUND' } })
  })

  test('is read in two statements, however much there is', async () => {
    const firm = await openFirm(service)
    const member = await join(firm)
    const watch = await watchStatements(service)
    try {
      const path = `/api/tenants/${firm.company.id}`
      await holdings(firm, member)
      const tenant = await watch.count(() => member.call('GET', path))
      const one = await watch.count(() => holdings(firm, member))
      await subscribe(firm, 'basic', { quantityPurchased: 2 })
      expect(await watch.count(() => holdings(firm, member))).toBe(one)
      // The tenant itself is shown by one statement, behind the same wall.
      expect(one - tenant).toBeLessThanOrEqual(1)
    } finally {
      await watch.close()
    }
  })
})
