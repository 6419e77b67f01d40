import { describe, expect, test } from 'vitest'
import { client, logIn } from '../support/account.ts'
import { call, refusal } from '../support/calls.ts'
import { mailTo, tokenIn } from '../support/mail.ts'
import { bearer, getTokens, refresh, userinfo } from '../support/oauth.ts'
import { newConfirmedPerson, person } from '../support/person.ts'
import { unique } from '../support/service.ts'
import { newOwnedTenant } from '../support/tenants.ts'
import { findUser, newAddress, newUser, type User, type UserPage, users } from '../support/users.ts'

const NOBODY = '0197a000-0000-7000-8000-000000000000'

describe('the list of users', () => {
  test('shows each with what an administrator needs, and nothing secret', async () => {
    const { email } = await newUser({ givenName: 'Ada', familyName: 'Byron' })
    const { status, body } = await users<UserPage>('GET', `?search=${email}`)
    expect(status).toBe(200)
    expect(body.users).toEqual([
      {
        ...{ id: expect.any(String), email, emailVerified: true, displayName: 'Ada Byron' },
        ...{ givenName: 'Ada', familyName: 'Byron', superAdmin: false, disabled: false },
        ...{ passwordSignIn: true, hasPassword: true, mfaEnabled: false },
        ...{ deletionRequestedAt: null, erasedAt: null, lastSignInAt: null },
        ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
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

  test('finds by address, name, several words and domain, whatever the case', async () => {
    const [given, domain] = [unique('Given'), unique('domain')]
    const { id, email } = await newUser({ email: `${unique('user')}@${domain}.test`, givenName: given })
    for (const search of [email.slice(0, 15), given.toUpperCase(), `@${domain}`, `${given} ${email}`]) {
      const { body } = await users<UserPage>('GET', `?search=${encodeURIComponent(search)}`)
      expect(body.users.map((user) => user.id)).toContain(id)
    }
    for (const search of [given.slice(1), `${given} nobody`, '%', '_']) {
      const { body } = await users<UserPage>('GET', `?search=${encodeURIComponent(search)}`)
      expect(body.users.map((user) => user.id)).not.toContain(id)
    }
  })

  test('is paged by number and by cursor, in either order', async () => {
    const word = unique('many')
    const emails = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${word}-${letter}@blackbox.test`)
    for (const email of emails) await newUser({ email, sendPasswordLink: false })
    for (const [sort, expected] of [
      ...[['email', emails] as const, ['createdAt', emails] as const],
      ...[['-email', [...emails].reverse()] as const, ['-createdAt', [...emails].reverse()] as const],
    ]) {
      const ask = async (more: string) =>
        (await users<UserPage>('GET', `?search=${word}&sort=${sort}&limit=2${more}`)).body
      const first = await ask('')
      const second = await ask(`&after=${first.pagination.next}`)
      const third = await ask('&page=3')
      const seen = [first, second, third].flatMap((page) => page.users.map(({ email }) => email))
      expect(seen).toEqual(expected)
      expect(third.pagination).toMatchObject({ total: 5, pages: 3, next: null })
    }
  })

  test.each([
    '?limit=0',
    '?page=x',
    '?sort=id',
    '?after=x',
    '?disabled=perhaps',
    `?search=${'x'.repeat(300)}`,
  ])('refuses %s', async (query) => {
    expect(await users('GET', query)).toMatchObject({ status: 422, body: { error: 'VALIDATION_FAILED' } })
  })

  test('leaves out who was invited and has not come', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const email = newAddress()
    const body = { email }
    const path = `/api/tenants/${tenant.id}/invitations`
    expect((await call('POST', path, { headers: owner.headers, body })).status).toBe(201)
    expect((await users<UserPage>('GET', `?search=${email}`)).body.users).toEqual([])
    const { body: ofTenant } = await users<UserPage>('GET', `?tenantId=${tenant.id}`)
    expect(ofTenant.users.map(({ id }) => id)).toEqual([owner.userId])
  })
})

describe('a new user', () => {
  test('is mailed a link to choose a password, and signs in with it', async () => {
    const email = newAddress()
    const made = await users('POST', '', { email })
    expect(made).toMatchObject({ status: 201, body: { email, emailVerified: true, hasPassword: false } })
    const body = { token: tokenIn((await mailTo(email))[0]), newPassword: 'a password of my own' }
    expect((await call('POST', '/api/auth/password/reset', { body })).status).toBe(200)
    expect(await logIn(email, 'a password of my own')).toBe(200)
  })

  test('cannot have the address of another, a weak password, or half of what is needed', async () => {
    const { email } = await newUser()
    expect((await users('POST', '', { email })).body).toEqual(refusal(409, 'EMAIL_TAKEN'))
    const weak = await users('POST', '', { email: newAddress(), password: 'password' })
    expect(weak.body).toEqual(refusal(422, 'WEAK_PASSWORD'))
    const bare = await users('POST', '', { email: newAddress(), emailVerified: false })
    expect(bare).toMatchObject({ status: 422, body: { details: [{ field: 'emailVerified' }] } })
  })
})

describe('somebody who is disabled', () => {
  test('is refused everywhere at once, and can sign in again once enabled', async () => {
    const someone = await newUser()
    const browser = await person(someone.email, someone.password).signIn()
    const tokens = await getTokens(browser, client)
    expect((await users('PATCH', `/${someone.id}`, { disabled: true })).body).toMatchObject({
      disabled: true,
    })
    expect((await userinfo(tokens.access_token)).status).toBe(401)
    expect((await refresh(client, tokens.refresh_token)).body).toMatchObject({ error: 'invalid_grant' })
    expect((await call('GET', '/api/users/me', { headers: bearer(tokens.access_token) })).status).toBe(401)
    expect(await logIn(someone.email, someone.password)).toBe(401)
    expect((await users('PATCH', `/${someone.id}`, { disabled: false })).status).toBe(200)
    expect(await logIn(someone.email, someone.password)).toBe(200)
    expect((await userinfo(tokens.access_token)).status).toBe(401)
  })
})

test('a forced reset ends the password and the sessions; the old password is a wrong one', async () => {
  const someone = await newUser()
  const tokens = await getTokens(await person(someone.email, someone.password).signIn(), client)
  expect((await users('POST', `/${someone.id}/password-reset`)).status).toBe(200)
  expect((await userinfo(tokens.access_token)).status).toBe(401)
  expect(await logIn(someone.email, someone.password)).toBe(401)
  const body = { token: tokenIn((await mailTo(someone.email))[0]), newPassword: 'a password of my own' }
  expect((await call('POST', '/api/auth/password/reset', { body })).status).toBe(200)
  expect(await logIn(someone.email, 'a password of my own')).toBe(200)
})

test('ended sessions are counted, and end their tokens', async () => {
  const someone = await newConfirmedPerson()
  const tokens = await getTokens(await someone.signIn(), client)
  const { id } = await findUser(someone.email)
  expect((await users('GET', `/${id}`)).body).toMatchObject({ sessionCount: 1, memberships: [] })
  expect(await users('DELETE', `/${id}/sessions`)).toMatchObject({ status: 200, body: { count: 1 } })
  expect((await userinfo(tokens.access_token)).status).toBe(401)
  expect((await users('GET', `/${id}`)).body).toMatchObject({ sessionCount: 0 })
})

describe('a deletion', () => {
  test('is scheduled, seen, and taken back once', async () => {
    const someone = await newUser()
    expect((await users('POST', `/${someone.id}/restore`)).body).toEqual(
      refusal(409, 'NOT_SCHEDULED_FOR_DELETION'),
    )
    expect((await users('DELETE', `/${someone.id}`)).status).toBe(200)
    expect(await logIn(someone.email, someone.password)).toBe(403)
    const { body } = await users<UserPage>('GET', `?deletionRequested=true&search=${someone.email}`)
    expect(body.users).toMatchObject([{ id: someone.id, erasedAt: expect.any(String) }])
    const restored = await users<User>('POST', `/${someone.id}/restore`)
    expect(restored).toMatchObject({ status: 200, body: { deletionRequestedAt: null } })
    expect((await users('POST', `/${someone.id}/restore`)).status).toBe(409)
    expect(await logIn(someone.email, someone.password)).toBe(200)
  })

  test('of the last owner of a tenant is refused', async () => {
    const { tenant, owner } = await newOwnedTenant()
    expect(await users('DELETE', `/${owner.userId}`)).toMatchObject({
      status: 400,
      body: { error: 'TENANT_OWNER', details: { tenants: [{ id: tenant.id }] } },
    })
  })
})

test.each([
  ...[['GET', ''] as const, ['PATCH', '', { disabled: true }] as const, ['DELETE', ''] as const],
  ...[['POST', '/restore'] as const, ['POST', '/password-reset'] as const],
  ...[['DELETE', '/sessions'] as const, ['DELETE', '/mfa'] as const],
])('%s %s of nobody is 404', async (method, path, body?: object) => {
  for (const id of [NOBODY, 'nobody', '%00', "'"]) {
    const answer = await users(method, `/${id}${path}`, body)
    expect(answer.body, id).toEqual(refusal(404, 'USER_NOT_FOUND'))
  }
})
