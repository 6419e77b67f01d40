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
  type TestUser,
} from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { PASSWORD, startDemoService, userinfo } from '../support/world.ts'
import { insertMembership, insertTenant } from '../tenants/tenant-rows.ts'
import { callAsOps, newWord, USERS } from './calls.ts'

let service: TestService
let admin: TestUser
beforeAll(async () => {
  service = await startDemoService()
  admin = await createSignedInUser(service, { is_super_admin: true })
})
afterAll(async () => {
  await service?.close()
})

const callAsAdmin = (method: string, path: string, body?: unknown) => admin.call(method, USERS + path, body)
const entryOf = async (id: string, action: string) =>
  (await entriesOf(service, id)).filter((entry) => entry.action === action)
const byAdmin = () => ({ actor_kind: 'user', actor_id: admin.id })
const latestMail = async (email: string) => (await listMailTo(service, email))[0]
const reset = (token: string | undefined, newPassword: string) =>
  call(`${service.url}/api/auth/password/reset`, { method: 'POST', body: { token, newPassword } })

describe('a forced password reset', () => {
  test('invalidates the password and every session, and mails a link to choose another', async () => {
    const { id, email, tokens } = await createSignedInUser(service)
    const half = await logIn(service.url, email, PASSWORD)
    expect(half.status).toBe(200)
    expect((await callAsAdmin('POST', `/${id}/password-reset`)).status).toBe(200)
    expect(await userinfo(service.url, tokens.access_token)).toBe(401)
    const wrong = await (await logIn(service.url, email, 'something quite wrong')).json()
    const old = await (await logIn(service.url, email, PASSWORD)).json()
    expect({ ...(old as object), requestId: '' }).toEqual({ ...(wrong as object), requestId: '' })
    const mail = await latestMail(email)
    expect(mail?.subject).toBe('You need a new password')
    expect((await reset(findLinkToken(mail), 'a new one, of my own')).status).toBe(200)
    expect((await logIn(service.url, email, 'a new one, of my own')).status).toBe(200)
    expect((await logIn(service.url, email, PASSWORD)).status).toBe(401)
    const [entry] = await entryOf(id, 'user.password_reset_forced')
    expect(entry).toMatchObject({ ...byAdmin(), details: { linkSent: true } })
  })

  test('revokes links mailed before, so that none of them restores the old password', async () => {
    const email = `${newWord()}@people.test`
    const body = { email, password: 'known to somebody else' }
    await call(`${service.url}/api/auth/register`, { method: 'POST', body })
    const verify = findLinkToken(await latestMail(email))
    const { users } = (await callAsAdmin('GET', `?search=${email}`)).body as { users: { id: string }[] }
    const id = users[0]?.id ?? ''
    expect((await callAsAdmin('POST', `/${id}/password-reset`)).status).toBe(200)
    for (const password of [body.password, undefined]) {
      const answer = await call(`${service.url}/api/auth/email/verify`, {
        method: 'POST',
        body: { token: verify, password },
      })
      expect(answer.status).toBe(400)
    }
    expect((await logIn(service.url, email, body.password)).status).toBe(401)
    // Still an account, not a placeholder account.
    expect((await callAsAdmin('GET', `/${id}`)).body).toMatchObject({ emailVerified: false })
    expect((await reset(findLinkToken(await latestMail(email)), 'a new one, of my own')).status).toBe(200)
    expect((await callAsAdmin('GET', `/${id}`)).body).toMatchObject({
      emailVerified: true,
      hasPassword: true,
    })
  })

  test('of a disabled account mails no link', async () => {
    const { id, email } = await insertUser(service, { disabled: true })
    expect((await callAsAdmin('POST', `/${id}/password-reset`)).status).toBe(200)
    expect(await listMailTo(service, email)).toEqual([])
    expect((await callAsAdmin('GET', `/${id}`)).body).toMatchObject({ hasPassword: false, disabled: true })
  })

  test('of an account without password sign-in mails no link, and the response says so', async () => {
    const { id, email } = await insertUser(service, { password_sign_in: false })
    const { status, body } = await callAsAdmin('POST', `/${id}/password-reset`)
    expect(status).toBe(200)
    expect(body.message).toContain('no link')
    expect(await listMailTo(service, email)).toEqual([])
    const [entry] = await entryOf(id, 'user.password_reset_forced')
    expect(entry).toMatchObject({ details: { linkSent: false } })
    expect((await callAsAdmin('GET', `/${id}`)).body).toMatchObject({
      hasPassword: false,
      passwordSignIn: false,
    })
  })
})

test('ending the sessions of an account ends all of them with their tokens, and notifies the owner', async () => {
  const person = await createSignedInUser(service)
  const elsewhere = await person.signInAgain()
  const ended = await callAsAdmin('DELETE', `/${person.id}/sessions`)
  expect(ended).toMatchObject({ status: 200, body: { success: true, count: 2 } })
  for (const { access_token } of [person.tokens, elsewhere.tokens]) {
    expect(await userinfo(service.url, access_token)).toBe(401)
  }
  expect(await entryOf(person.id, 'session.all_ended')).toMatchObject([{ ...byAdmin(), details: { count: 2 } }])
  expect((await latestMail(person.email))?.subject).toBe('You were signed out everywhere')
  // Without sessions there is no notice.
  expect((await callAsAdmin('DELETE', `/${person.id}/sessions`)).body).toMatchObject({ count: 0 })
  expect(await entryOf(person.id, 'session.all_ended')).toHaveLength(1)
  expect((await logIn(service.url, person.email, PASSWORD)).status).toBe(200)
})

describe('the second factors of an account', () => {
  test('are all removed, every session ends, and the owner is notified', async () => {
    const person = await createSignedInUser(service)
    const begun = await person.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
    const secret = String(begun.body.secret)
    const code = totpCode(secret, service.ctx.now())
    expect((await person.call('POST', '/api/users/me/mfa/totp/verify', { code })).status).toBe(200)
    await createPasskey(service, person)
    expect((await callAsAdmin('GET', `/${person.id}`)).body).toMatchObject({ mfaEnabled: true })
    expect(await (await logIn(service.url, person.email, PASSWORD)).json()).toMatchObject({
      mfaRequired: true,
    })
    expect((await callAsAdmin('DELETE', `/${person.id}/mfa`)).status).toBe(200)
    expect((await callAsAdmin('GET', `/${person.id}`)).body).toMatchObject({
      mfaEnabled: false,
      sessionCount: 0,
    })
    expect(await userinfo(service.url, person.tokens.access_token)).toBe(401)
    expect(await (await logIn(service.url, person.email, PASSWORD)).json()).toHaveProperty('session')
    const [entry] = await entryOf(person.id, 'user.mfa_reset')
    expect(entry).toMatchObject({ ...byAdmin(), details: { totp: true, passkeys: 1, recoveryCodes: 10 } })
    const subjects = (await listMailTo(service, person.email)).map(({ subject }) => subject)
    expect(subjects).toContain('Your second factors were removed')
    for (const table of ['totp_secrets', 'passkeys', 'recovery_codes'] as const) {
      const left = await service.ctx.db.selectFrom(table).selectAll().where('user_id', '=', person.id).execute()
      expect(left).toEqual([])
    }
  })

  test('that has none: the reset is refused, and no session ends', async () => {
    const person = await createSignedInUser(service)
    expect(await callAsAdmin('DELETE', `/${person.id}/mfa`)).toMatchObject(errorReply(404, 'MFA_NOT_ENROLLED'))
    expect(await userinfo(service.url, person.tokens.access_token)).toBe(200)
  })
})

describe('deleting an account', () => {
  test('closes it immediately; for 30 days its owner or an administrator can restore it', async () => {
    const person = await createSignedInUser(service)
    const company = await insertTenant(service)
    await insertMembership(service, company, await insertUser(service), { role: 'owner' })
    await insertMembership(service, company, person, { role: 'admin' })
    expect(await callAsAdmin('DELETE', `/${person.id}`)).toMatchObject({
      status: 200,
      body: { success: true, message: 'Account scheduled for deletion' },
    })
    expect(await userinfo(service.url, person.tokens.access_token)).toBe(401)
    const shown = (await callAsAdmin('GET', `/${person.id}`)).body
    const { deletionRequestedAt, erasedAt } = shown
    expect(Date.parse(String(erasedAt)) - Date.parse(String(deletionRequestedAt))).toBe(30 * 86_400_000)
    expect(shown).toMatchObject({ memberships: [], sessionCount: 0 })
    expect((await latestMail(person.email))?.text).toContain('An administrator has asked')
    const signIn = await (await logIn(service.url, person.email, PASSWORD)).json()
    expect(signIn).toMatchObject({ error: 'ACCOUNT_SCHEDULED_FOR_DELETION' })
    // A second deletion changes nothing.
    expect((await callAsAdmin('DELETE', `/${person.id}`)).status).toBe(200)
    expect((await callAsAdmin('GET', `/${person.id}`)).body).toMatchObject({ deletionRequestedAt })
    const restored = await callAsAdmin('POST', `/${person.id}/restore`)
    expect(restored.body).toMatchObject({
      deletionRequestedAt: null,
      erasedAt: null,
      memberships: [{ tenantId: company.id, role: 'admin', status: 'ACTIVE' }],
    })
    expect((await logIn(service.url, person.email, PASSWORD)).status).toBe(200)
    expect(await entryOf(person.id, 'user.deletion_requested')).toMatchObject([byAdmin()])
    expect(await entryOf(person.id, 'user.restored')).toMatchObject([byAdmin()])
    expect(await entryOf(person.id, 'member.left')).toMatchObject([byAdmin()])
    expect(await entryOf(person.id, 'member.returned')).toMatchObject([byAdmin()])
    expect((await latestMail(person.email))?.subject).toBe('Your account was restored')
  })

  test('of the last owner of a tenant is refused, and the error lists the tenants', async () => {
    const owner = await insertUser(service)
    const company = await insertTenant(service)
    await insertMembership(service, company, owner, { role: 'owner' })
    const { id, name, slug } = company
    expect(await callAsAdmin('DELETE', `/${owner.id}`)).toMatchObject({
      status: 400,
      body: { error: 'TENANT_OWNER', details: { tenants: [{ id, name, slug }] } },
    })
    expect((await callAsAdmin('GET', `/${owner.id}`)).body).toMatchObject({ deletionRequestedAt: null })
  })

  test('an account that is not scheduled for deletion cannot be restored; of concurrent restores one succeeds', async () => {
    const { id } = await insertUser(service)
    expect(await callAsAdmin('POST', `/${id}/restore`)).toMatchObject(errorReply(409, 'NOT_SCHEDULED_FOR_DELETION'))
    await callAsAdmin('DELETE', `/${id}`)
    const answers = await Promise.all([1, 2, 3].map(() => callAsOps(service, 'POST', `/${id}/restore`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect(await entryOf(id, 'user.restored')).toHaveLength(1)
  })
})
