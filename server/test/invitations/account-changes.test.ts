import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eraseDueAccounts } from '../../src/account/deletion/erasure.ts'
import { call, createSignedInUser, findLinkToken, listMailTo, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'
import { type Host, mailedToken, NEW_USER } from './hosts.ts'
import {
  acceptInvitation,
  callTenantRoute,
  createHost,
  DAY_MS,
  findInvitation,
  findUser,
  getInvitation,
  listMembers,
  membershipsOf,
} from './invitation-api.ts'

let service: TestService
let host: Host
beforeAll(async () => {
  service = await startDemoService()
  host = await createHost(service)
})
afterAll(() => service.close())

async function changeAddress(somebody: TestUser, newEmail: string): Promise<number> {
  await somebody.call('POST', '/api/users/me/email', { newEmail, password: PASSWORD })
  const token = findLinkToken((await listMailTo(service, newEmail)).find((mail) => findLinkToken(mail) !== undefined))
  const body = { token }
  return (await call(`${service.url}/api/auth/email/verify`, { method: 'POST', body })).status
}

const requestDeletion = async (somebody: TestUser) => {
  const body = { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }
  expect((await somebody.call('DELETE', '/api/users/me', body)).status).toBe(200)
}

/** Restores the account; returns the user with a new token. */
async function restore(somebody: TestUser): Promise<TestUser> {
  const body = { email: somebody.email, password: PASSWORD }
  expect((await call(`${service.url}/api/auth/restore`, { method: 'POST', body })).status).toBe(200)
  const { tokens } = await somebody.signInAgain()
  return { ...somebody, tokens }
}

async function erase({ id }: TestUser): Promise<void> {
  const deletion_requested_at = new Date(service.ctx.now().getTime() - 31 * DAY_MS)
  await service.ctx.db.updateTable('users').set({ deletion_requested_at }).where('id', '=', id).execute()
  await eraseDueAccounts.run(service.ctx, {})
  const left = await service.ctx.db.selectFrom('users').select('id').where('id', '=', id).execute()
  expect(left).toEqual([])
}

/** The tables that contain the text. */
async function listTablesWith(text: string): Promise<string[]> {
  const tables = ['users', 'invitations', 'memberships', 'dormant_memberships', 'audit_entries', 'mail_messages']
  const found: string[] = []
  for (const table of tables) {
    const query = `select 1 from ${table} as t where to_jsonb(t)::text like '%${text}%'`
    const { rows } = await service.ctx.db.executeQuery(CompiledQuery.raw(query))
    if (rows.length > 0) found.push(table)
  }
  return found
}

describe('a person who changes their address', () => {
  test('is not the invited person any more; the link is for the owner of the address', async () => {
    const somebody = await createSignedInUser(service)
    const { email } = somebody
    const { id, token } = await host.invite({ email })
    expect(await changeAddress(somebody, `moved-${email}`)).toBe(200)
    expect(await membershipsOf(service, somebody.id)).toEqual([])
    expect((await somebody.call('GET', '/api/users/me')).body).toMatchObject({ memberships: [] })
    expect(await acceptInvitation(service, token, { as: somebody })).toMatchObject({
      status: 403,
      body: { error: 'INVITATION_EMAIL_MISMATCH' },
    })
    expect(await findInvitation(service, id)).toMatchObject({ status: 'PENDING', user_id: null })
    expect((await getInvitation(service, token)).body).toMatchObject({ email, hasAccount: false })
    expect((await acceptInvitation(service, token, { body: NEW_USER })).status).toBe(200)
    const newUser = await findUser(service, email)
    expect(newUser?.id).not.toBe(somebody.id)
    expect(await membershipsOf(service, newUser?.id ?? '')).toMatchObject([{ status: 'ACTIVE' }])
    expect(await membershipsOf(service, somebody.id)).toEqual([])
  })

  test('does not prevent the invitation from being resent or revoked', async () => {
    const somebody = await createSignedInUser(service)
    const { id } = await host.invite({ email: somebody.email })
    await changeAddress(somebody, `moved-${somebody.email}`)
    await host.call('POST', `/invitations/${id}/resend`)
    expect(await listMailTo(service, `moved-${somebody.email}`)).not.toContainEqual(
      expect.objectContaining({ text: expect.stringContaining('/invitations/') }),
    )
    await host.call('DELETE', `/invitations/${id}`)
    expect(await findInvitation(service, id)).toMatchObject({ status: 'REVOKED' })
  })

  test('stays a member', async () => {
    const somebody = await createSignedInUser(service)
    const { token } = await host.invite({ email: somebody.email })
    await acceptInvitation(service, token, { as: somebody })
    await changeAddress(somebody, `moved-${somebody.email}`)
    expect(await membershipsOf(service, somebody.id)).toMatchObject([{ status: 'ACTIVE' }])
  })

  test('can take an invited address that only has a placeholder account', async () => {
    const somebody = await createSignedInUser(service)
    const { email, token } = await host.invite()
    expect(await changeAddress(somebody, email)).toBe(200)
    expect((await acceptInvitation(service, token, { as: somebody })).status).toBe(200)
    expect(await membershipsOf(service, somebody.id)).toMatchObject([{ status: 'ACTIVE' }])
  })
})

describe('a person scheduled for deletion', () => {
  test('stays INVITED, and can accept after a restore', async () => {
    const somebody = await createSignedInUser(service)
    const { id, token } = await host.invite({ email: somebody.email })
    await requestDeletion(somebody)
    expect(await membershipsOf(service, somebody.id)).toMatchObject([{ status: 'INVITED' }])
    expect(await findInvitation(service, id)).toMatchObject({ status: 'PENDING' })
    expect(await acceptInvitation(service, token, { body: NEW_USER })).toMatchObject({ status: 401 })
    const restored = await restore(somebody)
    expect((await acceptInvitation(service, token, { as: restored })).status).toBe(200)
    expect(await membershipsOf(service, somebody.id)).toMatchObject([{ status: 'ACTIVE' }])
  })

  test('can be invited like anybody else, and can accept after a restore', async () => {
    const somebody = await createSignedInUser(service)
    await requestDeletion(somebody)
    const path = '/invitations'
    const invite = (email: string) => callTenantRoute(service, host, { method: 'POST', path, body: { email } })
    const [leaving, stranger] = [await invite(somebody.email), await invite(`stranger-${somebody.email}`)]
    expect(leaving.status).toBe(201)
    expect(Object.keys(leaving.body)).toEqual(Object.keys(stranger.body))
    expect(leaving.body).toMatchObject({ role: 'member', status: 'PENDING' })
    const token = await mailedToken(service, somebody.email)
    expect(await acceptInvitation(service, token, { body: NEW_USER })).toMatchObject({ status: 401 })
    const restored = await restore(somebody)
    expect((await acceptInvitation(service, token, { as: restored })).status).toBe(200)
  })

  test('is shown to the inviter like anybody else: no response reveals the deletion', async () => {
    const somebody = await createSignedInUser(service)
    await requestDeletion(somebody)
    const otherHost = await createHost(service)
    for (const email of [somebody.email, `stranger-${somebody.email}`]) {
      await otherHost.invite({ email })
      const { members } = await listMembers(service, otherHost, '&status=INVITED')
      expect(members.map(({ user }) => user.email)).toContain(email)
    }
  })

  const newAdmin = async () => {
    const somebody = await createSignedInUser(service)
    const { token } = await host.invite({ email: somebody.email, role: 'admin' })
    await acceptInvitation(service, token, { as: somebody })
    await requestDeletion(somebody)
    return somebody
  }

  test('is a member again after a restore', async () => {
    const somebody = await newAdmin()
    await restore(somebody)
    expect(await membershipsOf(service, somebody.id)).toMatchObject([{ role: 'admin', status: 'ACTIVE' }])
  })

  test('and invited again does not regain the old membership, even if the invitation is revoked', async () => {
    const somebody = await newAdmin()
    const { id } = await host.invite({ email: somebody.email })
    expect((await callTenantRoute(service, host, { method: 'DELETE', path: `/invitations/${id}` })).status).toBe(200)
    await restore(somebody)
    expect(await membershipsOf(service, somebody.id)).toEqual([])
  })
})

describe('the address of an erased person is left nowhere', () => {
  test('in invitations of any status', async () => {
    const somebody = await createSignedInUser(service)
    const hosts = await Promise.all([1, 2, 3].map(() => createHost(service)))
    const [joined, revoked] = [
      await hosts[0]?.invite({ email: somebody.email }),
      await hosts[1]?.invite({ email: somebody.email }),
    ]
    await hosts[2]?.invite({ email: somebody.email })
    await acceptInvitation(service, joined?.token ?? '', { as: somebody })
    await hosts[1]?.call('DELETE', `/invitations/${revoked?.id}`)
    expect(await listTablesWith(somebody.email)).toContain('invitations')
    await requestDeletion(somebody)
    await erase(somebody)
    expect(await listTablesWith(somebody.email)).toEqual([])
  })

  test('in an invitation that was sent during the grace period', async () => {
    const somebody = await createSignedInUser(service)
    await requestDeletion(somebody)
    await host.invite({ email: somebody.email })
    await erase(somebody)
    expect(await listTablesWith(somebody.email)).toEqual([])
  })

  test('in an invitation to a former address', async () => {
    const somebody = await createSignedInUser(service)
    const { email } = somebody
    const { token } = await host.invite({ email })
    await acceptInvitation(service, token, { as: somebody })
    await changeAddress(somebody, `moved-${email}`)
    await requestDeletion(somebody)
    await erase(somebody)
    expect(await listTablesWith(email)).toEqual([])
  })

  test('and the next owner of the address has no membership', async () => {
    const somebody = await createSignedInUser(service)
    const { email } = somebody
    const { token } = await host.invite({ email, role: 'admin' })
    await requestDeletion(somebody)
    await erase(somebody)
    expect((await getInvitation(service, token)).status).toBe(404)
    const next = await createSignedInUser(service, { email })
    expect(await membershipsOf(service, next.id)).toEqual([])
    expect((await acceptInvitation(service, token, { as: next })).status).toBe(404)
  })
})
