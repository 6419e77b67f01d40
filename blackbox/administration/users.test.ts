import { describe, expect, test } from 'vitest'
import { client, logIn } from '../support/account.ts'
import { call, errorBody } from '../support/calls.ts'
import { findToken, listMails } from '../support/mail.ts'
import { bearer, getTokens, getUserinfo, refreshTokens } from '../support/oauth.ts'
import { createPerson, newConfirmedPerson } from '../support/person.ts'
import { unique } from '../support/service.ts'
import { newOwnedTenant } from '../support/tenants.ts'
import { callUsers, getUser, newAddress, newUser, type User, type UserPage } from '../support/users.ts'

const UNKNOWN_ID = '0197a000-0000-7000-8000-000000000000'

describe('the list of users', () => {
  test('contains the fields for administrators, and no secrets', async () => {
    const { email } = await newUser({ givenName: 'Ada', familyName: 'Byron' })
    const { status, body } = await callUsers<UserPage>('GET', `?search=${email}`)
    expect(status).toBe(200)
    expect(body.users).toEqual([
      {
        id: expect.any(String),
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
        lastSignInAt: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ])
    expect(body.pagination).toEqual({
      page: 1,
      limit: 20,
      total: 1,
      pages: 1,
      totalIsExact: true,
      next: null,
    })
  })

  test('can be searched by address, name, several words and domain, case-insensitively', async () => {
    const [given, domain] = [unique('Given'), unique('domain')]
    const { id, email } = await newUser({ email: `${unique('user')}@${domain}.test`, givenName: given })
    for (const search of [email.slice(0, 15), given.toUpperCase(), `@${domain}`, `${given} ${email}`]) {
      const { body } = await callUsers<UserPage>('GET', `?search=${encodeURIComponent(search)}`)
      expect(body.users.map((user) => user.id)).toContain(id)
    }
    for (const search of [given.slice(1), `${given} nobody`, '%', '_']) {
      const { body } = await callUsers<UserPage>('GET', `?search=${encodeURIComponent(search)}`)
      expect(body.users.map((user) => user.id)).not.toContain(id)
    }
  })

  test('is paged by number and by cursor, in both orders', async () => {
    const word = unique('many')
    const emails = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${word}-${letter}@blackbox.test`)
    for (const email of emails) await newUser({ email, sendPasswordLink: false })
    for (const [sort, expected] of [
      ...[['email', emails] as const, ['createdAt', emails] as const],
      ...[['-email', [...emails].reverse()] as const, ['-createdAt', [...emails].reverse()] as const],
    ]) {
      const listPage = async (parameters: string) =>
        (await callUsers<UserPage>('GET', `?search=${word}&sort=${sort}&limit=2${parameters}`)).body
      const first = await listPage('')
      const second = await listPage(`&after=${first.pagination.next}`)
      const third = await listPage('&page=3')
      const seen = [first, second, third].flatMap((page) => page.users.map(({ email }) => email))
      expect(seen).toEqual(expected)
      expect(third.pagination).toMatchObject({ total: 5, pages: 3, next: null })
    }
  })

  test.each(['?limit=0', '?page=x', '?sort=id', '?after=x', '?disabled=perhaps', `?search=${'x'.repeat(300)}`])(
    'refuses %s',
    async (query) => {
      expect(await callUsers('GET', query)).toMatchObject({ status: 422, body: { error: 'VALIDATION_FAILED' } })
    },
  )

  test('does not contain placeholder accounts', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const email = newAddress()
    const body = { email }
    const path = `/api/tenants/${tenant.id}/invitations`
    expect((await call('POST', path, { headers: owner.headers, body })).status).toBe(201)
    expect((await callUsers<UserPage>('GET', `?search=${email}`)).body.users).toEqual([])
    const { body: ofTenant } = await callUsers<UserPage>('GET', `?tenantId=${tenant.id}`)
    expect(ofTenant.users.map(({ id }) => id)).toEqual([owner.userId])
  })
})

describe('a new user', () => {
  test('gets a mail with a link to choose a password, and can sign in with it', async () => {
    const email = newAddress()
    const made = await callUsers('POST', '', { email })
    expect(made).toMatchObject({ status: 201, body: { email, emailVerified: true, hasPassword: false } })
    const body = { token: findToken((await listMails(email))[0]), newPassword: 'a password of my own' }
    expect((await call('POST', '/api/auth/password/reset', { body })).status).toBe(200)
    expect(await logIn(email, 'a password of my own')).toBe(200)
  })

  test('cannot have a taken address, a weak password or missing fields', async () => {
    const { email } = await newUser()
    expect((await callUsers('POST', '', { email })).body).toEqual(errorBody(409, 'EMAIL_TAKEN'))
    const weak = await callUsers('POST', '', { email: newAddress(), password: 'password' })
    expect(weak.body).toEqual(errorBody(422, 'WEAK_PASSWORD'))
    const bare = await callUsers('POST', '', { email: newAddress(), emailVerified: false })
    expect(bare).toMatchObject({ status: 422, body: { details: [{ field: 'emailVerified' }] } })
  })
})

describe('a disabled user', () => {
  test('is refused everywhere immediately, and can sign in again after being enabled', async () => {
    const someone = await newUser()
    const browser = await createPerson(someone.email, someone.password).signIn()
    const tokens = await getTokens(browser, client)
    expect((await callUsers('PATCH', `/${someone.id}`, { disabled: true })).body).toMatchObject({
      disabled: true,
    })
    expect((await getUserinfo(tokens.access_token)).status).toBe(401)
    expect((await refreshTokens(client, tokens.refresh_token)).body).toMatchObject({ error: 'invalid_grant' })
    expect((await call('GET', '/api/users/me', { headers: bearer(tokens.access_token) })).status).toBe(401)
    expect(await logIn(someone.email, someone.password)).toBe(401)
    expect((await callUsers('PATCH', `/${someone.id}`, { disabled: false })).status).toBe(200)
    expect(await logIn(someone.email, someone.password)).toBe(200)
    expect((await getUserinfo(tokens.access_token)).status).toBe(401)
  })
})

test('a forced reset ends the sessions, and the old password is refused', async () => {
  const someone = await newUser()
  const tokens = await getTokens(await createPerson(someone.email, someone.password).signIn(), client)
  expect((await callUsers('POST', `/${someone.id}/password-reset`)).status).toBe(200)
  expect((await getUserinfo(tokens.access_token)).status).toBe(401)
  expect(await logIn(someone.email, someone.password)).toBe(401)
  const body = { token: findToken((await listMails(someone.email))[0]), newPassword: 'a password of my own' }
  expect((await call('POST', '/api/auth/password/reset', { body })).status).toBe(200)
  expect(await logIn(someone.email, 'a password of my own')).toBe(200)
})

test('ending sessions returns their number and revokes their tokens', async () => {
  const someone = await newConfirmedPerson()
  const tokens = await getTokens(await someone.signIn(), client)
  const { id } = await getUser(someone.email)
  expect((await callUsers('GET', `/${id}`)).body).toMatchObject({ sessionCount: 1, memberships: [] })
  expect(await callUsers('DELETE', `/${id}/sessions`)).toMatchObject({ status: 200, body: { count: 1 } })
  expect((await getUserinfo(tokens.access_token)).status).toBe(401)
  expect((await callUsers('GET', `/${id}`)).body).toMatchObject({ sessionCount: 0 })
})

describe('a deletion', () => {
  test('is scheduled, visible, and can be undone once', async () => {
    const someone = await newUser()
    expect((await callUsers('POST', `/${someone.id}/restore`)).body).toEqual(
      errorBody(409, 'NOT_SCHEDULED_FOR_DELETION'),
    )
    expect((await callUsers('DELETE', `/${someone.id}`)).status).toBe(200)
    expect(await logIn(someone.email, someone.password)).toBe(403)
    const { body } = await callUsers<UserPage>('GET', `?deletionRequested=true&search=${someone.email}`)
    expect(body.users).toMatchObject([{ id: someone.id, erasedAt: expect.any(String) }])
    const restored = await callUsers<User>('POST', `/${someone.id}/restore`)
    expect(restored).toMatchObject({ status: 200, body: { deletionRequestedAt: null } })
    expect((await callUsers('POST', `/${someone.id}/restore`)).status).toBe(409)
    expect(await logIn(someone.email, someone.password)).toBe(200)
  })

  test('of the last owner of a tenant is refused', async () => {
    const { tenant, owner } = await newOwnedTenant()
    expect(await callUsers('DELETE', `/${owner.userId}`)).toMatchObject({
      status: 400,
      body: { error: 'TENANT_OWNER', details: { tenants: [{ id: tenant.id }] } },
    })
  })
})

test.each([
  ...[['GET', ''] as const, ['PATCH', '', { disabled: true }] as const, ['DELETE', ''] as const],
  ...[['POST', '/restore'] as const, ['POST', '/password-reset'] as const],
  ...[['DELETE', '/sessions'] as const, ['DELETE', '/mfa'] as const],
])('%s %s of an unknown user is 404', async (method, path, body?: object) => {
  for (const id of [UNKNOWN_ID, 'nobody', '%00', "'"]) {
    const response = await callUsers(method, `/${id}${path}`, body)
    expect(response.body, id).toEqual(errorBody(404, 'USER_NOT_FOUND'))
  }
})
