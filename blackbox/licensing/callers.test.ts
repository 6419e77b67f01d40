import { describe, expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { newMachine } from '../support/admin.ts'
import { asPerson, call, errorBody, fromOwnPage } from '../support/calls.ts'
import {
  getOperatorHeaders,
  type Headers,
  LICENSES,
  LICENSING,
  newMachineHeaders,
  newTenantMember,
  newTenantWithOwner,
  newTenantWithSeats,
  thirdPartyHeaders,
} from '../support/licensing.ts'
import { bearer, requestMachineToken, revokeToken } from '../support/oauth.ts'
import { demoPerson } from '../support/person.ts'
import { unique } from '../support/service.ts'
import { getTenantTokens } from '../support/tenants.ts'

const { application, tenant, owner, pro, subscription } = await newTenantWithSeats()
const superAdmin = demoPerson('admin@latchkey.test')
const [admin, member, other, ops, asSuperAdmin] = await Promise.all([
  newTenantMember({ tenant, owner }, 'admin'),
  newTenantMember({ tenant, owner }),
  newTenantWithOwner(),
  getOperatorHeaders(),
  asPerson(superAdmin, client),
])
const machine = (scopes: string[], tenantId?: string) => newMachineHeaders(application, scopes, tenantId)
const [reader, writer, unscoped, instanceReader, instanceWriter, instanceUnscoped, boundAdmin] = await Promise.all([
  machine(['licenses:read'], tenant.id),
  machine(['licenses:write'], tenant.id),
  machine(['reports:read'], tenant.id),
  machine(['licenses:read']),
  machine(['licenses:write', 'licenses:read']),
  machine(['reports:read']),
  machine(['admin', 'licenses:read'], tenant.id),
])
const narrowed = await newMachine(application, ['licenses:read', 'licenses:write'], { tenantId: tenant.id })
const asNarrowed = bearer((await requestMachineToken(narrowed, { scope: 'licenses:read' })).body.access_token)
const dead = (await getTenantTokens(owner.person, tenant)).access_token
await revokeToken(client, dead)
const thirdParty = await thirdPartyHeaders(owner.person, { tenant: tenant.slug })
const superAdminOfThirdParty = await thirdPartyHeaders(superAdmin)
const cookie = fromOwnPage(await owner.person.signIn())

type Route = [method: string, path: string, body?: object]

const licenseQuery = { userId: member.userId, applicationId: application }
const query = new URLSearchParams({ ...licenseQuery, featureKey: 'reports' })
const MEMBER_CHECKS: Route[] = [
  ['GET', `${LICENSES}/check?${query}`],
  ['POST', `${LICENSES}/check`, licenseQuery],
  ['GET', `${LICENSES}/feature?${query}`],
  ['POST', `${LICENSES}/feature`, { ...licenseQuery, featureKey: 'reports' }],
  ['GET', `${LICENSES}/type?${query}`],
]
const HOLDER_LISTS: Route[] = [
  ['GET', `${LICENSES}/explain?${query}`],
  ['GET', `${LICENSES}/apps/${application}/users`],
  ['GET', `${LICENSES}/apps/${application}/count`],
]
/** Invalid requests: a permitted caller gets an error, and nothing changes. */
const SEAT_CHANGES: Route[] = [
  ['POST', `${LICENSES}/grant`, { ...licenseQuery, licenseTypeId: 'x' }],
  ['POST', `${LICENSES}/revoke`, licenseQuery],
  ['POST', `${LICENSES}/change`, { ...licenseQuery, licenseTypeId: 'x' }],
  ['POST', `${LICENSES}/grant/bulk`, { grants: [{ ...licenseQuery, licenseTypeId: 'x' }] }],
  ['POST', `${LICENSES}/revoke/bulk`, { revocations: [licenseQuery] }],
]
const SUBSCRIPTION_READS: Route[] = [
  ['GET', `${LICENSING}/license-types?applicationId=${application}`],
  ['GET', `${LICENSING}/tenants/${tenant.id}/license-overview`],
  ['GET', `${LICENSING}/tenants/${tenant.id}/subscriptions`],
  ['GET', `${LICENSING}/tenants/${tenant.id}/ledger`],
]
const SUBSCRIPTION_CHANGES: Route[] = [
  ['POST', `${LICENSING}/license-types`, { applicationId: application, name: 'Pro', slug: pro.slug }],
  ['PATCH', `${LICENSING}/license-types/${pro.id}`, {}],
  ['POST', `${LICENSING}/tenants/${tenant.id}/subscriptions`, { licenseTypeId: pro.id, quantityPurchased: 9 }],
  ['PATCH', `${LICENSING}/subscriptions/${subscription.id}`, {}],
]

type Verdict = 'allowed' | 401 | 403
type Row = [who: string, headers: Headers, one: Verdict, all: Verdict, write: Verdict, look: Verdict, sell: Verdict]

const ROWS: Row[] = [
  ['an owner', owner.tenantHeaders, 'allowed', 'allowed', 'allowed', 403, 403],
  ['an admin', admin.tenantHeaders, 'allowed', 'allowed', 'allowed', 403, 403],
  ['a member', member.tenantHeaders, 'allowed', 'allowed', 403, 403, 403],
  ['a machine of the tenant that may read', reader, 'allowed', 'allowed', 403, 'allowed', 403],
  ['a machine of the tenant that may write', writer, 'allowed', 'allowed', 'allowed', 'allowed', 403],
  ['a token with fewer scopes than its machine', asNarrowed, 'allowed', 'allowed', 403, 'allowed', 403],
  ['a machine of the tenant that may neither', unscoped, 403, 403, 403, 'allowed', 403],
  ['a machine of the tenant with the scope admin', boundAdmin, 'allowed', 'allowed', 403, 'allowed', 403],
  ['a machine of the instance that may read', instanceReader, 403, 403, 403, 'allowed', 403],
  ['a machine of the instance that may write', instanceWriter, 403, 403, 403, 'allowed', 403],
  ['a machine of the instance that may neither', instanceUnscoped, 403, 403, 403, 'allowed', 403],
  ['an operator', ops, 403, 403, 403, 'allowed', 'allowed'],
  ['a super admin', asSuperAdmin, 403, 403, 403, 'allowed', 'allowed'],
  ['an owner whose token names no tenant', owner.headers, 403, 403, 403, 403, 403],
  ['a third-party application of the owner', thirdParty, 403, 403, 403, 403, 403],
  ['a third-party application of a super admin', superAdminOfThirdParty, 403, 403, 403, 403, 403],
  ['a cookie', cookie, 401, 401, 401, 401, 401],
  ['a revoked token', bearer(dead), 401, 401, 401, 401, 401],
  ['a revoked token and a cookie', { ...cookie, ...bearer(dead) }, 401, 401, 401, 401, 401],
  ['an invalid token', bearer('a.b.c'), 401, 401, 401, 401, 401],
  ['no authentication', {}, 401, 401, 401, 401, 401],
]

async function expectVerdict(headers: Headers, routes: Route[], verdict: Verdict) {
  for (const [method, path, body] of routes) {
    const response = await call(method, path, { headers, body })
    const route = `${method} ${path}`
    if (verdict === 'allowed') {
      expect([200, 404, 409, 422], `${route} ${JSON.stringify(response.body)}`).toContain(response.status)
      continue
    }
    expect(response.status, route).toBe(verdict)
    expect(response.body, route).toEqual(errorBody(verdict, verdict === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'))
    if (verdict === 401) expect(response.headers.get('www-authenticate'), route).toMatch(/^Bearer\b/)
  }
}

describe.each(ROWS)('%s', (_, headers, one, all, write, look, sell) => {
  test(`check of one member: ${one}`, () => expectVerdict(headers, MEMBER_CHECKS, one))
  test(`lists of holders: ${all}`, () => expectVerdict(headers, HOLDER_LISTS, all))
  test(`grants and revocations: ${write}`, () => expectVerdict(headers, SEAT_CHANGES, write))
  test(`reading subscriptions: ${look}`, () => expectVerdict(headers, SUBSCRIPTION_READS, look))
  test(`creating subscriptions: ${sell}`, () => expectVerdict(headers, SUBSCRIPTION_CHANGES, sell))
})

test('a third-party application may check its own users only', async () => {
  const own = [{}, { userId: owner.userId }, { userId: owner.userId.toUpperCase() }]
  for (const query of own as Record<string, string>[]) {
    const all = new URLSearchParams({ applicationId: application, ...query })
    const { status, body } = await call('GET', `${LICENSES}/check?${all}`, { headers: thirdParty })
    expect(status).toBe(200)
    expect(body).toMatchObject({ hasLicense: false })
  }
  const named = { ...licenseQuery, userId: 'nobody' }
  const { body } = await call('POST', `${LICENSES}/check`, { headers: thirdParty, body: named })
  expect(body).toEqual(errorBody(403, 'FORBIDDEN'))
})

test('a machine of one tenant cannot read another, existing or not', async () => {
  for (const id of [other.tenant.id, '00000000-0000-7000-8000-000000000000', 'x']) {
    const otherTenantRoutes = SUBSCRIPTION_READS.slice(1).map(
      ([method, path]): Route => [method, path.replace(tenant.id, id)],
    )
    await expectVerdict(reader, otherTenantRoutes, 403)
  }
})

test('a tenant cannot create its own subscriptions', async () => {
  const grown = { quantityPurchased: 500, status: 'ACTIVE' }
  for (const headers of [owner.tenantHeaders, writer, boundAdmin, instanceWriter]) {
    const responses = [
      await call('PATCH', `${LICENSING}/subscriptions/${subscription.id}`, { headers, body: grown }),
      await call('POST', `${LICENSING}/license-types`, {
        headers,
        body: { applicationId: application, name: 'Mine', slug: unique('mine') },
      }),
    ]
    for (const { status, body } of responses) {
      expect(status).toBe(403)
      expect(body).toEqual(errorBody(403, 'FORBIDDEN'))
    }
  }
  const { body } = await call<object[]>('GET', `${LICENSING}/tenants/${tenant.id}/subscriptions`, {
    headers: ops,
  })
  expect(body).toEqual([subscription])
})
