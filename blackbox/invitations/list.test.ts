import { describe, expect, test } from 'vitest'
import { call, expectClosed, intruders, refusal } from '../support/calls.ts'
import {
  accept,
  invitationsPath,
  inviteStranger,
  listInvitations,
  newcomer,
  revoke,
} from '../support/invitations.ts'
import { TIMESTAMP } from '../support/sign-in.ts'
import { newMember, newOwnedTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant()
const admin = await newMember(owner.headers, tenant.id, 'admin')
const member = await newMember(owner.headers, tenant.id)
const list = (query = '', headers = owner.headers) => listInvitations(headers, tenant.id, query)
const get = (query: string, headers = owner.headers) =>
  call('GET', invitationsPath(tenant.id) + query, { headers })

const pending = await inviteStranger(owner.headers, tenant.id)
const accepted = await inviteStranger(owner.headers, tenant.id, { role: 'admin' })
await accept(accepted.token, newcomer())
const revoked = await inviteStranger(admin.headers, tenant.id)
await revoke(owner.headers, tenant.id, revoked.id)
const newest = await inviteStranger(admin.headers, tenant.id)

describe('the list of invitations', () => {
  test('shows what is pending, the newest first, with who has sent it', async () => {
    const invitation = { role: 'member', status: 'PENDING' }
    const moments = {
      expiresAt: expect.stringMatching(TIMESTAMP),
      createdAt: expect.stringMatching(TIMESTAMP),
    }
    const answer = await get('')
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      invitations: [
        {
          ...{ id: newest.id, email: newest.email, ...invitation, ...moments },
          invitedBy: { id: admin.userId, displayName: 'Sam Someone' },
        },
        {
          ...{ id: pending.id, email: pending.email, ...invitation, ...moments },
          invitedBy: { id: owner.userId, displayName: 'Sam Someone' },
        },
      ],
    })
    expect(answer.headers.get('x-total-count')).toBe('2')
  })

  test('shows one state when it is asked for', async () => {
    const idsIn = async (status: string) => {
      const found = await list(`?status=${status}`)
      for (const invitation of found) expect(invitation.status).toBe(status)
      return found.map(({ id }) => id)
    }
    expect(await idsIn('PENDING')).toEqual([newest.id, pending.id])
    expect(await idsIn('REVOKED')).toEqual([revoked.id])
    expect(await idsIn('EXPIRED')).toEqual([])
    // The admin and the member came by invitations too.
    expect(await idsIn('ACCEPTED')).toHaveLength(3)
    expect((await idsIn('ACCEPTED'))[0]).toBe(accepted.id)
  })

  test('comes in pages when that is asked for', async () => {
    const { status, headers } = await get('?limit=1&page=2')
    expect(status).toBe(200)
    expect(headers.get('x-total-count')).toBe('2')
    expect((await list('?limit=1&page=1')).map(({ id }) => id)).toEqual([newest.id])
    expect((await list('?limit=1&page=2')).map(({ id }) => id)).toEqual([pending.id])
    expect(await list('?limit=1&page=3')).toEqual([])
  })

  test.each([
    'status=pending',
    'status=OPEN',
    'status=',
    'status=PENDING&status=REVOKED',
    'page=0',
    'page=-1',
    'page=one',
    'limit=0',
    'limit=-1',
    'limit=1.5',
    'limit=many',
  ])('cannot be asked for with %s', async (query) => {
    const { status, body } = await get(`?${query}`)
    expect(status).toBe(422)
    const field = query.split('=')[0]
    expect(body).toEqual(
      refusal(422, 'VALIDATION_FAILED', { details: [{ field, message: expect.any(String) }] }),
    )
  })

  test('is for admins and owners', async () => {
    const outsider = await newOwnedTenant()
    expect((await get('', admin.headers)).status).toBe(200)
    for (const { headers } of [member, outsider.owner]) {
      for (const query of ['', '?status=nonsense']) {
        const { status, body } = await get(query, headers)
        expect(status).toBe(403)
        expect(body).toEqual(refusal(403, 'FORBIDDEN'))
      }
    }
    await expectClosed(await intruders(owner.person), { method: 'GET', path: invitationsPath(tenant.id) })
  })

  test('holds nothing of another tenant', async () => {
    const other = await newOwnedTenant()
    const theirs = await inviteStranger(other.owner.headers, other.tenant.id)
    expect(await listInvitations(other.owner.headers, other.tenant.id)).toMatchObject([{ id: theirs.id }])
    expect((await list()).map(({ id }) => id)).toEqual([newest.id, pending.id])
  })
})
