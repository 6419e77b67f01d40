import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { erasePeople } from '../../src/account/deletion/erasure.ts'
import { call, mailTo, newSomebody, type Somebody, tokenIn } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startWorld } from '../support/world.ts'
import {
  accept,
  callNow,
  DAY,
  findInvitation,
  findUser,
  look,
  membershipsOf,
  membersIn,
  openHouse,
} from './desk.ts'
import { type Host, mailedToken, NEWCOMER } from './guests.ts'

let service: TestService
let host: Host
beforeAll(async () => {
  service = await startWorld()
  host = await openHouse(service)
})
afterAll(() => service.close())

async function moveTo(somebody: Somebody, newEmail: string): Promise<number> {
  await somebody.call('POST', '/api/users/me/email', { newEmail, password: PASSWORD })
  const token = tokenIn((await mailTo(service, newEmail)).find((mail) => tokenIn(mail) !== undefined))
  const body = { token }
  return (await call(`${service.url}/api/auth/email/verify`, { method: 'POST', body })).status
}

const leave = async (somebody: Somebody) => {
  const farewell = { password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }
  expect((await somebody.call('DELETE', '/api/users/me', farewell)).status).toBe(200)
}

/** Undoes that; the answer is the person with a token that is good. */
async function comeBack(somebody: Somebody): Promise<Somebody> {
  const body = { email: somebody.email, password: PASSWORD }
  expect((await call(`${service.url}/api/auth/restore`, { method: 'POST', body })).status).toBe(200)
  const { tokens } = await somebody.signInElsewhere()
  return { ...somebody, tokens }
}

async function erase({ id }: Somebody): Promise<void> {
  const deletion_requested_at = new Date(service.ctx.now().getTime() - 31 * DAY)
  await service.ctx.db.updateTable('users').set({ deletion_requested_at }).where('id', '=', id).execute()
  await erasePeople.run(service.ctx, {})
  const left = await service.ctx.db.selectFrom('users').select('id').where('id', '=', id).execute()
  expect(left).toEqual([])
}

/** The tables in which a text still stands anywhere. */
async function tracesOf(text: string): Promise<string[]> {
  const tables = [
    'users',
    'invitations',
    'memberships',
    'dormant_memberships',
    'audit_entries',
    'mail_messages',
  ]
  const found: string[] = []
  for (const table of tables) {
    const query = `select 1 from ${table} as t where to_jsonb(t)::text like '%${text}%'`
    const { rows } = await service.ctx.db.executeQuery(CompiledQuery.raw(query))
    if (rows.length > 0) found.push(table)
  }
  return found
}

describe('who gets another address', () => {
  test('is not who was invited any more; the link is for whoever has the address', async () => {
    const somebody = await newSomebody(service)
    const { email } = somebody
    const { id, token } = await host.invite({ email })
    expect(await moveTo(somebody, `moved-${email}`)).toBe(200)
    expect(await membershipsOf(service, somebody.id)).toEqual([])
    expect((await somebody.call('GET', '/api/users/me')).body).toMatchObject({ memberships: [] })
    expect(await accept(service, token, { as: somebody })).toMatchObject({
      status: 403,
      body: { error: 'INVITATION_EMAIL_MISMATCH' },
    })
    expect(await findInvitation(service, id)).toMatchObject({ status: 'PENDING', user_id: null })
    expect((await look(service, token)).body).toMatchObject({ email, hasAccount: false })
    expect((await accept(service, token, { body: NEWCOMER })).status).toBe(200)
    const newcomer = await findUser(service, email)
    expect(newcomer?.id).not.toBe(somebody.id)
    expect(await membershipsOf(service, newcomer?.id ?? '')).toMatchObject([{ status: 'ACTIVE' }])
    expect(await membershipsOf(service, somebody.id)).toEqual([])
  })

  test('and leaves an invitation behind does not keep it from being sent again or revoked', async () => {
    const somebody = await newSomebody(service)
    const { id } = await host.invite({ email: somebody.email })
    await moveTo(somebody, `moved-${somebody.email}`)
    await host.call('POST', `/invitations/${id}/resend`)
    expect(await mailTo(service, `moved-${somebody.email}`)).not.toContainEqual(
      expect.objectContaining({ text: expect.stringContaining('/invitations/') }),
    )
    await host.call('DELETE', `/invitations/${id}`)
    expect(await findInvitation(service, id)).toMatchObject({ status: 'REVOKED' })
  })

  test('stays the member that they are', async () => {
    const somebody = await newSomebody(service)
    const { token } = await host.invite({ email: somebody.email })
    await accept(service, token, { as: somebody })
    await moveTo(somebody, `moved-${somebody.email}`)
    expect(await membershipsOf(service, somebody.id)).toMatchObject([{ status: 'ACTIVE' }])
  })

  test('may take one that was invited: nobody has it yet', async () => {
    const somebody = await newSomebody(service)
    const { email, token } = await host.invite()
    expect(await moveTo(somebody, email)).toBe(200)
    expect((await accept(service, token, { as: somebody })).status).toBe(200)
    expect(await membershipsOf(service, somebody.id)).toMatchObject([{ status: 'ACTIVE' }])
  })
})

describe('who is about to be deleted', () => {
  test('stays INVITED, and may accept after coming back', async () => {
    const somebody = await newSomebody(service)
    const { id, token } = await host.invite({ email: somebody.email })
    await leave(somebody)
    expect(await membershipsOf(service, somebody.id)).toMatchObject([{ status: 'INVITED' }])
    expect(await findInvitation(service, id)).toMatchObject({ status: 'PENDING' })
    expect(await accept(service, token, { body: NEWCOMER })).toMatchObject({ status: 401 })
    const back = await comeBack(somebody)
    expect((await accept(service, token, { as: back })).status).toBe(200)
    expect(await membershipsOf(service, somebody.id)).toMatchObject([{ status: 'ACTIVE' }])
  })

  test('can be invited like anybody else, and may accept after coming back', async () => {
    const somebody = await newSomebody(service)
    await leave(somebody)
    const path = '/invitations'
    const invite = (email: string) => callNow(service, host, { method: 'POST', path, body: { email } })
    const [leaving, stranger] = [await invite(somebody.email), await invite(`stranger-${somebody.email}`)]
    expect(leaving.status).toBe(201)
    expect(Object.keys(leaving.body)).toEqual(Object.keys(stranger.body))
    expect(leaving.body).toMatchObject({ role: 'member', status: 'PENDING' })
    const token = await mailedToken(service, somebody.email)
    expect(await accept(service, token, { body: NEWCOMER })).toMatchObject({ status: 401 })
    const back = await comeBack(somebody)
    expect((await accept(service, token, { as: back })).status).toBe(200)
  })

  test('is shown to who invites them like anybody else: nothing tells that they are leaving', async () => {
    const somebody = await newSomebody(service)
    await leave(somebody)
    const house = await openHouse(service)
    for (const email of [somebody.email, `stranger-${somebody.email}`]) {
      await house.invite({ email })
      const { members } = await membersIn(service, house, '&status=INVITED')
      expect(members.map(({ user }) => user.email)).toContain(email)
    }
  })

  const newAdmin = async () => {
    const somebody = await newSomebody(service)
    const { token } = await host.invite({ email: somebody.email, role: 'admin' })
    await accept(service, token, { as: somebody })
    await leave(somebody)
    return somebody
  }

  test('and was a member is one again after coming back', async () => {
    const somebody = await newAdmin()
    await comeBack(somebody)
    expect(await membershipsOf(service, somebody.id)).toMatchObject([{ role: 'admin', status: 'ACTIVE' }])
  })

  test('and was invited anew does not come back as what they were, also when that is revoked', async () => {
    const somebody = await newAdmin()
    const { id } = await host.invite({ email: somebody.email })
    expect((await callNow(service, host, { method: 'DELETE', path: `/invitations/${id}` })).status).toBe(200)
    await comeBack(somebody)
    expect(await membershipsOf(service, somebody.id)).toEqual([])
  })
})

describe('who is erased leaves no trace of the address', () => {
  test('where they were invited, whatever became of it', async () => {
    const somebody = await newSomebody(service)
    const houses = await Promise.all([1, 2, 3].map(() => openHouse(service)))
    const [joined, revoked] = [
      await houses[0]?.invite({ email: somebody.email }),
      await houses[1]?.invite({ email: somebody.email }),
    ]
    await houses[2]?.invite({ email: somebody.email })
    await accept(service, joined?.token ?? '', { as: somebody })
    await houses[1]?.call('DELETE', `/invitations/${revoked?.id}`)
    expect(await tracesOf(somebody.email)).toContain('invitations')
    await leave(somebody)
    await erase(somebody)
    expect(await tracesOf(somebody.email)).toEqual([])
  })

  test('where they were invited while they were leaving', async () => {
    const somebody = await newSomebody(service)
    await leave(somebody)
    await host.invite({ email: somebody.email })
    await erase(somebody)
    expect(await tracesOf(somebody.email)).toEqual([])
  })

  test('where they were invited with an address they had before', async () => {
    const somebody = await newSomebody(service)
    const { email } = somebody
    const { token } = await host.invite({ email })
    await accept(service, token, { as: somebody })
    await moveTo(somebody, `moved-${email}`)
    await leave(somebody)
    await erase(somebody)
    expect(await tracesOf(email)).toEqual([])
  })

  test('and whoever takes the address afterwards is a stranger to every tenant', async () => {
    const somebody = await newSomebody(service)
    const { email } = somebody
    const { token } = await host.invite({ email, role: 'admin' })
    await leave(somebody)
    await erase(somebody)
    expect((await look(service, token)).status).toBe(404)
    const next = await newSomebody(service, { email })
    expect(await membershipsOf(service, next.id)).toEqual([])
    expect((await accept(service, token, { as: next })).status).toBe(404)
  })
})
