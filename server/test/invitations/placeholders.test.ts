import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLink } from '../../src/sessions/mailed-links.ts'
import { addPerson, call, failure, logIn, mailTo, newSomebody, tokenIn } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { cookieOf, startWorld } from '../support/world.ts'
import { accept, findInvitation, findUser, look, membershipsOf, openHouse } from './desk.ts'
import { type Host, NEWCOMER } from './guests.ts'

let service: TestService
let host: Host
let other: Host
beforeAll(async () => {
  service = await startWorld()
  host = await openHouse(service)
  other = await openHouse(service)
})
afterAll(() => service.close())

const revoke = ({ id }: { id: string }, by = host) => by.call('DELETE', `/invitations/${id}`)
const placesOf = async (email: string) => {
  const user = await findUser(service, email)
  const places = await membershipsOf(service, user?.id ?? '018f0000-0000-7000-8000-000000000000')
  return Object.fromEntries(places.map(({ tenant_id, status }) => [tenant_id, status]))
}

describe('who is invited before they are here', () => {
  test('is a person without a password, whose address nobody has confirmed', async () => {
    const { email, id } = await host.invite()
    const user = await findUser(service, email)
    expect(user).toMatchObject({
      ...{ password_hash: null, email_verified: false, is_super_admin: false, disabled: false },
      ...{ display_name: null, given_name: null, family_name: null },
    })
    expect(await findInvitation(service, id)).toMatchObject({ user_id: user?.id })
    expect(await placesOf(email)).toEqual({ [host.tenant.id]: 'INVITED' })
  })

  test('is forgotten with the only invitation', async () => {
    const invited = await host.invite()
    await revoke(invited)
    expect(await findUser(service, invited.email)).toBeUndefined()
    expect(await findInvitation(service, invited.id)).toMatchObject({ status: 'REVOKED', user_id: null })
  })

  test('is forgotten when the INVITED member is removed', async () => {
    const { email, id } = await host.invite()
    const user = await findUser(service, email)
    const [place] = await membershipsOf(service, user?.id ?? '')
    await host.call('DELETE', `/members/${place?.id}`)
    expect(await findUser(service, email)).toBeUndefined()
    expect(await findInvitation(service, id)).toMatchObject({ status: 'REVOKED' })
  })

  test('is forgotten when the tenant is deleted', async () => {
    const house = await openHouse(service)
    const { email, id, token } = await house.invite()
    await house.call('DELETE', '')
    expect(await findUser(service, email)).toBeUndefined()
    expect(await findInvitation(service, id)).toBeUndefined()
    expect((await look(service, token)).body).toMatchObject({ error: 'INVITATION_NOT_FOUND' })
  })

  test('stays as long as somebody else invites them', async () => {
    const first = await host.invite()
    const second = await other.invite({ email: first.email })
    const user = await findUser(service, first.email)
    await revoke(first)
    expect(await findUser(service, first.email)).toEqual(user)
    expect(await placesOf(first.email)).toEqual({ [other.tenant.id]: 'INVITED' })
    expect((await look(service, second.token)).status).toBe(200)
    await revoke(second, other)
    expect(await findUser(service, first.email)).toBeUndefined()
  })

  test('joins one of two tenants, and is still invited to the other', async () => {
    const first = await host.invite()
    const second = await other.invite({ email: first.email, role: 'admin' })
    const user = await findUser(service, first.email)
    expect((await accept(service, first.token, { body: NEWCOMER })).status).toBe(200)
    expect(await findUser(service, first.email)).toMatchObject({ id: user?.id, email_verified: true })
    expect(await placesOf(first.email)).toEqual({
      [host.tenant.id]: 'ACTIVE',
      [other.tenant.id]: 'INVITED',
    })
    expect(await findInvitation(service, second.id)).toMatchObject({ status: 'PENDING' })
    // They have an account now, which no invitation takes away.
    await revoke(second, other)
    expect(await findUser(service, first.email)).toMatchObject({ id: user?.id })
    expect(await placesOf(first.email)).toEqual({ [host.tenant.id]: 'ACTIVE' })
  })
})

describe('who has an account', () => {
  const unverified = async () => ({ ...(await addPerson(service, { email_verified: false })) })
  const withoutPassword = () => addPerson(service, { password_hash: null })

  test.each([
    ['with a confirmed address', () => addPerson(service)],
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

  test('without a password signs in by other ways to accept, and gets none by the link', async () => {
    const { email } = await withoutPassword()
    const { token } = await host.invite({ email })
    expect((await look(service, token)).body).toMatchObject({ hasAccount: true })
    expect(await accept(service, token, { body: NEWCOMER })).toMatchObject({ status: 401 })
    expect(await findUser(service, email)).toMatchObject({ password_hash: null })
  })

  test('and is disabled does not accept, nor does anybody else in their stead', async () => {
    const somebody = await newSomebody(service)
    const { token } = await host.invite({ email: somebody.email })
    await service.ctx.db.updateTable('users').set({ disabled: true }).where('id', '=', somebody.id).execute()
    await service.ctx.changes.settle()
    for (const as of [undefined, somebody]) {
      const answer = await accept(service, token, { body: NEWCOMER, ...(as && { as }) })
      expect(answer).toMatchObject({ status: 401, body: { error: 'UNAUTHORIZED' } })
    }
    expect(await placesOf(somebody.email)).toEqual({ [host.tenant.id]: 'INVITED' })
  })

  test('and made it after they were invited is not forgotten, though the address is not confirmed', async () => {
    const invited = await host.invite()
    const password = 'a long enough secret'
    const body = { email: invited.email, password }
    expect((await call(`${service.url}/api/auth/register`, { method: 'POST', body })).status).toBe(201)
    await revoke(invited)
    expect(cookieOf(await logIn(service.url, invited.email, password))).not.toBe('')
    expect(await placesOf(invited.email)).toEqual({})
  })
})

test('somebody who signed up with an invited address that is not theirs does not get in', async () => {
  const { email, token } = await host.invite()
  const body = { email, password: 'the secret of a squatter' }
  await call(`${service.url}/api/auth/register`, { method: 'POST', body })
  const headers = { cookie: cookieOf(await logIn(service.url, email, body.password)), origin: service.url }
  const path = `${service.url}/api/invitations/${token}/accept`
  const refused = await call(path, { method: 'POST', body: {}, headers })
  expect(refused).toMatchObject(failure(403, 'EMAIL_NOT_VERIFIED'))
  expect(await placesOf(email)).toEqual({ [host.tenant.id]: 'INVITED' })
  // The owner of the address, who reads its mail, signs up as well, and takes the account over.
  const owner = { email, password: 'the secret of the owner' }
  await call(`${service.url}/api/auth/register`, { method: 'POST', body: owner })
  const link = (await mailTo(service, email)).find((mail) => tokenIn(mail) !== undefined)
  const proof = { token: tokenIn(link), password: owner.password }
  const verified = await call(`${service.url}/api/auth/email/verify`, { method: 'POST', body: proof })
  expect(verified.status).toBe(200)
  expect((await call(path, { method: 'POST', body: {}, headers })).status).toBe(401)
  const own = { cookie: cookieOf(await logIn(service.url, email, owner.password)), origin: service.url }
  expect((await call(path, { method: 'POST', body: {}, headers: own })).status).toBe(200)
  expect(await placesOf(email)).toEqual({ [host.tenant.id]: 'ACTIVE' })
})

test('what such a person wrote is gone when the owner of the address chooses a password', async () => {
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
