import { describe, expect, test } from 'vitest'
import { callAdmin } from '../support/admin.ts'
import { call, errorBody } from '../support/calls.ts'
import { unique } from '../support/service.ts'
import { invite, listMembers, type MemberPage, newCaller, newMember, newOwnedTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant()
const PATH = `/api/tenants/${tenant.id}/members`
const [ada, bob] = [await newMember(owner.headers, tenant.id, 'admin'), await newMember(owner.headers, tenant.id)]
const rename = (headers: Record<string, string>, body: object) => call('PATCH', '/api/users/me', { headers, body })
await rename(ada.headers, { givenName: 'Ada', familyName: 'Ångström' })
await rename(bob.headers, { givenName: 'Bob', familyName: 'Adams', displayName: 'The Builder' })
const guest = `${unique('adagio')}@guests.blackbox.test`
await invite(owner.headers, tenant.id, { email: guest })

const query = (fields: Record<string, string>) => `?${new URLSearchParams(fields)}`
const emails = ({ members }: MemberPage) => members.map(({ user }) => user.email)
const find = async (search: string, more: Record<string, string> = {}) => {
  const page = await listMembers(owner.headers, tenant.id, query({ search, ...more }))
  expect(page.pagination.total).toBe(page.members.length)
  return emails(page)
}

describe('a search in the member list', () => {
  test.each([
    ['ada', [ada.person.email, bob.person.email, guest]],
    ['ADA', [ada.person.email, bob.person.email, guest]],
    ['ada åNG', [ada.person.email]],
    ['build', [bob.person.email]],
    ['uilder', []],
    ['@guests', [guest]],
    ['@guests ada', [guest]],
    [owner.person.email, [owner.person.email]],
    [` ${bob.person.email.toUpperCase()} `, [bob.person.email]],
    ['%', []],
    ['nobody', []],
  ])('for %j finds matching names and addresses', async (search, expected) => {
    expect(await find(search)).toEqual(expected)
  })

  test('can be combined with other filters and is paged', async () => {
    expect(await find('ada', { role: 'admin' })).toEqual([ada.person.email])
    expect(await find('ada', { status: 'INVITED' })).toEqual([guest])
    const second = await listMembers(owner.headers, tenant.id, query({ search: 'ada', limit: '1', page: '2' }))
    expect(second.pagination).toEqual({ page: 2, limit: 1, total: 3, pages: 3 })
    expect(emails(second)).toEqual([bob.person.email])
  })

  test('does not find an INVITED member by name', async () => {
    const own = await newOwnedTenant()
    await invite(own.owner.headers, own.tenant.id, { email: ada.person.email })
    const list = (search: string) => listMembers(own.owner.headers, own.tenant.id, query({ search }))
    expect(emails(await list('ada'))).toEqual([])
    expect(emails(await list(ada.person.email))).toEqual([ada.person.email])
  })

  test('does not find members of another tenant', async () => {
    const own = await newOwnedTenant()
    const page = await listMembers(own.owner.headers, own.tenant.id, query({ search: 'ada' }))
    expect(page).toMatchObject({ members: [], pagination: { total: 0, pages: 0 } })
  })

  test.each(['', ' ', 'x'.repeat(101), 'a b c d e f g h i'])('for %j is invalid', async (search) => {
    const { status, body } = await call('GET', PATH + query({ search }), owner)
    expect(status).toBe(422)
    expect(body).toEqual(
      errorBody(422, 'VALIDATION_FAILED', { details: [{ field: 'search', message: expect.any(String) }] }),
    )
  })

  test('is refused for non-members before it is validated', async () => {
    const { headers } = await newCaller()
    for (const search of ['ada', '']) {
      const { status, body } = await call('GET', PATH + query({ search }), { headers })
      expect(status).toBe(403)
      expect(body).toEqual(errorBody(403, 'FORBIDDEN'))
    }
  })
})

test('operators get the same results', async () => {
  const { body } = await callAdmin<MemberPage>('GET', `/tenants/${tenant.id}/members${query({ search: 'ada' })}`)
  expect(body).toEqual(await listMembers(owner.headers, tenant.id, query({ search: 'ada' })))
  const refused = await callAdmin('GET', `/tenants/${tenant.id}/members${query({ search: ' ' })}`)
  expect(refused.status).toBe(422)
})
