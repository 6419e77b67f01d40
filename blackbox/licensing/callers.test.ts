import { describe, expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { newMachine } from '../support/admin.ts'
import { asPerson, call, fromOwnPage, refusal } from '../support/calls.ts'
import {
  asOps,
  type Headers,
  LICENSES,
  LICENSING,
  newInside,
  newMachineHeaders,
  newSeats,
  newTenantInside,
  thirdPartyHeaders,
} from '../support/licensing.ts'
import { askMachineToken, bearer, revoke as revokeToken } from '../support/oauth.ts'
import { demoPerson } from '../support/person.ts'
import { unique } from '../support/service.ts'
import { tokensIn } from '../support/tenants.ts'

const { application, tenant, owner, pro, subscription } = await newSeats()
const superAdmin = demoPerson('admin@latchkey.test')
const [admin, member, other, ops, asSuperAdmin] = await Promise.all([
  newInside({ tenant, owner }, 'admin'),
  newInside({ tenant, owner }),
  newTenantInside(),
  asOps(),
  asPerson(superAdmin, client),
])
const machine = (scopes: string[], tenantId?: string) => newMachineHeaders(application, scopes, tenantId)
const [reader, writer, unscoped, instanceReader, instanceWriter, instanceUnscoped, boundAdmin] =
  await Promise.all([
    machine(['licenses:read'], tenant.id),
    machine(['licenses:write'], tenant.id),
    machine(['reports:read'], tenant.id),
    machine(['licenses:read']),
    machine(['licenses:write', 'licenses:read']),
    machine(['reports:read']),
    machine(['admin', 'licenses:read'], tenant.id),
  ])
const narrowed = await newMachine(application, ['licenses:read', 'licenses:write'], { tenantId: tenant.id })
const asNarrowed = bearer((await askMachineToken(narrowed, { scope: 'licenses:read' })).body.access_token)
const dead = (await tokensIn(owner.person, tenant)).access_token
await revokeToken(client, dead)
const thirdParty = await thirdPartyHeaders(owner.person, { tenant: tenant.slug })
const superAdminOfThirdParty = await thirdPartyHeaders(superAdmin)
const cookie = fromOwnPage(await owner.person.signIn())

type Door = [method: string, path: string, body?: object]

const about = { userId: member.userId, applicationId: application }
const asked = new URLSearchParams({ ...about, featureKey: 'reports' })
const ABOUT_ONE: Door[] = [
  ['GET', `${LICENSES}/check?${asked}`],
  ['POST', `${LICENSES}/check`, about],
  ['GET', `${LICENSES}/feature?${asked}`],
  ['POST', `${LICENSES}/feature`, { ...about, featureKey: 'reports' }],
  ['GET', `${LICENSES}/type?${asked}`],
]
const ABOUT_ALL: Door[] = [
  ['GET', `${LICENSES}/explain?${asked}`],
  ['GET', `${LICENSES}/apps/${application}/users`],
  ['GET', `${LICENSES}/apps/${application}/count`],
]
/** Refused for what they ask, once the door is open: nothing changes. */
const WRITING: Door[] = [
  ['POST', `${LICENSES}/grant`, { ...about, licenseTypeId: 'x' }],
  ['POST', `${LICENSES}/revoke`, about],
  ['POST', `${LICENSES}/change`, { ...about, licenseTypeId: 'x' }],
  ['POST', `${LICENSES}/grant/bulk`, { grants: [{ ...about, licenseTypeId: 'x' }] }],
  ['POST', `${LICENSES}/revoke/bulk`, { revocations: [about] }],
]
const LOOKING: Door[] = [
  ['GET', `${LICENSING}/license-types?applicationId=${application}`],
  ['GET', `${LICENSING}/tenants/${tenant.id}/license-overview`],
  ['GET', `${LICENSING}/tenants/${tenant.id}/subscriptions`],
  ['GET', `${LICENSING}/tenants/${tenant.id}/ledger`],
]
const SELLING: Door[] = [
  ['POST', `${LICENSING}/license-types`, { applicationId: application, name: 'Pro', slug: pro.slug }],
  ['PATCH', `${LICENSING}/license-types/${pro.id}`, {}],
  [
    'POST',
    `${LICENSING}/tenants/${tenant.id}/subscriptions`,
    { licenseTypeId: pro.id, quantityPurchased: 9 },
  ],
  ['PATCH', `${LICENSING}/subscriptions/${subscription.id}`, {}],
]

type Verdict = 'in' | 401 | 403
type Row = [
  who: string,
  headers: Headers,
  one: Verdict,
  all: Verdict,
  write: Verdict,
  look: Verdict,
  sell: Verdict,
]

const ROWS: Row[] = [
  ['an owner', owner.inside, 'in', 'in', 'in', 403, 403],
  ['an admin', admin.inside, 'in', 'in', 'in', 403, 403],
  ['a member', member.inside, 'in', 'in', 403, 403, 403],
  ['a machine of the tenant that may read', reader, 'in', 'in', 403, 'in', 403],
  ['a machine of the tenant that may write', writer, 'in', 'in', 'in', 'in', 403],
  ['a token with less than its machine may', asNarrowed, 'in', 'in', 403, 'in', 403],
  ['a machine of the tenant that may neither', unscoped, 403, 403, 403, 'in', 403],
  ['a machine of the tenant with the scope admin', boundAdmin, 'in', 'in', 403, 'in', 403],
  ['a machine of the instance that may read', instanceReader, 403, 403, 403, 'in', 403],
  ['a machine of the instance that may write', instanceWriter, 403, 403, 403, 'in', 403],
  ['a machine of the instance that may neither', instanceUnscoped, 403, 403, 403, 'in', 403],
  ['whoever runs the instance', ops, 403, 403, 403, 'in', 'in'],
  ['a super admin', asSuperAdmin, 403, 403, 403, 'in', 'in'],
  ['an owner whose token names no tenant', owner.headers, 403, 403, 403, 403, 403],
  ['a third-party application of the owner', thirdParty, 403, 403, 403, 403, 403],
  ['a third-party application of a super admin', superAdminOfThirdParty, 403, 403, 403, 403, 403],
  ['a cookie', cookie, 401, 401, 401, 401, 401],
  ['a dead token', bearer(dead), 401, 401, 401, 401, 401],
  ['a dead token beside a cookie', { ...cookie, ...bearer(dead) }, 401, 401, 401, 401, 401],
  ['no token of ours', bearer('a.b.c'), 401, 401, 401, 401, 401],
  ['nobody', {}, 401, 401, 401, 401, 401],
]

async function expectVerdict(headers: Headers, doors: Door[], verdict: Verdict) {
  for (const [method, path, body] of doors) {
    const answer = await call(method, path, { headers, body })
    const door = `${method} ${path}`
    if (verdict === 'in') {
      expect([200, 404, 409, 422], `${door} ${JSON.stringify(answer.body)}`).toContain(answer.status)
      continue
    }
    expect(answer.status, door).toBe(verdict)
    expect(answer.body, door).toEqual(refusal(verdict, verdict === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'))
    if (verdict === 401) expect(answer.headers.get('www-authenticate'), door).toMatch(/^Bearer\b/)
  }
}

describe.each(ROWS)('%s', (_, headers, one, all, write, look, sell) => {
  test(`asking about a member: ${one}`, () => expectVerdict(headers, ABOUT_ONE, one))
  test(`asking about everybody: ${all}`, () => expectVerdict(headers, ABOUT_ALL, all))
  test(`giving and taking seats: ${write}`, () => expectVerdict(headers, WRITING, write))
  test(`looking at what was sold: ${look}`, () => expectVerdict(headers, LOOKING, look))
  test(`selling: ${sell}`, () => expectVerdict(headers, SELLING, sell))
})

test('a third-party application learns of who uses it, and of nobody else', async () => {
  const own = [{}, { userId: owner.userId }, { userId: owner.userId.toUpperCase() }]
  for (const query of own as Record<string, string>[]) {
    const all = new URLSearchParams({ applicationId: application, ...query })
    const { status, body } = await call('GET', `${LICENSES}/check?${all}`, { headers: thirdParty })
    expect(status).toBe(200)
    expect(body).toMatchObject({ hasLicense: false })
  }
  const named = { ...about, userId: 'nobody' }
  const { body } = await call('POST', `${LICENSES}/check`, { headers: thirdParty, body: named })
  expect(body).toEqual(refusal(403, 'FORBIDDEN'))
})

test('a machine of one tenant looks at no other, be there one or not', async () => {
  for (const id of [other.tenant.id, '00000000-0000-7000-8000-000000000000', 'x']) {
    const elsewhere = LOOKING.slice(1).map(([method, path]): Door => [method, path.replace(tenant.id, id)])
    await expectVerdict(reader, elsewhere, 403)
  }
})

test('no tenant sells itself seats, by whatever machine or person', async () => {
  const grown = { quantityPurchased: 500, status: 'ACTIVE' }
  for (const headers of [owner.inside, writer, boundAdmin, instanceWriter]) {
    const answers = [
      await call('PATCH', `${LICENSING}/subscriptions/${subscription.id}`, { headers, body: grown }),
      await call('POST', `${LICENSING}/license-types`, {
        headers,
        body: { applicationId: application, name: 'Mine', slug: unique('mine') },
      }),
    ]
    for (const { status, body } of answers) {
      expect(status).toBe(403)
      expect(body).toEqual(refusal(403, 'FORBIDDEN'))
    }
  }
  const { body } = await call<object[]>('GET', `${LICENSING}/tenants/${tenant.id}/subscriptions`, {
    headers: ops,
  })
  expect(body).toEqual([subscription])
})
