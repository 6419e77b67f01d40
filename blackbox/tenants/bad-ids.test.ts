import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { call, refusal } from '../support/calls.ts'
import { unique } from '../support/service.ts'
import { invite, listMembers, newOwnedTenant, newTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant()
const other = await newOwnedTenant()
const othersInvitation = await invite(other.owner.headers, other.tenant.id, {
  email: `${unique('someone')}@blackbox.test`,
})
const HOME = `/api/tenants/${tenant.id}`

/** What stands where an id belongs. */
const NO_IDS: [string, string][] = [
  ['a number', '1'],
  ['null', 'null'],
  ['undefined', 'undefined'],
  ['a quote', "'"],
  ['a piece of SQL', "'%20or%20'1'='1"],
  ['5 KB', 'a'.repeat(5_000)],
  ['a way up', '..%2f'],
  ['a way up to another tenant', `..%2f${other.tenant.id}`],
  ['a percent sign', '%25'],
  ['a star', '*'],
  ['a word that every object knows', '__proto__'],
  ['an emoji', '%F0%9F%9A%80'],
  ['braces around an id', `%7B${randomUUID()}%7D`],
  ['an id that nobody has', randomUUID()],
  // No database holds this character, and nothing is named with it.
  ['NUL', '%00'],
  ['an id and NUL', `${tenant.id}%00`],
]

type Door = [method: string, path: (id: string) => string, body?: object]

const TENANT_DOORS: Door[] = [
  ['GET', (id) => `/api/tenants/${id}`],
  ['PATCH', (id) => `/api/tenants/${id}`, { name: 'Elsewhere' }],
  ['DELETE', (id) => `/api/tenants/${id}`],
  ['GET', (id) => `/api/tenants/${id}/members`],
  ['PATCH', (id) => `/api/tenants/${id}/members/${owner.membershipId}`, { role: 'owner' }],
  ['DELETE', (id) => `/api/tenants/${id}/members/${owner.membershipId}`],
  ['GET', (id) => `/api/tenants/${id}/invitations`],
  ['POST', (id) => `/api/tenants/${id}/invitations`, { email: 'nobody@blackbox.test' }],
  [
    'POST',
    (id) => `/api/tenants/${id}/invitations/bulk`,
    { invitations: [{ email: 'nobody@blackbox.test' }] },
  ],
  ['POST', (id) => `/api/tenants/${id}/invitations/${othersInvitation}/resend`],
  ['DELETE', (id) => `/api/tenants/${id}/invitations/${othersInvitation}`],
  ['GET', (id) => `/api/tenants/${id}/audit`],
]

const MEMBER_DOORS: Door[] = [
  ['PATCH', (id) => `${HOME}/members/${id}`, { role: 'admin' }],
  ['DELETE', (id) => `${HOME}/members/${id}`],
]

const INVITATION_DOORS: Door[] = [
  ['POST', (id) => `${HOME}/invitations/${id}/resend`],
  ['DELETE', (id) => `${HOME}/invitations/${id}`],
]

async function expectUnknown(doors: Door[], id: string, code: string) {
  for (const [method, path, body] of doors) {
    const { status, body: answer } = await call(method, path(id), { headers: owner.headers, body })
    const door = `${method} ${path(':id')}`
    expect(status, door).toBe(404)
    expect(answer, door).toEqual(refusal(404, code))
  }
}

describe.each(NO_IDS)('T132: %s', (_, id) => {
  test('names no tenant', () => expectUnknown(TENANT_DOORS, id, 'TENANT_NOT_FOUND'))
  test('names no member', () => expectUnknown(MEMBER_DOORS, id, 'MEMBER_NOT_FOUND'))
  test('names no invitation', () => expectUnknown(INVITATION_DOORS, id, 'INVITATION_NOT_FOUND'))
})

test('a member of another tenant is unknown in this one, and left alone', async () => {
  await expectUnknown(MEMBER_DOORS, other.owner.membershipId, 'MEMBER_NOT_FOUND')
  const shown = await call('GET', `/api/tenants/${other.tenant.id}/members`, other.owner)
  expect(shown.body).toMatchObject({ members: [{ role: 'owner', status: 'ACTIVE' }, { status: 'INVITED' }] })
})

test('a membership in one tenant is unknown in another, also to who owns both', async () => {
  const second = await newTenant(owner.headers)
  const { members } = await listMembers(owner.headers, second.id)
  const { members: first } = await listMembers(owner.headers, tenant.id)
  await expectUnknown(MEMBER_DOORS, members[0]?.id ?? '', 'MEMBER_NOT_FOUND')
  expect(await listMembers(owner.headers, second.id)).toMatchObject({ members: [{ role: 'owner' }] })
  expect((await listMembers(owner.headers, tenant.id)).members).toEqual(first)
})

test('an invitation of another tenant is unknown in this one, and left alone', async () => {
  await expectUnknown(INVITATION_DOORS, othersInvitation, 'INVITATION_NOT_FOUND')
  const shown = await call('GET', `/api/tenants/${other.tenant.id}/invitations`, other.owner)
  expect(shown.body).toMatchObject({ invitations: [{ id: othersInvitation, status: 'PENDING' }] })
})

test('neither the id of a person nor that of the tenant names a membership', async () => {
  await expectUnknown(MEMBER_DOORS, owner.userId, 'MEMBER_NOT_FOUND')
  await expectUnknown(MEMBER_DOORS, tenant.id, 'MEMBER_NOT_FOUND')
})

test('whoever shows no token learns nothing of an id', async () => {
  for (const id of ['1', tenant.id, randomUUID(), 'a'.repeat(5_000), '%00']) {
    for (const [method, path, body] of TENANT_DOORS) {
      const answer = await call(method, path(id), { body })
      expect(answer.status, `${method} ${path(':id')}`).toBe(401)
      expect(answer.body).toEqual(refusal(401, 'UNAUTHORIZED'))
    }
  }
})

test.each(['1', 'null', "'", 'a'.repeat(5_000), '..%2f', '%25', '%00'])(
  'the link of an invitation with the token %s is unknown',
  async (token) => {
    const shown = await call('GET', `/api/invitations/${token}`)
    const accepted = await call('POST', `/api/invitations/${token}/accept`, { body: {} })
    for (const { status, body } of [shown, accepted]) {
      expect(status).toBe(404)
      expect(body).toEqual(refusal(404, 'INVITATION_NOT_FOUND'))
    }
  },
)
