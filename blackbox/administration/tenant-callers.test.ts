import { describe, expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { newApplication } from '../support/admin.ts'
import { asPerson, call, fromOwnPage, refusal } from '../support/calls.ts'
import { asOps, type Headers, newMachineHeaders, thirdPartyHeaders } from '../support/licensing.ts'
import { bearer, revoke } from '../support/oauth.ts'
import { demoPerson } from '../support/person.ts'
import { unique } from '../support/service.ts'
import { createTenant, deleteTenant, readTenant } from '../support/tenant-administration.ts'
import { listMembers, newInsider, newMember, newOwnedTenant, tokensIn } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant()
const member = await newMember(owner.headers, tenant.id)
const application = await newApplication()
const superAdmin = demoPerson('admin@latchkey.test')
const dead = (await tokensIn(owner.person, tenant)).access_token
await revoke(client, dead)

/** Nobody but who runs the instance, whatever they are in the tenant. */
const REFUSED: [string, Headers, number][] = [
  ['nobody', {}, 401],
  ['a dead token', bearer(dead), 401],
  ['a super admin in the browser', fromOwnPage(await superAdmin.signIn()), 401],
  ['a super admin through a third-party application', await thirdPartyHeaders(superAdmin), 403],
  ['a machine of the tenant', await newMachineHeaders(application, ['admin'], tenant.id), 403],
  [
    'a machine of the instance without the scope',
    await newMachineHeaders(application, ['licenses:read']),
    403,
  ],
  ['the owner', owner.headers, 403],
  ['the owner with a token of the tenant', bearer((await tokensIn(owner.person, tenant)).access_token), 403],
  ['a member', member.headers, 403],
  ['somebody else', (await newInsider()).headers, 403],
]

const path = `/api/admin/tenants/${tenant.id}`
const DOORS: [method: string, path: string, body?: unknown][] = [
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

describe.each(DOORS)('%s %s', (method, address, body) => {
  test.each(REFUSED)('is closed to %s', async (_, headers, status) => {
    for (const sent of body === undefined ? [undefined] : [body, {}, { name: 7 }]) {
      const answer = await call(method, address, { headers, body: sent })
      expect(answer.status).toBe(status)
      expect(answer.body).toEqual(refusal(status, status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN'))
    }
  })

  test('says as much of a tenant that is not there', async () => {
    for (const [, headers, status] of REFUSED) {
      const answer = await call(method, address.replace(tenant.id, crypto.randomUUID()), { headers, body })
      expect(answer.status).toBe(status)
    }
  })
})

test('nothing has changed by all that', async () => {
  expect((await readTenant(tenant.id)).body).toMatchObject({ name: tenant.name, suspended: false })
  const { members } = await listMembers(owner.headers, tenant.id)
  expect(members.map(({ role }) => role)).toEqual(['owner', 'member'])
})

test.each([
  ['a super admin', () => asPerson(superAdmin, client)],
  ['the machine of the instance', asOps],
])('%s may do all of it', async (_, enter) => {
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
    const answer = await call<{ id: string }>(method, address, { headers, body })
    statuses.push(answer.status)
    if (address === '/api/admin/tenants' && method === 'POST') await deleteTenant(answer.body.id)
  }
  expect(statuses).toEqual([200, 200, 200, 201, 200, 200, 200, 200, 201])
})
