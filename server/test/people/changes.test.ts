import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPasskey } from '../account/passkey-calls.ts'
import {
  call,
  createSignedInUser,
  entriesOf,
  errorReply,
  findLinkToken,
  insertUser,
  listMailTo,
  logIn,
} from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, refresh, startDemoService, userinfo } from '../support/world.ts'
import { insertMembership, insertTenant } from '../tenants/tenant-rows.ts'
import { callAsOps, newWord, USERS } from './calls.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(async () => {
  await service?.close()
})

const change = (id: string, body: object) => callAsOps(service, 'PATCH', `/${id}`, body)
const signIn = async (email: string) => (await logIn(service.url, email, PASSWORD)).status
const subjects = async (email: string) => (await listMailTo(service, email)).map(({ subject }) => subject)

test('an account is returned with its tenants and its session count', async () => {
  const person = await createSignedInUser(service)
  await person.signInAgain()
  const company = await insertTenant(service)
  await insertMembership(service, company, person, { role: 'admin' })
  const { status, body } = await callAsOps(service, 'GET', `/${person.id.toUpperCase()}`)
  expect(status).toBe(200)
  expect(body).toMatchObject({ id: person.id, sessionCount: 2 })
  expect(body.memberships).toEqual([
    {
      tenantId: company.id,
      tenantName: company.name,
      tenantSlug: company.slug,
      role: 'admin',
      status: 'ACTIVE',
    },
  ])
})

test.each(['00000000-0000-7000-8000-000000000000', 'nobody', '%27', '1'])(
  'every route answers USER_NOT_FOUND for the id %s',
  async (id) => {
    const routes = [
      ...[['GET', ''] as const, ['PATCH', '', { disabled: true }] as const, ['DELETE', ''] as const],
      ...[['POST', '/restore'] as const, ['POST', '/password-reset'] as const],
      ...[['DELETE', '/sessions'] as const, ['DELETE', '/mfa'] as const],
    ]
    for (const [method, path, body] of routes) {
      const answer = await callAsOps(service, method, `/${id}${path}`, body)
      expect(answer, `${method} ${path}`).toMatchObject(errorReply(404, 'USER_NOT_FOUND'))
    }
  },
)

describe('a change', () => {
  test('is stored, returned, and audited with the values before', async () => {
    const ada = await createSignedInUser(service, { given_name: 'Ada' })
    await createPasskey(service, ada)
    const { id } = ada
    const { body } = await change(id, { givenName: ' Augusta ', displayName: '', passwordSignIn: false })
    expect(body).toMatchObject({ givenName: 'Augusta', displayName: 'Augusta', passwordSignIn: false })
    const entries = await entriesOf(service, id)
    expect(entries.filter(({ action }) => action === 'user.changed')).toMatchObject([
      {
        action: 'user.changed',
        actor_kind: 'client',
        actor_id: 'demo-ops',
        details: {
          fields: ['passwordSignIn', 'givenName'],
          before: { passwordSignIn: true },
          after: { passwordSignIn: false },
        },
        personal: { before: { givenName: 'Ada' }, after: { givenName: 'Augusta' } },
      },
    ])
  })

  test('to the current values is not audited', async () => {
    const { id, email } = await insertUser(service)
    expect((await change(id, { disabled: false, superAdmin: false, familyName: '' })).status).toBe(200)
    expect(await entriesOf(service, id)).toEqual([])
    expect(await listMailTo(service, email)).toEqual([])
  })

  test.each([
    [{}, 'body'],
    [{ unknown: 1 }, 'body'],
    [{ givenName: 'a\u202eb' }, 'givenName'],
    [{ disabled: null }, 'disabled'],
    [{ disabled: 'true' }, 'disabled'],
  ])('to %j is refused', async (body, field) => {
    const { id } = await insertUser(service)
    expect(await change(id, body)).toMatchObject({ status: 422, body: { details: [{ field }] } })
  })

  test('ignores unknown fields', async () => {
    const { id, email } = await insertUser(service)
    const sneaked = { givenName: 'Ada', email: 'other@people.test', password_hash: 'x', passwordHash: 'x' }
    expect((await change(id, sneaked)).body).toMatchObject({ email, givenName: 'Ada' })
    expect(await signIn(email)).toBe(200)
  })

  test('to Super Admin is notified by mail, applies immediately, and is revoked immediately', async () => {
    const person = await createSignedInUser(service)
    expect((await person.call('GET', USERS)).status).toBe(403)
    expect((await change(person.id, { superAdmin: true })).status).toBe(200)
    expect((await person.call('GET', USERS)).status).toBe(200)
    expect(await subjects(person.email)).toContain('You are now a Super Admin')
    expect((await change(person.id, { superAdmin: false })).status).toBe(200)
    expect((await person.call('GET', USERS)).status).toBe(403)
  })

  test('to Super Admin requires a verified address, which then must stay verified', async () => {
    const refused = { status: 422, body: { details: [{ field: 'superAdmin' }] } }
    const email = `ceo-${newWord()}@people.test`
    const body = { email, password: 'a stranger who signs up' }
    await call(`${service.url}/api/auth/register`, { method: 'POST', body })
    const { users } = (await callAsOps(service, 'GET', `?search=${email}`)).body
    const [{ id } = { id: '' }] = users as { id: string }[]
    expect(await change(id, { superAdmin: true })).toMatchObject(refused)
    expect(await change(id, { superAdmin: true, emailVerified: false })).toMatchObject(refused)
    expect((await callAsOps(service, 'GET', `/${id}`)).body).toMatchObject({ superAdmin: false })
    expect(await subjects(email)).not.toContain('You are now a Super Admin')

    const boss = await insertUser(service, { is_super_admin: true })
    expect(await change(boss.id, { emailVerified: false })).toMatchObject(refused)
    const demoted = await change(boss.id, { emailVerified: false, superAdmin: false })
    expect(demoted.body).toMatchObject({ emailVerified: false, superAdmin: false })
    const vouched = await change(boss.id, { emailVerified: true, superAdmin: true })
    expect(vouched.body).toMatchObject({ emailVerified: true, superAdmin: true })
  })

  test('of other fields of a Super Admin with an unverified address is allowed', async () => {
    const { id } = await insertUser(service, { is_super_admin: true, email_verified: false })
    expect((await change(id, { givenName: 'Ada', disabled: true })).status).toBe(200)
    expect((await change(id, { superAdmin: false })).status).toBe(200)
  })

  test('cannot remove the last login method', async () => {
    const link = async (id: string, provider: string) => {
      const at = service.ctx.now()
      const shown = { email: null, display_name: null, avatar_url: null, linked_at: at, last_used_at: at }
      const identity = { provider, issuer: 'https://idp.test', subject: id }
      await service.ctx.db
        .insertInto('sso_links')
        .values({ user_id: id, ...identity, ...shown })
        .execute()
    }
    const [bare, stranded, keyed] = [
      await insertUser(service),
      await insertUser(service),
      await createSignedInUser(service),
    ]
    await link(stranded.id, 'GONE')
    await createPasskey(service, keyed)
    for (const { id, email } of [bare, stranded]) {
      expect(await change(id, { passwordSignIn: false })).toMatchObject(errorReply(400, 'LAST_LOGIN_METHOD'))
      expect(await signIn(email)).toBe(200)
    }
    expect((await change(keyed.id, { passwordSignIn: false })).body).toMatchObject({ passwordSignIn: false })
    // Repeating the value is not a change, even without the passkey.
    await service.ctx.db.deleteFrom('passkeys').where('user_id', '=', keyed.id).execute()
    expect((await change(keyed.id, { passwordSignIn: false })).status).toBe(200)
  })

  test('from a verified to an unverified address keeps the account, and is refused without a password', async () => {
    const [withPassword, without] = [await insertUser(service), await insertUser(service, { password_hash: null })]
    const shown = await change(withPassword.id, { emailVerified: false })
    expect(shown.body).toMatchObject({ emailVerified: false })
    const isContested = async () => {
      const users = service.ctx.db.selectFrom('users').select('contested').where('id', '=', withPassword.id)
      return (await users.executeTakeFirstOrThrow()).contested
    }
    expect(await isContested()).toBe(true)
    await change(withPassword.id, { givenName: 'Ada' })
    expect(await isContested()).toBe(true)
    expect(await change(without.id, { emailVerified: false })).toMatchObject({
      status: 422,
      body: { details: [{ field: 'emailVerified' }] },
    })
  })

  test('from an unverified to a verified address revokes the mailed links of other claimants', async () => {
    const email = `${newWord()}@people.test`
    const register = (password: string) =>
      call(`${service.url}/api/auth/register`, { method: 'POST', body: { email, password } })
    await register('the first who claims it')
    await register('the second who claims it')
    const tokens = (await listMailTo(service, email)).map(findLinkToken)
    const { body } = await callAsOps(service, 'GET', `?search=${email}`)
    const [{ id } = { id: '' }] = body.users as { id: string }[]
    expect((await change(id, { emailVerified: true })).body).toMatchObject({ emailVerified: true })
    for (const token of tokens) {
      for (const password of ['the first who claims it', 'the second who claims it']) {
        const body = { token, password }
        const followed = await call(`${service.url}/api/auth/email/verify`, { method: 'POST', body })
        expect(followed.status).toBe(400)
      }
    }
    expect((await logIn(service.url, email, 'the first who claims it')).status).toBe(200)
    expect((await logIn(service.url, email, 'the second who claims it')).status).toBe(401)
  })
})

describe('disabling', () => {
  test('ends all use of the account immediately; enabling allows sign-in but restores no session', async () => {
    const { id, email, cookie, tokens } = await createSignedInUser(service)
    expect((await change(id, { disabled: true })).body).toMatchObject({ disabled: true, sessionCount: 0 })
    expect(await userinfo(service.url, tokens.access_token)).toBe(401)
    expect((await refresh(service.url, tokens.refresh_token)).body.error).toBe('invalid_grant')
    const me = await call(`${service.url}/api/users/me`, { method: 'GET', headers: { cookie } })
    expect(me.status).toBe(401)
    expect(await (await logIn(service.url, email, PASSWORD)).json()).toMatchObject({
      error: 'INVALID_CREDENTIALS',
    })
    expect((await change(id, { disabled: false })).status).toBe(200)
    expect(await userinfo(service.url, tokens.access_token)).toBe(401)
    expect(await signIn(email)).toBe(200)
    expect((await entriesOf(service, id)).map(({ action }) => action)).toEqual(
      expect.arrayContaining(['user.disabled', 'user.enabled']),
    )
    expect(await subjects(email)).toEqual(
      expect.arrayContaining(['Your account was disabled', 'Your account was enabled again']),
    )
  })

  test('is allowed for the only owner of a tenant, who is its owner again after enabling', async () => {
    const owner = await insertUser(service)
    const company = await insertTenant(service)
    await insertMembership(service, company, owner, { role: 'owner' })
    expect((await change(owner.id, { disabled: true })).status).toBe(200)
    const { body } = await change(owner.id, { disabled: false })
    expect(body.memberships).toMatchObject([{ role: 'owner', status: 'ACTIVE' }])
  })

  test('of the own account is refused', async () => {
    const boss = await createSignedInUser(service, { is_super_admin: true })
    for (const id of [boss.id, boss.id.toUpperCase()]) {
      expect(await boss.call('PATCH', `${USERS}/${id}`, { disabled: true })).toMatchObject(
        errorReply(409, 'OWN_ACCOUNT'),
      )
    }
    expect(await boss.call('DELETE', `${USERS}/${boss.id}`)).toMatchObject(errorReply(409, 'OWN_ACCOUNT'))
    expect((await boss.call('PATCH', `${USERS}/${boss.id}`, { superAdmin: false })).status).toBe(200)
    expect((await boss.call('GET', USERS)).status).toBe(403)
  })
})
