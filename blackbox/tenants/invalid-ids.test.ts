import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { call, errorBody } from '../support/calls.ts'
import { unique } from '../support/service.ts'
import { invite, listMembers, newOwnedTenant, newTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant()
const other = await newOwnedTenant()
const othersInvitation = await invite(other.owner.headers, other.tenant.id, {
  email: `${unique('someone')}@blackbox.test`,
})
const TENANT_PATH = `/api/tenants/${tenant.id}`

/** Invalid ids. */
const INVALID_IDS: [string, string][] = [
  ['a number', '1'],
  ['null', 'null'],
  ['undefined', 'undefined'],
  ['a quote', "'"],
  ['an SQL fragment', "'%20or%20'1'='1"],
  ['5 KB', 'a'.repeat(5_000)],
  ['a path traversal', '..%2f'],
  ['a path traversal to another tenant', `..%2f${other.tenant.id}`],
  ['a percent sign', '%25'],
  ['a star', '*'],
  ['the name of an object property', '__proto__'],
  ['an emoji', '%F0%9F%9A%80'],
  ['braces around an id', `%7B${randomUUID()}%7D`],
  ['an unknown id', randomUUID()],
  // PostgreSQL cannot store this character.
  ['NUL', '%00'],
  ['an id and NUL', `${tenant.id}%00`],
]

type Route = [method: string, path: (id: string) => string, body?: object]

const TENANT_ROUTES: Route[] = [
  ['GET', (id) => `/api/tenants/${id}`],
  ['PATCH', (id) => `/api/tenants/${id}`, { name: 'Elsewhere' }],
  ['DELETE', (id) => `/api/tenants/${id}`],
  ['GET', (id) => `/api/tenants/${id}/members`],
  ['PATCH', (id) => `/api/tenants/${id}/members/${owner.membershipId}`, { role: 'owner' }],
  ['DELETE', (id) => `/api/tenants/${id}/members/${owner.membershipId}`],
  ['GET', (id) => `/api/tenants/${id}/invitations`],
  ['POST', (id) => `/api/tenants/${id}/invitations`, { email: 'nobody@blackbox.test' }],
  ['POST', (id) => `/api/tenants/${id}/invitations/bulk`, { invitations: [{ email: 'nobody@blackbox.test' }] }],
  ['POST', (id) => `/api/tenants/${id}/invitations/${othersInvitation}/resend`],
  ['DELETE', (id) => `/api/tenants/${id}/invitations/${othersInvitation}`],
  ['GET', (id) => `/api/tenants/${id}/audit`],
]

const MEMBER_ROUTES: Route[] = [
  ['PATCH', (id) => `${TENANT_PATH}/members/${id}`, { role: 'admin' }],
  ['DELETE', (id) => `${TENANT_PATH}/members/${id}`],
]

const INVITATION_ROUTES: Route[] = [
  ['POST', (id) => `${TENANT_PATH}/invitations/${id}/resend`],
  ['DELETE', (id) => `${TENANT_PATH}/invitations/${id}`],
]

async function expectUnknown(routes: Route[], id: string, code: string) {
  for (const [method, path, body] of routes) {
    const { status, body: response } = await call(method, path(id), { headers: owner.headers, body })
    const route = `${method} ${path(':id')}`
    expect(status, route).toBe(404)
    expect(response, route).toEqual(errorBody(404, code))
  }
}

describe.each(INVALID_IDS)('T132: %s', (_, id) => {
  test('is not a tenant', () => expectUnknown(TENANT_ROUTES, id, 'TENANT_NOT_FOUND'))
  test('is not a member', () => expectUnknown(MEMBER_ROUTES, id, 'MEMBER_NOT_FOUND'))
  test('is not an invitation', () => expectUnknown(INVITATION_ROUTES, id, 'INVITATION_NOT_FOUND'))
})

test('a member of another tenant is not found in this one, and not changed', async () => {
  await expectUnknown(MEMBER_ROUTES, other.owner.membershipId, 'MEMBER_NOT_FOUND')
  const shown = await call('GET', `/api/tenants/${other.tenant.id}/members`, other.owner)
  expect(shown.body).toMatchObject({ members: [{ role: 'owner', status: 'ACTIVE' }, { status: 'INVITED' }] })
})

test('a membership of one tenant is not found in another, even by the owner of both', async () => {
  const second = await newTenant(owner.headers)
  const { members } = await listMembers(owner.headers, second.id)
  const { members: first } = await listMembers(owner.headers, tenant.id)
  await expectUnknown(MEMBER_ROUTES, members[0]?.id ?? '', 'MEMBER_NOT_FOUND')
  expect(await listMembers(owner.headers, second.id)).toMatchObject({ members: [{ role: 'owner' }] })
  expect((await listMembers(owner.headers, tenant.id)).members).toEqual(first)
})

test('an invitation of another tenant is not found in this one, and not changed', async () => {
  await expectUnknown(INVITATION_ROUTES, othersInvitation, 'INVITATION_NOT_FOUND')
  const shown = await call('GET', `/api/tenants/${other.tenant.id}/invitations`, other.owner)
  expect(shown.body).toMatchObject({ invitations: [{ id: othersInvitation, status: 'PENDING' }] })
})

test('the id of a user or of the tenant is not a membership id', async () => {
  await expectUnknown(MEMBER_ROUTES, owner.userId, 'MEMBER_NOT_FOUND')
  await expectUnknown(MEMBER_ROUTES, tenant.id, 'MEMBER_NOT_FOUND')
})

test('an unauthenticated caller learns nothing about an id', async () => {
  for (const id of ['1', tenant.id, randomUUID(), 'a'.repeat(5_000), '%00']) {
    for (const [method, path, body] of TENANT_ROUTES) {
      const response = await call(method, path(id), { body })
      expect(response.status, `${method} ${path(':id')}`).toBe(401)
      expect(response.body).toEqual(errorBody(401, 'UNAUTHORIZED'))
    }
  }
})

test.each(['1', 'null', "'", 'a'.repeat(5_000), '..%2f', '%25', '%00'])(
  'an invitation link with the token %s is unknown',
  async (token) => {
    const shown = await call('GET', `/api/invitations/${token}`)
    const accepted = await call('POST', `/api/invitations/${token}/accept`, { body: {} })
    for (const { status, body } of [shown, accepted]) {
      expect(status).toBe(404)
      expect(body).toEqual(errorBody(404, 'INVITATION_NOT_FOUND'))
    }
  },
)
