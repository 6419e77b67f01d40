import { describe, expect, test } from 'vitest'
import { call, expectClosed, intruders, refusal } from '../support/calls.ts'
import {
  accept,
  askToInvite,
  invitationMails,
  invitationsPath,
  inviteStranger,
  listInvitations,
  look,
  newcomer,
  resend,
  revoke,
} from '../support/invitations.ts'
import { invitationTokenFor, listMembers, newMember, newOwnedTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant()
const admin = await newMember(owner.headers, tenant.id, 'admin')
const member = await newMember(owner.headers, tenant.id)
const elsewhere = await newOwnedTenant()
const again = (id: string, headers = owner.headers) => resend(headers, tenant.id, id)
const take = (id: string, headers = owner.headers) => revoke(headers, tenant.id, id)
const newInvitation = (fields: object = {}) => inviteStranger(owner.headers, tenant.id, fields)
const isListed = async (id: string) =>
  (await listInvitations(owner.headers, tenant.id)).some((one) => one.id === id)

const NOT_PENDING = refusal(409, 'INVITATION_NOT_PENDING')
const NOT_FOUND = refusal(404, 'INVITATION_NOT_FOUND')

describe('sending an invitation again', () => {
  test('sends exactly one mail, whose link replaces the one before', async () => {
    const { id, email, token } = await newInvitation()
    const { status, body } = await again(id)
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: 'Invitation resent' })
    expect(await invitationMails(email)).toHaveLength(2)
    const fresh = await invitationTokenFor(email)
    expect(fresh).not.toBe(token)
    for (const answer of [await look(token), await accept(token, newcomer())]) {
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual(NOT_FOUND)
    }
    expect((await accept(fresh, newcomer())).status).toBe(200)
  })

  test('gives the full time anew and changes nothing else', async () => {
    const { id, token } = await newInvitation({ expiresInDays: 2, role: 'admin' })
    const [before] = await listInvitations(owner.headers, tenant.id)
    const shown = await look(token)
    await again(id)
    const [after] = await listInvitations(owner.headers, tenant.id)
    expect(after).toEqual({ ...before, expiresAt: expect.any(String) })
    const gained = Date.parse(after?.expiresAt ?? '') - Date.parse(String(shown.body.expiresAt))
    expect(gained).toBeGreaterThan(0)
    expect(gained).toBeLessThan(60_000)
  })

  test('is throttled: of twenty in a row some are refused, and those send nothing', async () => {
    const { id, email } = await newInvitation()
    const answers = []
    for (let round = 0; round < 20; round++) answers.push(await again(id))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    for (const { status, body, headers } of refused) {
      expect(status).toBe(429)
      expect(body).toEqual(refusal(429, 'RATE_LIMITED'))
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(await invitationMails(email)).toHaveLength(1 + answers.length - refused.length)
    // The last mail that went out is still good.
    expect((await look(await invitationTokenFor(email))).status).toBe(200)
    // Neither is anybody else held up by it, nor another tenant that knows the same person.
    expect((await again((await newInvitation()).id)).status).toBe(200)
    const theirs = await askToInvite(elsewhere.owner.headers, elsewhere.tenant.id, { email })
    expect(theirs.status).toBe(201)
  })

  test('revoking and inviting anew is no way around that', async () => {
    let { id, email } = await newInvitation()
    let refused: Awaited<ReturnType<typeof askToInvite>> | undefined
    for (let round = 0; round < 20 && !refused; round++) {
      expect((await take(id)).status).toBe(200)
      const answer = await askToInvite(owner.headers, tenant.id, { email })
      if (answer.status === 201) id = String(answer.body.id)
      else refused = answer
    }
    expect(refused?.body).toEqual(refusal(429, 'RATE_LIMITED'))
    expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/)
  })
})

describe('revoking an invitation', () => {
  test('ends it: its link is dead, the INVITED member is gone, and no mail goes out', async () => {
    const { id, email, token } = await newInvitation()
    const { status, body } = await take(id)
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, message: 'Invitation revoked' })
    for (const answer of [await look(token), await accept(token, newcomer())]) {
      expect(answer.status).toBe(410)
      expect(answer.body).toEqual(refusal(410, 'INVITATION_REVOKED'))
    }
    expect(await isListed(id)).toBe(false)
    expect(await listInvitations(owner.headers, tenant.id, '?status=REVOKED')).toContainEqual(
      expect.objectContaining({ id, email, status: 'REVOKED' }),
    )
    const { members } = await listMembers(owner.headers, tenant.id, '?limit=100')
    expect(members.map(({ user }) => user.email)).not.toContain(email)
    expect(await invitationMails(email)).toHaveLength(1)
  })

  test('happens too when the INVITED member is removed', async () => {
    const { id, email, token } = await newInvitation()
    const { members } = await listMembers(owner.headers, tenant.id, '?status=INVITED&limit=100')
    const invited = members.find(({ user }) => user.email === email)
    const path = `/api/tenants/${tenant.id}/members/${invited?.id}`
    expect((await call('DELETE', path, { headers: admin.headers })).status).toBe(200)
    expect((await look(token)).body).toEqual(refusal(410, 'INVITATION_REVOKED'))
    expect((await again(id)).body).toEqual(NOT_PENDING)
  })
})

describe('an invitation that is settled is neither sent again nor revoked', () => {
  test('once it is accepted', async () => {
    const { id, email, token } = await newInvitation()
    await accept(token, newcomer())
    for (const answer of [await again(id), await take(id)]) {
      expect(answer.status).toBe(409)
      expect(answer.body).toEqual(NOT_PENDING)
    }
    expect(await invitationMails(email)).toHaveLength(1)
    const { members } = await listMembers(owner.headers, tenant.id, '?status=ACTIVE&limit=100')
    expect(members.map(({ user }) => user.email)).toContain(email)
  })

  test('once it is revoked', async () => {
    const { id, email } = await newInvitation()
    await take(id)
    for (const answer of [await again(id), await take(id)]) {
      expect(answer.status).toBe(409)
      expect(answer.body).toEqual(NOT_PENDING)
    }
    expect(await invitationMails(email)).toHaveLength(1)
  })
})

describe('who may send again and revoke', () => {
  test('an admin, but not what makes somebody an owner', async () => {
    const ordinary = await newInvitation({ role: 'admin' })
    expect((await again(ordinary.id, admin.headers)).status).toBe(200)
    expect((await take(ordinary.id, admin.headers)).status).toBe(200)
    const { id, email, token } = await newInvitation({ role: 'owner' })
    for (const answer of [await again(id, admin.headers), await take(id, admin.headers)]) {
      expect(answer.status).toBe(403)
      expect(answer.body).toEqual(refusal(403, 'FORBIDDEN'))
    }
    // Nor by way of the INVITED member.
    const { members } = await listMembers(owner.headers, tenant.id, '?status=INVITED&limit=100')
    const path = `/api/tenants/${tenant.id}/members/${members.find(({ user }) => user.email === email)?.id}`
    const { headers } = admin
    for (const answer of [
      await call('PATCH', path, { headers, body: { role: 'member' } }),
      await call('DELETE', path, { headers }),
    ]) {
      expect(answer.body).toEqual(refusal(403, 'FORBIDDEN'))
    }
    expect(await invitationMails(email)).toHaveLength(1)
    expect((await look(token)).body).toMatchObject({ role: 'owner' })
    expect((await again(id)).status).toBe(200)
    expect((await take(id)).status).toBe(200)
  })

  test('neither a member, nor an outsider, nor a program', async () => {
    const { id, email, token } = await newInvitation()
    for (const { headers } of [member, elsewhere.owner]) {
      for (const answer of [await again(id, headers), await take(id, headers)]) {
        expect(answer.status).toBe(403)
        expect(answer.body).toEqual(refusal(403, 'FORBIDDEN'))
      }
    }
    const strangers = await intruders(member.person)
    const path = `${invitationsPath(tenant.id)}/${id}`
    await expectClosed(strangers, { method: 'POST', path: `${path}/resend` })
    await expectClosed(strangers, { method: 'DELETE', path })
    expect(await invitationMails(email)).toHaveLength(1)
    expect((await look(token)).status).toBe(200)
  })

  test('nobody through another tenant than the one it belongs to', async () => {
    const { id, token } = await newInvitation()
    const { headers } = elsewhere.owner
    for (const act of [resend, revoke]) {
      const answer = await act(headers, elsewhere.tenant.id, id)
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual(NOT_FOUND)
    }
    expect((await look(token)).status).toBe(200)
  })

  test.each([
    ['a number', '1'],
    ['null', 'null'],
    ['a quote', "'"],
    ['a long text', 'x'.repeat(2_000)],
    ['a way out', '..%2f'],
    ['a stranger', '018f0000-0000-7000-8000-000000000000'],
  ])('%s is the id of none', async (_, id) => {
    for (const answer of [await again(id), await take(id)]) {
      expect(answer.status).toBe(404)
      expect(answer.body).toEqual(NOT_FOUND)
    }
  })
})
