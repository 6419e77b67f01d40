import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiResponse, createSignedInUser, insertUser, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { insertInvitation, insertMembership, insertTenant, type TestTenant } from './tenant-rows.ts'

let service: TestService
let owner: TestUser
let company: TestTenant

const PEOPLE = [
  { email: 'anna.berg@north.test', given_name: 'Anna', family_name: 'Berg' },
  { email: 'bert@north.test', given_name: 'Bert', family_name: 'Annis' },
  { email: 'cleo@south.test', display_name: 'Cleo the Great', given_name: 'Cleopatra' },
  { email: 'dora@south.test', given_name: 'Dóra', family_name: "O'Brien" },
  { email: 'emil_100%@south.test', given_name: 'Emil' },
]

beforeAll(async () => {
  service = await startDemoService()
  owner = await createSignedInUser(service, { email: 'zoe@north.test', given_name: 'Zoe' })
  company = await insertTenant(service)
  const other = await insertTenant(service)
  await insertMembership(service, company, owner, { role: 'owner' })
  for (const [index, columns] of PEOPLE.entries()) {
    const person = await insertUser(service, columns)
    await insertMembership(service, company, person, index === 1 ? { status: 'SUSPENDED', role: 'admin' } : {})
  }
  await insertMembership(
    service,
    other,
    await insertUser(service, { email: 'anna@elsewhere.test', given_name: 'Anna' }),
  )
  const guest = await insertUser(service, { email: 'guest@south.test', given_name: 'Annabel' })
  await insertInvitation(service, company, { person: guest })
  await insertInvitation(service, company, { person: await addPlaceholder('anna-to-be@south.test') })
})
afterAll(() => service.close())

/** A placeholder account: an invited user who has not signed up. */
const addPlaceholder = (email: string) => insertUser(service, { email, email_verified: false, password_hash: null })

interface Page {
  members: { user: { email: string }; status: string }[]
  pagination: { total: number; pages: number; page: number; limit: number }
}

const ask = (query: Record<string, string>): Promise<ApiResponse> =>
  owner.call('GET', `/api/tenants/${company.id}/members?${new URLSearchParams(query)}`)

async function find(search: string, more: Record<string, string> = {}): Promise<string[]> {
  const { status, body } = await ask({ search, ...more })
  expect(status).toBe(200)
  const { members, pagination } = body as unknown as Page
  expect(pagination.total).toBe(members.length)
  return members.map(({ user }) => user.email.split('@')[0] ?? '')
}

describe('a search among members', () => {
  test.each([
    ['anna', ['anna.berg', 'anna-to-be']],
    ['ANN', ['anna.berg', 'bert', 'anna-to-be']],
    ['  berg  ', ['anna.berg']],
    ['ann ber', ['anna.berg', 'bert']],
    ['anna anna berg', ['anna.berg']],
    ['@north', ['zoe', 'anna.berg', 'bert']],
    ['@south an', ['anna-to-be']],
    ['the', ['cleo']],
    ['cleopatra', ['cleo']],
    ['dóra', ['dora']],
    ['DÓRA', ['dora']],
    ["o'brien", ['dora']],
    ['emil_100%', ['emil_100%']],
    ['%', []],
    ['_', []],
    ['erg', []],
    ['nobody', []],
    ['elsewhere', []],
    ["' or 1=1 --", []],
  ])('for %j finds %j', async (search, expected) => {
    expect(await find(search)).toEqual(expected)
  })

  test('finds an invited user by the address only, not by the name of the account', async () => {
    expect(await find('annabel')).toEqual([])
    expect(await find('guest')).toEqual(['guest'])
    expect(await find('guest', { status: 'INVITED' })).toEqual(['guest'])
    expect(await find('guest', { status: 'ACTIVE' })).toEqual([])
  })

  test('does not find users whose invitation has expired or who have left', async () => {
    const invitee = await addPlaceholder('belated@south.test')
    const { membershipId = '' } = await insertInvitation(service, company, { person: invitee })
    expect(await find('belated')).toEqual(['belated'])
    await sql`update memberships set invited_until = now() - interval '1 second' where id = ${membershipId}`.execute(
      service.ctx.db,
    )
    expect(await find('belated')).toEqual([])
    const person = await insertUser(service, { email: 'leaver@south.test' })
    const id = await insertMembership(service, company, person)
    expect(await find('leaver')).toEqual(['leaver'])
    await owner.call('DELETE', `/api/tenants/${company.id}/members/${id}`)
    expect(await find('leaver')).toEqual([])
  })

  test('can be combined with other filters and with pages', async () => {
    expect(await find('ann', { status: 'SUSPENDED' })).toEqual(['bert'])
    expect(await find('ann', { role: 'admin' })).toEqual(['bert'])
    expect(await find('ann', { role: 'owner' })).toEqual([])
    const all = await find('ann')
    const parts: string[] = []
    for (const page of ['1', '2', '3', '4']) {
      const body = (await ask({ search: 'ann', page, limit: '1' })).body as unknown as Page
      expect(body.pagination).toEqual({ page: Number(page), limit: 1, total: 3, pages: 3 })
      parts.push(...body.members.map(({ user }) => user.email.split('@')[0] ?? ''))
    }
    expect(parts).toEqual(all)
  })

  test('finds a changed name immediately', async () => {
    const person = await createSignedInUser(service, { email: 'changer@south.test', given_name: 'Before' })
    await insertMembership(service, company, person)
    expect(await find('before')).toEqual(['changer'])
    await person.call('PATCH', '/api/users/me', { givenName: 'Afterwards' })
    expect(await find('before')).toEqual([])
    expect(await find('afterwards')).toEqual(['changer'])
  })

  test('accepts a hundred characters, not counting surrounding spaces', async () => {
    expect(await find(` ${'x'.repeat(100)} `)).toEqual([])
  })

  test('refuses a repeated search parameter', async () => {
    const response = await owner.call('GET', `/api/tenants/${company.id}/members?search=a&search=b`)
    expect(response.status).toBe(422)
  })
})
