import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, addPerson, newSomebody, type Somebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import { type Company, employ, inviteTo, newCompany } from './company.ts'

let service: TestService
let owner: Somebody
let company: Company

const PEOPLE = [
  { email: 'anna.berg@north.test', given_name: 'Anna', family_name: 'Berg' },
  { email: 'bert@north.test', given_name: 'Bert', family_name: 'Annis' },
  { email: 'cleo@south.test', display_name: 'Cleo the Great', given_name: 'Cleopatra' },
  { email: 'dora@south.test', given_name: 'Dóra', family_name: "O'Brien" },
  { email: 'emil_100%@south.test', given_name: 'Emil' },
]

beforeAll(async () => {
  service = await startWorld()
  owner = await newSomebody(service, { email: 'zoe@north.test', given_name: 'Zoe' })
  company = await newCompany(service)
  const other = await newCompany(service)
  await employ(service, company, owner, { role: 'owner' })
  for (const [index, traits] of PEOPLE.entries()) {
    const person = await addPerson(service, traits)
    await employ(service, company, person, index === 1 ? { status: 'SUSPENDED', role: 'admin' } : {})
  }
  await employ(service, other, await addPerson(service, { email: 'anna@elsewhere.test', given_name: 'Anna' }))
  const guest = await addPerson(service, { email: 'guest@south.test', given_name: 'Annabel' })
  await inviteTo(service, company, { person: guest })
  await inviteTo(service, company, { person: await placeholder('anna-to-be@south.test') })
})
afterAll(() => service.close())

/** Somebody who was invited and has no account. */
const placeholder = (email: string) =>
  addPerson(service, { email, email_verified: false, password_hash: null })

interface Page {
  members: { user: { email: string }; status: string }[]
  pagination: { total: number; pages: number; page: number; limit: number }
}

const ask = (query: Record<string, string>): Promise<Answer> =>
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

  test('finds who is invited by the address, and by nothing that the account would tell', async () => {
    expect(await find('annabel')).toEqual([])
    expect(await find('guest')).toEqual(['guest'])
    expect(await find('guest', { status: 'INVITED' })).toEqual(['guest'])
    expect(await find('guest', { status: 'ACTIVE' })).toEqual([])
  })

  test('does not find who was invited for too short a time, or has left', async () => {
    const late = await placeholder('belated@south.test')
    const { membershipId = '' } = await inviteTo(service, company, { person: late })
    expect(await find('belated')).toEqual(['belated'])
    await sql`update memberships set invited_until = now() - interval '1 second' where id = ${membershipId}`.execute(
      service.ctx.db,
    )
    expect(await find('belated')).toEqual([])
    const person = await addPerson(service, { email: 'leaver@south.test' })
    const id = await employ(service, company, person)
    expect(await find('leaver')).toEqual(['leaver'])
    await owner.call('DELETE', `/api/tenants/${company.id}/members/${id}`)
    expect(await find('leaver')).toEqual([])
  })

  test('goes with the other filters and with pages, of which each is a part of the whole', async () => {
    expect(await find('ann', { status: 'SUSPENDED' })).toEqual(['bert'])
    expect(await find('ann', { role: 'admin' })).toEqual(['bert'])
    expect(await find('ann', { role: 'owner' })).toEqual([])
    const whole = await find('ann')
    const parts: string[] = []
    for (const page of ['1', '2', '3', '4']) {
      const body = (await ask({ search: 'ann', page, limit: '1' })).body as unknown as Page
      expect(body.pagination).toEqual({ page: Number(page), limit: 1, total: 3, pages: 3 })
      parts.push(...body.members.map(({ user }) => user.email.split('@')[0] ?? ''))
    }
    expect(parts).toEqual(whole)
  })

  test('knows a new name at once', async () => {
    const person = await newSomebody(service, { email: 'changer@south.test', given_name: 'Before' })
    await employ(service, company, person)
    expect(await find('before')).toEqual(['changer'])
    await person.call('PATCH', '/api/users/me', { givenName: 'Afterwards' })
    expect(await find('before')).toEqual([])
    expect(await find('afterwards')).toEqual(['changer'])
  })

  test('takes a hundred characters, and blanks around them', async () => {
    expect(await find(` ${'x'.repeat(100)} `)).toEqual([])
  })

  test('for two things at once is not understood', async () => {
    const answer = await owner.call('GET', `/api/tenants/${company.id}/members?search=a&search=b`)
    expect(answer.status).toBe(422)
  })
})
