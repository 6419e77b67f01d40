import { describe, expect, test } from 'vitest'
import { call, errorBody, expectForbidden, newForbiddenCallers } from '../support/calls.ts'
import {
  acceptInvitation,
  invitationsPath,
  inviteNewAddress,
  listInvitations,
  newAccountFields,
  revokeInvitation,
} from '../support/invitations.ts'
import { TIMESTAMP } from '../support/sign-in.ts'
import { newMember, newOwnedTenant } from '../support/tenants.ts'

const { tenant, owner } = await newOwnedTenant()
const admin = await newMember(owner.headers, tenant.id, 'admin')
const member = await newMember(owner.headers, tenant.id)
const list = (query = '', headers = owner.headers) => listInvitations(headers, tenant.id, query)
const get = (query: string, headers = owner.headers) => call('GET', invitationsPath(tenant.id) + query, { headers })

const pending = await inviteNewAddress(owner.headers, tenant.id)
const accepted = await inviteNewAddress(owner.headers, tenant.id, { role: 'admin' })
await acceptInvitation(accepted.token, newAccountFields())
const revoked = await inviteNewAddress(admin.headers, tenant.id)
await revokeInvitation(owner.headers, tenant.id, revoked.id)
const newest = await inviteNewAddress(admin.headers, tenant.id)

describe('the list of invitations', () => {
  test('contains pending invitations, the newest first, with the sender', async () => {
    const invitation = { role: 'member', status: 'PENDING' }
    const times = {
      expiresAt: expect.stringMatching(TIMESTAMP),
      createdAt: expect.stringMatching(TIMESTAMP),
    }
    const response = await get('')
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      invitations: [
        {
          id: newest.id,
          email: newest.email,
          ...invitation,
          ...times,
          invitedBy: { id: admin.userId, displayName: 'Sam Someone' },
        },
        {
          id: pending.id,
          email: pending.email,
          ...invitation,
          ...times,
          invitedBy: { id: owner.userId, displayName: 'Sam Someone' },
        },
      ],
    })
    expect(response.headers.get('x-total-count')).toBe('2')
  })

  test('can be filtered by status', async () => {
    const listIds = async (status: string) => {
      const found = await list(`?status=${status}`)
      for (const invitation of found) expect(invitation.status).toBe(status)
      return found.map(({ id }) => id)
    }
    expect(await listIds('PENDING')).toEqual([newest.id, pending.id])
    expect(await listIds('REVOKED')).toEqual([revoked.id])
    expect(await listIds('EXPIRED')).toEqual([])
    // The admin and the member also joined by invitations.
    expect(await listIds('ACCEPTED')).toHaveLength(3)
    expect((await listIds('ACCEPTED'))[0]).toBe(accepted.id)
  })

  test('can be paged', async () => {
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
  ])('%s is refused', async (query) => {
    const { status, body } = await get(`?${query}`)
    expect(status).toBe(422)
    const field = query.split('=')[0]
    expect(body).toEqual(errorBody(422, 'VALIDATION_FAILED', { details: [{ field, message: expect.any(String) }] }))
  })

  test('is readable for admins and owners only', async () => {
    const outsider = await newOwnedTenant()
    expect((await get('', admin.headers)).status).toBe(200)
    for (const { headers } of [member, outsider.owner]) {
      for (const query of ['', '?status=nonsense']) {
        const { status, body } = await get(query, headers)
        expect(status).toBe(403)
        expect(body).toEqual(errorBody(403, 'FORBIDDEN'))
      }
    }
    await expectForbidden(await newForbiddenCallers(owner.person), {
      method: 'GET',
      path: invitationsPath(tenant.id),
    })
  })

  test('contains nothing of other tenants', async () => {
    const other = await newOwnedTenant()
    const theirs = await inviteNewAddress(other.owner.headers, other.tenant.id)
    expect(await listInvitations(other.owner.headers, other.tenant.id)).toMatchObject([{ id: theirs.id }])
    expect((await list()).map(({ id }) => id)).toEqual([newest.id, pending.id])
  })
})
