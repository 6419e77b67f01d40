import { describe, expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { newApplication } from '../support/admin.ts'
import { asPerson, call, errorBody, fromOwnPage } from '../support/calls.ts'
import { getOperatorHeaders, type Headers, newMachineHeaders, thirdPartyHeaders } from '../support/licensing.ts'
import { bearer, revokeToken } from '../support/oauth.ts'
import { demoPerson } from '../support/person.ts'
import { unique } from '../support/service.ts'
import { createTenant, deleteTenant, readTenant } from '../support/tenant-administration.ts'
import { getTenantTokens, listMembers, newCaller, newMember, newOwnedTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant()
const member = await newMember(owner.headers, tenant.id)
const application = await newApplication()
const superAdmin = demoPerson('admin@latchkey.test')
const dead = (await getTenantTokens(owner.person, tenant)).access_token
await revokeToken(client, dead)

/** Only operators have access, independent of any role in the tenant. */
const REFUSED: [string, Headers, number][] = [
  ['no authentication', {}, 401],
  ['a revoked token', bearer(dead), 401],
  ['a super admin in the browser', fromOwnPage(await superAdmin.signIn()), 401],
  ['a super admin through a third-party application', await thirdPartyHeaders(superAdmin), 403],
  ['a machine of the tenant', await newMachineHeaders(application, ['admin'], tenant.id), 403],
  ['a machine of the instance without the scope', await newMachineHeaders(application, ['licenses:read']), 403],
  ['the owner', owner.headers, 403],
  ['the owner with a token of the tenant', bearer((await getTenantTokens(owner.person, tenant)).access_token), 403],
  ['a member', member.headers, 403],
  ['another person', (await newCaller()).headers, 403],
]

const path = `/api/admin/tenants/${tenant.id}`
const ROUTES: [method: string, path: string, body?: unknown][] = [
  ['GET', '/api/admin/tenants'],
  ['POST', '/api/admin/tenants', { name: 'Not to be', slug: unique('t') }],
  ['GET', path],
  ['PATCH', path, { suspended: true, name: 'Taken' }],
  ['DELETE', path],
  ['GET', `${path}/members`],
  ['POST', `${path}/members`, { userId: member.userId, role: 'owner' }],
  ['PATCH', `${path}/members/${member.userId}`, { role: 'owner' }],
  ['DELETE', `${path}/members/${member.userId}`],
]

describe.each(ROUTES)('%s %s', (method, address, body) => {
  test.each(REFUSED)('refuses %s', async (_, headers, status) => {
    for (const sent of body === undefined ? [undefined] : [body, {}, { name: 7 }]) {
      const response = await call(method, address, { headers, body: sent })
      expect(response.status).toBe(status)
      expect(response.body).toEqual(errorBody(status, status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'))
    }
  })

  test('gives the same response for an unknown tenant', async () => {
    for (const [, headers, status] of REFUSED) {
      const response = await call(method, address.replace(tenant.id, crypto.randomUUID()), { headers, body })
      expect(response.status).toBe(status)
    }
  })
})

test('the refused requests have changed nothing', async () => {
  expect((await readTenant(tenant.id)).body).toMatchObject({ name: tenant.name, suspended: false })
  const { members } = await listMembers(owner.headers, tenant.id)
  expect(members.map(({ role }) => role)).toEqual(['owner', 'member'])
})

test.each([
  ['a super admin', () => asPerson(superAdmin, client)],
  ['the machine of the instance', getOperatorHeaders],
])('%s may use all routes', async (_, enter) => {
  const headers = await enter()
  const { body: made } = await createTenant({ name: 'A tenant to be helped', slug: unique('t') })
  const own = `/api/admin/tenants/${made.id}`
  const statuses = []
  for (const [method, address, body] of [
    ['GET', '/api/admin/tenants'],
    ['GET', own],
    ['PATCH', own, { name: 'Another name' }],
    ['POST', `${own}/members`, { userId: member.userId, role: 'admin' }],
    ['GET', `${own}/members`],
    ['PATCH', `${own}/members/${member.userId}`, { role: 'member' }],
    ['DELETE', `${own}/members/${member.userId}`],
    ['DELETE', own],
    ['POST', '/api/admin/tenants', { name: 'One more', slug: unique('t') }],
  ] as const) {
    const response = await call<{ id: string }>(method, address, { headers, body })
    statuses.push(response.status)
    if (address === '/api/admin/tenants' && method === 'POST') await deleteTenant(response.body.id)
  }
  expect(statuses).toEqual([200, 200, 200, 201, 200, 200, 200, 200, 201])
})
