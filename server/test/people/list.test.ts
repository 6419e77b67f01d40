import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSignedInUser, errorReply, insertUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { insertInvitation, insertMembership, insertTenant } from '../tenants/tenant-rows.ts'
import { addCrowd, callAsOps, list, newWord } from './calls.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(async () => {
  await service?.close()
})

const emails = async (query: Parameters<typeof list>[1]) => (await list(service, query)).users.map(({ email }) => email)

test('a user is returned without secrets', async () => {
  const { id, email } = await createSignedInUser(service, { given_name: 'Ada', family_name: 'Byron' })
  const { users } = await list(service, { search: email })
  expect(users).toEqual([
    {
      id,
      email,
      emailVerified: true,
      displayName: 'Ada Byron',
      givenName: 'Ada',
      familyName: 'Byron',
      superAdmin: false,
      disabled: false,
      passwordSignIn: true,
      hasPassword: true,
      mfaEnabled: false,
      deletionRequestedAt: null,
      erasedAt: null,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      lastSignInAt: expect.stringMatching(/^\d{4}-.*Z$/),
    },
  ])
})

describe('the search', () => {
  const [given, family, local, domain] = [newWord(), newWord(), newWord(), newWord()]
  const email = `${local}.x@${domain}.test`
  beforeAll(async () => {
    const names = { given_name: `Jo ${given}`, family_name: family.toUpperCase() }
    await insertUser(service, { email, ...names, display_name: `Ünal-${given}  the Great` })
  })

  test.each([
    ['a whole address', email],
    ['an address in capitals', email.toUpperCase()],
    ['the beginning of an address', local.slice(0, 9)],
    ['a given name, even the second one', given],
    ['the beginning of a family name', family.slice(0, 9)],
    ['a word of the display name, with non-ASCII letters and in any case', `üNAL-${given}`],
    ['the domain of an address', `@${domain}.test`],
    ['the beginning of the domain of an address', `@${domain.slice(0, 8)}`],
    ['several words, in any order', `great ${family.slice(0, 5)}   ${local}`],
    ['the same word twice', `${given} ${given}`],
  ])('finds a user by %s', async (_, search) => {
    expect(await emails({ search })).toEqual([email])
  })

  test.each([
    ['the middle of a word', given.slice(2)],
    ['a domain without its @', `${domain}.test`],
    ['words of which one does not match', `${given} nobody`],
    ['the wildcard % of LIKE', `${given}%`],
    ['the wildcard _ of LIKE', `_${given.slice(1)}`],
    ['a backslash', `${given}\\`],
    ['a quote', `${given}'`],
  ])('finds no user by %s', async (_, search) => {
    const { users, pagination } = await list(service, { search })
    expect(users).toEqual([])
    expect(pagination).toMatchObject({ total: 0, pages: 0, totalIsExact: true, next: null })
  })

  test('finds a user by the current name and address only, and not after the user is erased', async () => {
    const [before, after] = [newWord(), newWord()]
    const { id } = await insertUser(service, { given_name: before })
    const rename = (change: object) => service.ctx.db.updateTable('users').set(change).where('id', '=', id).execute()
    const found = async (search: string) => (await list(service, { search })).users.map((user) => user.id)
    await rename({ given_name: after })
    expect([await found(before), await found(after)]).toEqual([[], [id]])
    await rename({ email: `${before}@moved.test` })
    expect([await found(before), await found(after)]).toEqual([[id], [id]])
    await service.ctx.db.deleteFrom('users').where('id', '=', id).execute()
    expect([await found(before), await found(after)]).toEqual([[], []])
  })

  test('without words finds all users', async () => {
    expect((await list(service, { search: '  ' })).pagination.total).toBe((await list(service, {})).pagination.total)
  })
})

test('a placeholder account is not listed, not counted and not found by id', async () => {
  const before = await list(service)
  const company = await insertTenant(service)
  const word = newWord()
  const invited = await insertUser(service, {
    email: `${word}@people.test`,
    password_hash: null,
    email_verified: false,
  })
  await insertInvitation(service, company, { person: invited })
  expect((await list(service)).pagination.total).toBe(before.pagination.total)
  expect((await list(service, { search: word })).users).toEqual([])
  expect((await list(service, { tenantId: company.id })).users).toEqual([])
  for (const [method, path] of [
    ...[['GET', ''] as const, ['DELETE', ''] as const, ['POST', '/restore'] as const],
    ...[['POST', '/password-reset'] as const, ['DELETE', '/sessions'] as const, ['DELETE', '/mfa'] as const],
  ]) {
    expect(await callAsOps(service, method, `/${invited.id}${path}`)).toMatchObject(errorReply(404, 'USER_NOT_FOUND'))
  }
  await service.ctx.db.updateTable('users').set({ email_verified: true }).where('id', '=', invited.id).execute()
  expect((await list(service)).pagination.total).toBe(before.pagination.total + 1)
  expect((await list(service, { search: word })).users).toHaveLength(1)
})

describe('filtered', () => {
  const word = newWord()
  const at = (part: string) => `${word}-${part}@people.test`
  let company: { id: string }
  beforeAll(async () => {
    const leaving = { email: at('leaving') }
    await insertUser(service, { email: at('plain') })
    await insertUser(service, { email: at('disabled'), disabled: true })
    await insertUser(service, { email: at('unverified'), email_verified: false })
    await insertUser(service, { email: at('super'), is_super_admin: true })
    const { id } = await insertUser(service, leaving)
    const now = new Date()
    await service.ctx.db.updateTable('users').set({ deletion_requested_at: now }).where('id', '=', id).execute()
    const founded = await insertTenant(service)
    company = founded
    for (const [part, place] of [
      ...[['active', {}] as const, ['suspended', { status: 'SUSPENDED' }] as const],
      ['invited', { status: 'INVITED' }] as const,
    ]) {
      await insertMembership(service, founded, await insertUser(service, { email: at(part) }), place)
    }
  })

  const everybody = ['active', 'disabled', 'invited', 'leaving', 'plain', 'super', 'suspended', 'unverified']
  const but = (...left: string[]) => everybody.filter((part) => !left.includes(part)).map(at)

  test.each([
    [{ disabled: true }, [at('disabled')]],
    [{ disabled: false }, but('disabled')],
    [{ emailVerified: false }, [at('unverified')]],
    [{ emailVerified: true }, but('unverified')],
    [{ superAdmin: true }, [at('super')]],
    [{ superAdmin: false }, but('super')],
    [{ deletionRequested: true }, [at('leaving')]],
    [{ deletionRequested: false }, but('leaving')],
    [{ disabled: false, emailVerified: true, superAdmin: false }, but('disabled', 'unverified', 'super')],
    [{ disabled: true, superAdmin: true }, []],
  ])('by %j, the list returns the matching users, with and without a search', async (flags, found) => {
    const { users, pagination } = await list(service, { search: word, sort: 'email', ...flags })
    expect(users.map(({ email }) => email)).toEqual(found)
    expect(pagination).toMatchObject({ total: found.length, totalIsExact: true })
    // The other query strategy, without a search.
    const all = await list(service, { sort: 'email', limit: 100, ...flags })
    expect(all.users.map(({ email }) => email).filter((email) => email.startsWith(word))).toEqual(found)
    expect(all.pagination).toMatchObject({ total: all.users.length, totalIsExact: true })
  })

  test('by a tenant, the list returns its active and suspended members, but not invited ones', async () => {
    const found = { sort: 'email', tenantId: company.id }
    expect(await emails(found)).toEqual([at('active'), at('suspended')])
    expect(await emails({ ...found, search: at('a') })).toEqual([])
    expect(await emails({ ...found, search: `${word}-a` })).toEqual([at('active')])
    expect(await emails({ tenantId: 'no tenant at all' })).toEqual([])
  })
})

describe('pages', () => {
  test('contain every user once in each order, by number and by cursor', async () => {
    const { word, people } = await addCrowd(service, 12)
    const inOrder = people.map(({ email }) => email)
    const orders = { createdAt: inOrder, '-createdAt': [...inOrder].reverse() }
    const all = { ...orders, email: orders.createdAt, '-email': orders['-createdAt'] }
    for (const [sort, expected] of Object.entries(all)) {
      const query = { search: word, sort, limit: 5 }
      const byNumber = [await list(service, query)]
      for (const page of [2, 3, 4]) byNumber.push(await list(service, { ...query, page }))
      expect(byNumber.flatMap(({ users }) => users.map(({ email }) => email))).toEqual(expected)
      expect(byNumber.map(({ pagination }) => [pagination.page, pagination.total, pagination.pages])).toEqual(
        [1, 2, 3, 4].map((page) => [page, 12, 3]),
      )
      expect(await follow(query)).toEqual(expected)
    }
  })

  const follow = async (query: Parameters<typeof list>[1]): Promise<string[]> => {
    const seen: string[] = []
    for (let next: string | null | undefined; next !== null; ) {
      const page = await list(service, { ...query, ...(next ? { after: next } : {}) })
      seen.push(...page.users.map(({ email }) => email))
      next = page.pagination.next
    }
    return seen
  }

  test('of all users contain every user once, by cursor and by number (the second half is read from the end)', async () => {
    await addCrowd(service, 7)
    const { pagination } = await list(service, { limit: 3 })
    const byNumber: string[] = []
    for (let page = 1; page <= pagination.pages + 1; page++) {
      byNumber.push(...(await emails({ limit: 3, page })))
    }
    expect(byNumber).toHaveLength(pagination.total)
    expect(byNumber).toEqual(await follow({ limit: 4 }))
    expect([...byNumber].sort()).toEqual(await follow({ limit: 100, sort: 'email' }))
  })

  test('by cursor skip and repeat no user while users are added and deleted', async () => {
    const { word, people } = await addCrowd(service, 9)
    const query = { search: word, sort: 'createdAt', limit: 3 }
    const first = await list(service, query)
    const next = { ...query, after: first.pagination.next ?? '' }
    // The last user of the page is deleted; others are added and deleted before and after it.
    const gone = [people[2], people[1], people[4]].map((person) => person?.id ?? '')
    await service.ctx.db.deleteFrom('users').where('id', 'in', gone).execute()
    const longAgo = new Date('2020-01-01')
    await insertUser(service, { email: `${word}-early@crowd.test`, created_at: longAgo })
    await insertUser(service, { email: `${word}-late@crowd.test` })
    const second = await list(service, next)
    const third = await list(service, { ...query, after: second.pagination.next ?? '' })
    expect([...second.users, ...third.users].map(({ email }) => email)).toEqual([
      ...[3, 5, 6, 7, 8].map((index) => people[index]?.email),
      `${word}-late@crowd.test`,
    ])
    expect(third.pagination.next).toBe(null)
  })

  test('have a cursor that does not reveal the user it points to', async () => {
    const { word } = await addCrowd(service, 2)
    const { pagination } = await list(service, { search: word, sort: 'email', limit: 1 })
    expect(Buffer.from(pagination.next ?? '', 'base64url').toString('latin1')).not.toContain(word)
  })

  test.each([
    ['after', { after: 'AAAA' }],
    ['after', { after: 'x'.repeat(2_001) }],
    ['page', { page: 0 }],
    ['page', { page: 1.5 }],
    ['limit', { limit: 0 }],
    ['sort', { sort: 'password' }],
    ['disabled', { disabled: 'maybe' }],
    ['search', { search: 'x'.repeat(201) }],
    ['search', { search: 'a b c d e f g h i' }],
  ])('with an invalid %s are refused: %j', async (field, query) => {
    const answer = await callAsOps(service, 'GET', `?${new URLSearchParams(query as never)}`)
    expect(answer.status).toBe(422)
    expect(answer.body).toMatchObject({ error: 'VALIDATION_FAILED', details: [{ field }] })
  })

  test('with a cursor of another sort order, or a cursor and a page number, are refused', async () => {
    const { word } = await addCrowd(service, 2)
    const { pagination } = await list(service, { search: word, limit: 1 })
    for (const more of [{ sort: 'email' }, { page: '2' }] as Record<string, string>[]) {
      const query = new URLSearchParams({ search: word, after: pagination.next ?? '', ...more })
      expect((await callAsOps(service, 'GET', `?${query}`)).status).toBe(422)
    }
  })
})
