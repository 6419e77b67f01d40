import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestService } from '../../support/service.ts'
import { totpCode } from '../../support/totp.ts'
import { PASSWORD, startWorld, userinfo } from '../../support/world.ts'
import { employ, newCompany } from '../../tenants/company.ts'
import { newPasskey } from '../passkey-calls.ts'
import {
  addPerson,
  call,
  entriesOf,
  failure,
  logIn,
  mailTo,
  newSomebody,
  type Somebody,
  tokenIn,
} from '../people.ts'
import { callAsOps, newWord, USERS } from './calls.ts'

let service: TestService
let boss: Somebody
beforeAll(async () => {
  service = await startWorld()
  boss = await newSomebody(service, { is_super_admin: true })
})
afterAll(async () => {
  await service?.close()
})

const as = (method: string, path: string, body?: unknown) => boss.call(method, USERS + path, body)
const entryOf = async (id: string, action: string) =>
  (await entriesOf(service, id)).filter((entry) => entry.action === action)
const byBoss = () => ({ actor_kind: 'user', actor_id: boss.id })
const latest = async (email: string) => (await mailTo(service, email))[0]
const reset = (token: string | undefined, newPassword: string) =>
  call(`${service.url}/api/auth/password/reset`, { method: 'POST', body: { token, newPassword } })

describe('a forced reset', () => {
  test('ends the password and every session, and mails a link to another', async () => {
    const { id, email, tokens } = await newSomebody(service)
    const half = await logIn(service.url, email, PASSWORD)
    expect(half.status).toBe(200)
    expect((await as('POST', `/${id}/password-reset`)).status).toBe(200)
    expect(await userinfo(service.url, tokens.access_token)).toBe(401)
    const wrong = await (await logIn(service.url, email, 'something quite wrong')).json()
    const old = await (await logIn(service.url, email, PASSWORD)).json()
    expect({ ...(old as object), requestId: '' }).toEqual({ ...(wrong as object), requestId: '' })
    const mail = await latest(email)
    expect(mail?.subject).toBe('You need a new password')
    expect((await reset(tokenIn(mail), 'a new one, of my own')).status).toBe(200)
    expect((await logIn(service.url, email, 'a new one, of my own')).status).toBe(200)
    expect((await logIn(service.url, email, PASSWORD)).status).toBe(401)
    const [entry] = await entryOf(id, 'user.password_reset_forced')
    expect(entry).toMatchObject({ ...byBoss(), details: { linkSent: true } })
  })

  test('ends links mailed before, so that none of them brings the old password back', async () => {
    const email = `${newWord()}@people.test`
    const body = { email, password: 'known to somebody else' }
    await call(`${service.url}/api/auth/register`, { method: 'POST', body })
    const verify = tokenIn(await latest(email))
    const { users } = (await as('GET', `?search=${email}`)).body as { users: { id: string }[] }
    const id = users[0]?.id ?? ''
    expect((await as('POST', `/${id}/password-reset`)).status).toBe(200)
    for (const password of [body.password, undefined]) {
      const answer = await call(`${service.url}/api/auth/email/verify`, {
        method: 'POST',
        body: { token: verify, password },
      })
      expect(answer.status).toBe(400)
    }
    expect((await logIn(service.url, email, body.password)).status).toBe(401)
    // Still an account, and not somebody who was only invited.
    expect((await as('GET', `/${id}`)).body).toMatchObject({ emailVerified: false })
    expect((await reset(tokenIn(await latest(email)), 'a new one, of my own')).status).toBe(200)
    expect((await as('GET', `/${id}`)).body).toMatchObject({ emailVerified: true, hasPassword: true })
  })

  test('of a disabled account mails nothing that leads nowhere', async () => {
    const { id, email } = await addPerson(service, { disabled: true })
    expect((await as('POST', `/${id}/password-reset`)).status).toBe(200)
    expect(await mailTo(service, email)).toEqual([])
    expect((await as('GET', `/${id}`)).body).toMatchObject({ hasPassword: false, disabled: true })
  })

  test('of an account that no password opens mails no link to choose one, and says so', async () => {
    const { id, email } = await addPerson(service, { password_sign_in: false })
    const { status, body } = await as('POST', `/${id}/password-reset`)
    expect(status).toBe(200)
    expect(body.message).toContain('no link')
    expect(await mailTo(service, email)).toEqual([])
    const [entry] = await entryOf(id, 'user.password_reset_forced')
    expect(entry).toMatchObject({ details: { linkSent: false } })
    expect((await as('GET', `/${id}`)).body).toMatchObject({ hasPassword: false, passwordSignIn: false })
  })
})

test('ending the sessions of somebody ends every one of them and its tokens, and tells them', async () => {
  const person = await newSomebody(service)
  const elsewhere = await person.signInElsewhere()
  const ended = await as('DELETE', `/${person.id}/sessions`)
  expect(ended).toMatchObject({ status: 200, body: { success: true, count: 2 } })
  for (const { access_token } of [person.tokens, elsewhere.tokens]) {
    expect(await userinfo(service.url, access_token)).toBe(401)
  }
  expect(await entryOf(person.id, 'session.all_ended')).toMatchObject([
    { ...byBoss(), details: { count: 2 } },
  ])
  expect((await latest(person.email))?.subject).toBe('You were signed out everywhere')
  // There is nothing left to end, and so nothing to tell.
  expect((await as('DELETE', `/${person.id}/sessions`)).body).toMatchObject({ count: 0 })
  expect(await entryOf(person.id, 'session.all_ended')).toHaveLength(1)
  expect((await logIn(service.url, person.email, PASSWORD)).status).toBe(200)
})

describe('the second factors of somebody', () => {
  test('are all removed, with every session, and the person is told', async () => {
    const person = await newSomebody(service)
    const begun = await person.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
    const secret = String(begun.body.secret)
    const code = totpCode(secret, service.ctx.now())
    expect((await person.call('POST', '/api/users/me/mfa/totp/verify', { code })).status).toBe(200)
    await newPasskey(service, person)
    expect((await as('GET', `/${person.id}`)).body).toMatchObject({ mfaEnabled: true })
    expect(await (await logIn(service.url, person.email, PASSWORD)).json()).toMatchObject({
      mfaRequired: true,
    })
    expect((await as('DELETE', `/${person.id}/mfa`)).status).toBe(200)
    expect((await as('GET', `/${person.id}`)).body).toMatchObject({ mfaEnabled: false, sessionCount: 0 })
    expect(await userinfo(service.url, person.tokens.access_token)).toBe(401)
    expect(await (await logIn(service.url, person.email, PASSWORD)).json()).toHaveProperty('session')
    const [entry] = await entryOf(person.id, 'user.mfa_reset')
    expect(entry).toMatchObject({ ...byBoss(), details: { totp: true, passkeys: 1, recoveryCodes: 10 } })
    const subjects = (await mailTo(service, person.email)).map(({ subject }) => subject)
    expect(subjects).toContain('Your second factors were removed')
    for (const table of ['totp_secrets', 'passkeys', 'recovery_codes'] as const) {
      const left = await service.ctx.db
        .selectFrom(table)
        .selectAll()
        .where('user_id', '=', person.id)
        .execute()
      expect(left).toEqual([])
    }
  })

  test('are not there for everybody, and then nothing ends', async () => {
    const person = await newSomebody(service)
    expect(await as('DELETE', `/${person.id}/mfa`)).toMatchObject(failure(404, 'MFA_NOT_ENROLLED'))
    expect(await userinfo(service.url, person.tokens.access_token)).toBe(200)
  })
})

describe('deleting somebody', () => {
  test('lets them go at once, for 30 days in which they, or an administrator, may change their mind', async () => {
    const person = await newSomebody(service)
    const company = await newCompany(service)
    await employ(service, company, await addPerson(service), { role: 'owner' })
    await employ(service, company, person, { role: 'admin' })
    expect(await as('DELETE', `/${person.id}`)).toMatchObject({
      status: 200,
      body: { success: true, message: 'Account scheduled for deletion' },
    })
    expect(await userinfo(service.url, person.tokens.access_token)).toBe(401)
    const shown = (await as('GET', `/${person.id}`)).body
    const { deletionRequestedAt, erasedAt } = shown
    expect(Date.parse(String(erasedAt)) - Date.parse(String(deletionRequestedAt))).toBe(30 * 86_400_000)
    expect(shown).toMatchObject({ memberships: [], sessionCount: 0 })
    expect((await latest(person.email))?.text).toContain('An administrator has asked')
    const signIn = await (await logIn(service.url, person.email, PASSWORD)).json()
    expect(signIn).toMatchObject({ error: 'ACCOUNT_SCHEDULED_FOR_DELETION' })
    // Once more changes nothing.
    expect((await as('DELETE', `/${person.id}`)).status).toBe(200)
    expect((await as('GET', `/${person.id}`)).body).toMatchObject({ deletionRequestedAt })
    const restored = await as('POST', `/${person.id}/restore`)
    expect(restored.body).toMatchObject({
      ...{ deletionRequestedAt: null, erasedAt: null },
      memberships: [{ tenantId: company.id, role: 'admin', status: 'ACTIVE' }],
    })
    expect((await logIn(service.url, person.email, PASSWORD)).status).toBe(200)
    expect(await entryOf(person.id, 'user.deletion_requested')).toMatchObject([byBoss()])
    expect(await entryOf(person.id, 'user.restored')).toMatchObject([byBoss()])
    expect(await entryOf(person.id, 'member.left')).toMatchObject([byBoss()])
    expect(await entryOf(person.id, 'member.returned')).toMatchObject([byBoss()])
    expect((await latest(person.email))?.subject).toBe('Your account was restored')
  })

  test('who is the last owner of a tenant is refused, with the tenants that need them', async () => {
    const owner = await addPerson(service)
    const company = await newCompany(service)
    await employ(service, company, owner, { role: 'owner' })
    const { id, name, slug } = company
    expect(await as('DELETE', `/${owner.id}`)).toMatchObject({
      status: 400,
      body: { error: 'TENANT_OWNER', details: { tenants: [{ id, name, slug }] } },
    })
    expect((await as('GET', `/${owner.id}`)).body).toMatchObject({ deletionRequestedAt: null })
  })

  test('nobody is restored who is not about to go; of several who restore somebody one does', async () => {
    const { id } = await addPerson(service)
    expect(await as('POST', `/${id}/restore`)).toMatchObject(failure(409, 'NOT_SCHEDULED_FOR_DELETION'))
    await as('DELETE', `/${id}`)
    const answers = await Promise.all([1, 2, 3].map(() => callAsOps(service, 'POST', `/${id}/restore`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    expect(await entryOf(id, 'user.restored')).toHaveLength(1)
  })
})
