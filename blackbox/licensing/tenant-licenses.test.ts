import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { call, errorBody } from '../support/calls.ts'
import {
  changeSubscription,
  expectStatus,
  getOperatorHeaders,
  grantSeat,
  type Headers,
  inDays,
  newLicensedApplication,
  newLicenseType,
  newSubscription,
  newTenantMember,
  newTenantWithOwner,
  newTenantWithSeats,
  readLicenseHolders,
  readOverview,
  revokeSeat,
  thirdPartyHeaders,
} from '../support/licensing.ts'
import { TIMESTAMP } from '../support/sign-in.ts'

// License routes for members of a tenant.

interface Numbers {
  purchased: number
  assigned: number
  available: number
}
interface Application {
  id: string
  licensingMode: string
  seats: Numbers
  licenseTypes: ({ id: string; subscriptionId: string | null; status: string | null } & Numbers)[]
}
interface Seats {
  seats: { userId: string; email: string; displayName: string; license: { slug: string } | null }[]
  pagination: { page: number; limit: number; total: number; pages: number }
}
interface Usage {
  days: { day: string; purchased: number; assigned: number }[]
}

const at = (tenantId: string, path = '') => `/api/tenants/${tenantId}/licenses${path}`
const read = async <Body>(headers: Headers, path: string): Promise<Body> =>
  expectStatus(200, await call<Body>('GET', path, { headers }))

const holdings = async (headers: Headers, tenantId: string) =>
  (await read<{ applications: Application[] }>(headers, at(tenantId))).applications
const seats = (headers: Headers, tenantId: string, path: string) => read<Seats>(headers, at(tenantId, `/${path}`))

describe('a tenant with seats', async () => {
  const { application, tenant, owner, pro, subscription } = await newTenantWithSeats(3)
  const member = await newTenantMember({ tenant, owner })
  await grantSeat(owner.tenantHeaders, {
    userId: member.userId,
    applicationId: application,
    licenseTypeId: pro.id,
  })

  test('can read its subscriptions, as in the overview', async () => {
    const own = (await holdings(member.headers, tenant.id)).find(({ id }) => id === application)
    const numbers = { purchased: 3, assigned: 1, available: 2 }
    expect(own).toEqual({
      id: application,
      name: 'A licensed application',
      slug: expect.any(String),
      licensingMode: 'PER_SEAT',
      seats: numbers,
      licenseTypes: [
        {
          id: pro.id,
          slug: pro.slug,
          name: pro.name,
          description: null,
          features: pro.features,
          subscriptionId: subscription.id,
          status: 'ACTIVE',
          currentPeriodEnd: null,
          ...numbers,
        },
      ],
    })
    expect(await readOverview(tenant.id)).toMatchObject({
      totalSeatsOwned: 3,
      totalSeatsAssigned: 1,
      totalSeatsAvailable: 2,
    })
  })

  test('can list members with and without a seat', async () => {
    const page = await seats(member.headers, tenant.id, `${application}/seats`)
    expect(page.pagination).toEqual({ page: 1, limit: 20, total: 2, pages: 1 })
    expect(page.seats.find(({ userId }) => userId === member.userId)).toEqual({
      userId: member.userId,
      membershipId: member.membershipId,
      displayName: 'Sam Someone',
      email: member.person.email,
      role: 'member',
      license: {
        licenseTypeId: pro.id,
        slug: pro.slug,
        name: pro.name,
        assignedAt: expect.stringMatching(TIMESTAMP),
      },
    })
    expect(page.seats.find(({ userId }) => userId === owner.userId)).toMatchObject({ license: null })
    const { users, count } = await readLicenseHolders(owner.tenantHeaders, application)
    const licensed = await seats(owner.headers, tenant.id, `${application}/seats?licensed=true`)
    expect(licensed.pagination.total).toBe(count)
    expect(licensed.seats.map(({ userId }) => userId)).toEqual(users.map(({ userId }) => userId))
    const free = await seats(owner.headers, tenant.id, `${application}/seats?licensed=false`)
    expect(free.seats.map(({ userId }) => userId)).toEqual([owner.userId])
    const path = `${application}/seats?licenseTypeId=${pro.id}&search=${encodeURIComponent(member.person.email)}`
    expect((await seats(owner.headers, tenant.id, path)).pagination.total).toBe(1)
  })

  test('can read its usage per day, which ends today', async () => {
    const { days } = await read<Usage>(member.headers, at(tenant.id, `/${application}/usage?days=3`))
    expect(days.map(({ purchased, assigned }) => [purchased, assigned])).toEqual([
      [0, 0],
      [0, 0],
      [3, 1],
    ])
    expect(days.at(-1)?.day).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect((await read<Usage>(owner.headers, at(tenant.id, `/${application}/usage`))).days).toHaveLength(90)
  })

  test.each(['seats?licensed=perhaps', 'seats?search=%20', 'seats?page=0', 'usage?days=0', 'usage?days=367'])(
    '%s is invalid',
    async (path) => {
      const response = await call('GET', at(tenant.id, `/${application}/${path}`), { headers: owner.headers })
      expect(response.status).toBe(422)
      const field = path.match(/\?(\w+)/)?.[1]
      expect(response.body).toEqual(
        errorBody(422, 'VALIDATION_FAILED', { details: [{ field, message: expect.any(String) }] }),
      )
    },
  )

  test.each([randomUUID(), 'nothing'])('has no application %s', async (unknown) => {
    for (const path of ['seats', 'usage']) {
      const response = await call('GET', at(tenant.id, `/${unknown}/${path}`), { headers: owner.headers })
      expect(response.status).toBe(400)
      expect(response.body).toEqual(errorBody(400, 'INVALID_APPLICATION_ID'))
    }
  })

  test('is readable for its ACTIVE members only', async () => {
    const outsider = await newTenantWithOwner()
    const callers: [Headers, number, string][] = [
      [{}, 401, 'UNAUTHORIZED'],
      [outsider.owner.headers, 403, 'FORBIDDEN'],
      [await getOperatorHeaders(), 403, 'FORBIDDEN'],
      [await thirdPartyHeaders(owner.person, { tenant: tenant.slug }), 403, 'FORBIDDEN'],
    ]
    for (const path of ['', `/${application}/seats`, `/${application}/usage`]) {
      for (const [headers, status, code] of callers) {
        const response = await call('GET', at(tenant.id, path), { headers })
        expect(response.status).toBe(status)
        expect(response.body).toEqual(errorBody(status, code))
      }
      const gone = await call('GET', at(randomUUID(), path), { headers: owner.headers })
      expect(gone.body).toEqual(errorBody(404, 'TENANT_NOT_FOUND'))
    }
  })
})

test('an expired subscription is listed, licenses nobody, and is valid again after its renewal', async () => {
  const { application, tenant, owner, pro, subscription } = await newTenantWithSeats(2)
  await grantSeat(owner.tenantHeaders, {
    userId: owner.userId,
    applicationId: application,
    licenseTypeId: pro.id,
  })
  const own = async () => (await holdings(owner.headers, tenant.id)).find(({ id }) => id === application)
  await changeSubscription(subscription.id, { currentPeriodEnd: inDays(-1) })
  expect(await own()).toMatchObject({
    seats: { purchased: 0, assigned: 0, available: 0 },
    licenseTypes: [{ status: 'EXPIRED', purchased: 2, assigned: 1 }],
  })
  const path = `${application}/seats?licensed=true`
  expect((await seats(owner.headers, tenant.id, path)).seats).toEqual([])
  const usage = () => read<Usage>(owner.headers, at(tenant.id, `/${application}/usage?days=1`))
  expect((await usage()).days).toMatchObject([{ purchased: 0, assigned: 0 }])
  await changeSubscription(subscription.id, { currentPeriodEnd: inDays(1) })
  expect((await seats(owner.headers, tenant.id, path)).pagination.total).toBe(1)
  expect((await usage()).days).toMatchObject([{ purchased: 2, assigned: 1 }])
  await revokeSeat(owner.tenantHeaders, { userId: owner.userId, applicationId: application })
  expect((await usage()).days).toMatchObject([{ purchased: 2, assigned: 0 }])
})

test.each(['FREE', 'TENANT_WIDE'] as const)('in %s mode all members are listed with their license', async (mode) => {
  const application = await newLicensedApplication(mode)
  const { tenant, owner } = await newTenantWithOwner()
  const type = await newLicenseType(application)
  if (mode === 'TENANT_WIDE') await newSubscription(tenant.id, type.id)
  const member = await newTenantMember({ tenant, owner })
  const page = await seats(member.headers, tenant.id, `${application}/seats`)
  expect(page.seats.map(({ license }) => license?.slug)).toEqual([type.slug, type.slug])
  expect((await readLicenseHolders(owner.tenantHeaders, application)).count).toBe(2)
  const own = (await holdings(owner.headers, tenant.id)).find(({ id }) => id === application)
  expect(own?.licenseTypes).toMatchObject([
    mode === 'FREE'
      ? { id: type.id, subscriptionId: null, status: null }
      : { id: type.id, subscriptionId: expect.any(String), status: 'ACTIVE' },
  ])
  const { days } = await read<Usage>(owner.headers, at(tenant.id, `/${application}/usage`))
  expect(days).toEqual([])
})
