import { describe, expect, test } from 'vitest'
import { logIn } from '../support/account.ts'
import { call } from '../support/calls.ts'
import { afterMs, countOutcomes, expectOneOf, rounds, runConcurrently } from '../support/races.ts'
import { unique } from '../support/service.ts'
import { type Caller, invite, listMembers, newCaller, newTenant, waitForInvitationToken } from '../support/tenants.ts'

// Concurrent requests for one invitation.
const host = await newCaller()
const { headers } = host

interface Invitation {
  tenantId: string
  invitationId: string
  email: string
  token: string
}

async function inviteToNewTenant(email: string): Promise<Invitation> {
  const { id: tenantId } = await newTenant(headers)
  const invitationId = await invite(headers, tenantId, { email })
  return { tenantId, invitationId, email, token: await waitForInvitationToken(email) }
}
const newAddress = () => `${unique('someone')}@blackbox.test`
const PASSWORD = unique('a long enough secret')
const NEWCOMER = { password: PASSWORD, givenName: 'Sam', familyName: 'Someone' }

const acceptAsNew = ({ token }: Invitation) => call('POST', `/api/invitations/${token}/accept`, { body: NEWCOMER })
const acceptAs = ({ token }: Invitation, guest: Caller) =>
  call('POST', `/api/invitations/${token}/accept`, { headers: guest.headers, body: {} })
const revoke = ({ tenantId, invitationId }: Invitation) =>
  call('DELETE', `/api/tenants/${tenantId}/invitations/${invitationId}`, { headers })

/** The resulting state: the invited member, and the invitation with its status. */
async function readState({ tenantId, email, invitationId }: Invitation) {
  const { members } = await listMembers(headers, tenantId)
  const path = `/api/tenants/${tenantId}/invitations`
  const lists = await Promise.all(
    ['PENDING', 'ACCEPTED', 'REVOKED', 'EXPIRED'].map(async (status) => {
      const { body } = await call<{ invitations: { id: string; status: string }[] }>(
        'GET',
        `${path}?status=${status}`,
        { headers },
      )
      return body.invitations
    }),
  )
  return {
    memberships: members.filter(({ user }) => user.email === email).map(({ status }) => status),
    invitations: lists.flat().map(({ id, status }) => [id === invitationId, status]),
  }
}
const JOINED = { memberships: ['ACTIVE'], invitations: [[true, 'ACCEPTED']] }
const NOT_JOINED = { memberships: [], invitations: [[true, 'REVOKED']] }

describe('concurrent acceptances of one invitation', async () => {
  const guest = await newCaller()

  test.each(rounds())('create one account and one member for a new person, round %i', async (round) => {
    const invited = await inviteToNewTenant(newAddress())
    // Each request hashes a password, which takes time.
    const count = round === 1 ? 20 : 5
    const responses = await runConcurrently(count, () => acceptAsNew(invited))
    expect(countOutcomes(responses)).toEqual({ '200': 1, '409 INVITATION_ALREADY_ACCEPTED': count - 1 })
    expect(await readState(invited)).toEqual(JOINED)
    expect(await logIn(invited.email, PASSWORD)).toBe(200)
  })

  test.each(rounds())('add an existing person once, round %i', async () => {
    const invited = await inviteToNewTenant(guest.person.email)
    const responses = await runConcurrently(20, () => acceptAs(invited, guest))
    expect(countOutcomes(responses)).toEqual({ '200': 1, '409 INVITATION_ALREADY_ACCEPTED': 19 })
    expect(await readState(invited)).toEqual(JOINED)
  })
})

describe('concurrent acceptance and revocation of an invitation', async () => {
  const guest = await newCaller()

  const ALLOWED_OUTCOMES = [
    ['200', '409 INVITATION_NOT_PENDING'],
    ['410 INVITATION_REVOKED', '200'],
  ]

  test.each(rounds())('by a new person have one consistent result, round %i', async (round) => {
    const invited = await inviteToNewTenant(newAddress())
    const [accepted] = expectOneOf(
      await Promise.all([acceptAsNew(invited), afterMs(round * 4, () => revoke(invited))]),
      ALLOWED_OUTCOMES,
    )
    expect(await readState(invited)).toEqual(accepted === '200' ? JOINED : NOT_JOINED)
    // Without acceptance there is no account.
    expect(await logIn(invited.email, PASSWORD)).toBe(accepted === '200' ? 200 : 401)
  })

  test.each(rounds())('by an existing person have one consistent result, round %i', async (round) => {
    const invited = await inviteToNewTenant(guest.person.email)
    const [accepted] = expectOneOf(
      await Promise.all([
        afterMs(round % 4, () => acceptAs(invited, guest)),
        afterMs(round % 3, () => revoke(invited)),
      ]),
      ALLOWED_OUTCOMES,
    )
    expect(await readState(invited)).toEqual(accepted === '200' ? JOINED : NOT_JOINED)
    // The account is unchanged in both cases.
    expect((await call('GET', '/api/users/me', { headers: guest.headers })).status).toBe(200)
  })
})

describe('an invitation that is accepted while its member is removed', async () => {
  const guest = await newCaller()

  test.each(rounds())('leaves neither a member nor an open invitation, round %i', async (round) => {
    const invited = await inviteToNewTenant(guest.person.email)
    const { members } = await listMembers(headers, invited.tenantId, '?status=INVITED')
    const path = `/api/tenants/${invited.tenantId}/members/${members[0]?.id}`
    const [accepted] = expectOneOf(
      await Promise.all([acceptAs(invited, guest), afterMs(round % 4, () => call('DELETE', path, { headers }))]),
      [
        ['200', '200'],
        ['410 INVITATION_REVOKED', '200'],
      ],
    )
    // A removed ACTIVE member has accepted before. In both cases there is no member afterwards.
    const settled = accepted === '200' ? 'ACCEPTED' : 'REVOKED'
    expect(await readState(invited)).toEqual({
      memberships: [],
      invitations: [[true, settled]],
    })
  })
})

describe('concurrent resend and acceptance of an invitation', async () => {
  const guest = await newCaller()

  test.each(rounds(9))(
    'succeeds with one link, with the old one only before it was replaced, round %i',
    async (round) => {
      const invited = await inviteToNewTenant(guest.person.email)
      const path = `/api/tenants/${invited.tenantId}/invitations/${invited.invitationId}/resend`
      const [accepted] = expectOneOf(
        await Promise.all([acceptAs(invited, guest), afterMs(round % 3, () => call('POST', path, { headers }))]),
        [
          ['200', '409 INVITATION_NOT_PENDING'],
          ['404 INVITATION_NOT_FOUND', '200'],
        ],
      )
      if (accepted !== '200') {
        const token = await waitForInvitationToken(guest.person.email)
        expect((await acceptAs({ ...invited, token }, guest)).status).toBe(200)
      }
      expect(await readState(invited)).toEqual(JOINED)
    },
  )
})
