import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLink } from '../../src/sessions/mailed-links.ts'
import {
  call,
  createSignedInUser,
  errorReply,
  findLinkToken,
  insertUser,
  listMailTo,
  logIn,
} from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { cookieOf, startDemoService } from '../support/world.ts'
import { type Host, NEW_USER } from './hosts.ts'
import {
  acceptInvitation,
  createHost,
  findInvitation,
  findUser,
  getInvitation,
  membershipsOf,
} from './invitation-api.ts'

let service: TestService
let host: Host
let other: Host
beforeAll(async () => {
  service = await startDemoService()
  host = await createHost(service)
  other = await createHost(service)
})
afterAll(() => service.close())

const revoke = ({ id }: { id: string }, by = host) => by.call('DELETE', `/invitations/${id}`)
const statusByTenant = async (email: string) => {
  const user = await findUser(service, email)
  const memberships = await membershipsOf(service, user?.id ?? '018f0000-0000-7000-8000-000000000000')
  return Object.fromEntries(memberships.map(({ tenant_id, status }) => [tenant_id, status]))
}

describe('a person invited without an account', () => {
  test('has a placeholder account without a password and with an unverified address', async () => {
    const { email, id } = await host.invite()
    const user = await findUser(service, email)
    expect(user).toMatchObject({
      password_hash: null,
      email_verified: false,
      is_super_admin: false,
      disabled: false,
      display_name: null,
      given_name: null,
      family_name: null,
    })
    expect(await findInvitation(service, id)).toMatchObject({ user_id: user?.id })
    expect(await statusByTenant(email)).toEqual({ [host.tenant.id]: 'INVITED' })
  })

  test('is deleted with the only invitation', async () => {
    const invited = await host.invite()
    await revoke(invited)
    expect(await findUser(service, invited.email)).toBeUndefined()
    expect(await findInvitation(service, invited.id)).toMatchObject({ status: 'REVOKED', user_id: null })
  })

  test('is deleted when the INVITED member is removed', async () => {
    const { email, id } = await host.invite()
    const user = await findUser(service, email)
    const [membership] = await membershipsOf(service, user?.id ?? '')
    await host.call('DELETE', `/members/${membership?.id}`)
    expect(await findUser(service, email)).toBeUndefined()
    expect(await findInvitation(service, id)).toMatchObject({ status: 'REVOKED' })
  })

  test('is deleted when the tenant is deleted', async () => {
    const house = await createHost(service)
    const { email, id, token } = await house.invite()
    await house.call('DELETE', '')
    expect(await findUser(service, email)).toBeUndefined()
    expect(await findInvitation(service, id)).toBeUndefined()
    expect((await getInvitation(service, token)).body).toMatchObject({ error: 'INVITATION_NOT_FOUND' })
  })

  test('is kept while another invitation is open', async () => {
    const first = await host.invite()
    const second = await other.invite({ email: first.email })
    const user = await findUser(service, first.email)
    await revoke(first)
    expect(await findUser(service, first.email)).toEqual(user)
    expect(await statusByTenant(first.email)).toEqual({ [other.tenant.id]: 'INVITED' })
    expect((await getInvitation(service, second.token)).status).toBe(200)
    await revoke(second, other)
    expect(await findUser(service, first.email)).toBeUndefined()
  })

  test('can join one of two tenants, and is still invited to the other', async () => {
    const first = await host.invite()
    const second = await other.invite({ email: first.email, role: 'admin' })
    const user = await findUser(service, first.email)
    expect((await acceptInvitation(service, first.token, { body: NEW_USER })).status).toBe(200)
    expect(await findUser(service, first.email)).toMatchObject({ id: user?.id, email_verified: true })
    expect(await statusByTenant(first.email)).toEqual({
      [host.tenant.id]: 'ACTIVE',
      [other.tenant.id]: 'INVITED',
    })
    expect(await findInvitation(service, second.id)).toMatchObject({ status: 'PENDING' })
    // A revoked invitation does not delete an account.
    await revoke(second, other)
    expect(await findUser(service, first.email)).toMatchObject({ id: user?.id })
    expect(await statusByTenant(first.email)).toEqual({ [host.tenant.id]: 'ACTIVE' })
  })
})

describe('a person with an account', () => {
  const unverified = async () => ({ ...(await insertUser(service, { email_verified: false })) })
  const withoutPassword = () => insertUser(service, { password_hash: null })

  test.each([
    ['with a confirmed address', () => insertUser(service)],
    ['with an address that is not confirmed', unverified],
    ['without a password', withoutPassword],
  ])('%s keeps it when an invitation is revoked', async (_, make) => {
    const { id, email } = await make()
    const before = await findUser(service, email)
    const invited = await host.invite({ email })
    expect(await findUser(service, email)).toEqual(before)
    await revoke(invited)
    expect(await findUser(service, email)).toEqual(before)
    expect(await membershipsOf(service, id)).toEqual([])
  })

  test('without a password must sign in otherwise to accept, and cannot set one by the link', async () => {
    const { email } = await withoutPassword()
    const { token } = await host.invite({ email })
    expect((await getInvitation(service, token)).body).toMatchObject({ hasAccount: true })
    expect(await acceptInvitation(service, token, { body: NEW_USER })).toMatchObject({ status: 401 })
    expect(await findUser(service, email)).toMatchObject({ password_hash: null })
  })

  test('that is disabled cannot accept, and neither can anybody else', async () => {
    const somebody = await createSignedInUser(service)
    const { token } = await host.invite({ email: somebody.email })
    await service.ctx.db.updateTable('users').set({ disabled: true }).where('id', '=', somebody.id).execute()
    await service.ctx.changes.waitUntilCurrent()
    for (const as of [undefined, somebody]) {
      const answer = await acceptInvitation(service, token, { body: NEW_USER, ...(as && { as }) })
      expect(answer).toMatchObject({ status: 401, body: { error: 'UNAUTHORIZED' } })
    }
    expect(await statusByTenant(somebody.email)).toEqual({ [host.tenant.id]: 'INVITED' })
  })

  test('that was registered after the invitation is kept, although the address is unverified', async () => {
    const invited = await host.invite()
    const password = 'a long enough secret'
    const body = { email: invited.email, password }
    expect((await call(`${service.url}/api/auth/register`, { method: 'POST', body })).status).toBe(201)
    await revoke(invited)
    expect(cookieOf(await logIn(service.url, invited.email, password))).not.toBe('')
    expect(await statusByTenant(invited.email)).toEqual({})
  })
})

test('a person who signs up with the invited address of another person does not join', async () => {
  const { email, token } = await host.invite()
  const body = { email, password: 'the secret of a squatter' }
  await call(`${service.url}/api/auth/register`, { method: 'POST', body })
  const headers = { cookie: cookieOf(await logIn(service.url, email, body.password)), origin: service.url }
  const path = `${service.url}/api/invitations/${token}/accept`
  const refused = await call(path, { method: 'POST', body: {}, headers })
  expect(refused).toMatchObject(errorReply(403, 'EMAIL_NOT_VERIFIED'))
  expect(await statusByTenant(email)).toEqual({ [host.tenant.id]: 'INVITED' })
  // The owner of the address signs up as well, and takes over the account by its mail.
  const owner = { email, password: 'the secret of the owner' }
  await call(`${service.url}/api/auth/register`, { method: 'POST', body: owner })
  const link = (await listMailTo(service, email)).find((mail) => findLinkToken(mail) !== undefined)
  const proof = { token: findLinkToken(link), password: owner.password }
  const verified = await call(`${service.url}/api/auth/email/verify`, { method: 'POST', body: proof })
  expect(verified.status).toBe(200)
  expect((await call(path, { method: 'POST', body: {}, headers })).status).toBe(401)
  const own = { cookie: cookieOf(await logIn(service.url, email, owner.password)), origin: service.url }
  expect((await call(path, { method: 'POST', body: {}, headers: own })).status).toBe(200)
  expect(await statusByTenant(email)).toEqual({ [host.tenant.id]: 'ACTIVE' })
})

test('the profile of such a person is cleared when the owner of the address chooses a password', async () => {
  const { email } = await host.invite()
  const names = { givenName: 'Not', familyName: 'They', displayName: 'Somebody else' }
  const body = { email, password: 'the secret of a squatter', ...names }
  await call(`${service.url}/api/auth/register`, { method: 'POST', body })
  const user = await findUser(service, email)
  const { ctx } = service
  const token = await ctx.db
    .transaction()
    .execute((tx) =>
      createLink(ctx, tx, { purpose: 'reset-password', userId: user?.id ?? '', email, passwordHash: null }),
    )
  const reset = { token, newPassword: 'the secret of the owner' }
  const answer = await call(`${service.url}/api/auth/password/reset`, { method: 'POST', body: reset })
  expect(answer.status).toBe(200)
  const nothing = { display_name: null, given_name: null, family_name: null }
  expect(await findUser(service, email)).toMatchObject({ email_verified: true, ...nothing })
})
