import { describe, expect, test } from 'vitest'
import { logIn } from '../support/account.ts'
import { call } from '../support/calls.ts'
import { afterMs, atOnce, expectOneOf, rounds, tally } from '../support/races.ts'
import { unique } from '../support/service.ts'
import {
  type Insider,
  invitationTokenFor,
  invite,
  listMembers,
  newInsider,
  newTenant,
} from '../support/tenants.ts'

// One invitation, and several who do something with it at the same moment.
const host = await newInsider()
const { headers } = host

interface Invited {
  tenantId: string
  invitationId: string
  email: string
  token: string
}

async function inviteAnew(email: string): Promise<Invited> {
  const { id: tenantId } = await newTenant(headers)
  const invitationId = await invite(headers, tenantId, { email })
  return { tenantId, invitationId, email, token: await invitationTokenFor(email) }
}
const newAddress = () => `${unique('someone')}@blackbox.test`
const PASSWORD = unique('a long enough secret')
const NEWCOMER = { password: PASSWORD, givenName: 'Sam', familyName: 'Someone' }

const acceptAsNew = ({ token }: Invited) =>
  call('POST', `/api/invitations/${token}/accept`, { body: NEWCOMER })
const acceptAs = ({ token }: Invited, guest: Insider) =>
  call('POST', `/api/invitations/${token}/accept`, { headers: guest.headers, body: {} })
const revoke = ({ tenantId, invitationId }: Invited) =>
  call('DELETE', `/api/tenants/${tenantId}/invitations/${invitationId}`, { headers })

/** What has become of it: the guest among the members, and the invitation among those of a status. */
async function stateOf({ tenantId, email, invitationId }: Invited) {
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

describe('one invitation that is accepted many times at once', async () => {
  const guest = await newInsider()

  test.each(rounds())('makes one account and one member of somebody new, round %i', async (round) => {
    const invited = await inviteAnew(newAddress())
    // Every one of them has a password hashed, which takes its time.
    const count = round === 1 ? 20 : 5
    const answers = await atOnce(count, () => acceptAsNew(invited))
    expect(tally(answers)).toEqual({ '200': 1, '409 INVITATION_ALREADY_ACCEPTED': count - 1 })
    expect(await stateOf(invited)).toEqual(JOINED)
    expect(await logIn(invited.email, PASSWORD)).toBe(200)
  })

  test.each(rounds())('makes a member of somebody who has an account, once, round %i', async () => {
    const invited = await inviteAnew(guest.person.email)
    const answers = await atOnce(20, () => acceptAs(invited, guest))
    expect(tally(answers)).toEqual({ '200': 1, '409 INVITATION_ALREADY_ACCEPTED': 19 })
    expect(await stateOf(invited)).toEqual(JOINED)
  })
})

describe('an invitation that is accepted and revoked at once', async () => {
  const guest = await newInsider()

  const WAYS = [
    ['200', '409 INVITATION_NOT_PENDING'],
    ['410 INVITATION_REVOKED', '200'],
  ]

  test.each(rounds())('by somebody new is one of both, and so says everything, round %i', async (round) => {
    const invited = await inviteAnew(newAddress())
    const [accepted] = expectOneOf(
      await Promise.all([acceptAsNew(invited), afterMs(round * 4, () => revoke(invited))]),
      WAYS,
    )
    expect(await stateOf(invited)).toEqual(accepted === '200' ? JOINED : NOT_JOINED)
    // Who has not come in time has no account either.
    expect(await logIn(invited.email, PASSWORD)).toBe(accepted === '200' ? 200 : 401)
  })

  test.each(rounds())(
    'by somebody who has an account is one of both, and so says everything, round %i',
    async (round) => {
      const invited = await inviteAnew(guest.person.email)
      const [accepted] = expectOneOf(
        await Promise.all([
          afterMs(round % 4, () => acceptAs(invited, guest)),
          afterMs(round % 3, () => revoke(invited)),
        ]),
        WAYS,
      )
      expect(await stateOf(invited)).toEqual(accepted === '200' ? JOINED : NOT_JOINED)
      // Their account is as it was either way.
      expect((await call('GET', '/api/users/me', { headers: guest.headers })).status).toBe(200)
    },
  )
})

describe('an invitation that is accepted while its guest is removed', async () => {
  const guest = await newInsider()

  test.each(rounds())('ends without a member and without an open invitation, round %i', async (round) => {
    const invited = await inviteAnew(guest.person.email)
    const { members } = await listMembers(headers, invited.tenantId, '?status=INVITED')
    const path = `/api/tenants/${invited.tenantId}/members/${members[0]?.id}`
    const [accepted] = expectOneOf(
      await Promise.all([
        acceptAs(invited, guest),
        afterMs(round % 4, () => call('DELETE', path, { headers })),
      ]),
      [
        ['200', '200'],
        ['410 INVITATION_REVOKED', '200'],
      ],
    )
    // Whoever was removed as a member has accepted before; nobody is there any more either way.
    const settled = accepted === '200' ? 'ACCEPTED' : 'REVOKED'
    expect(await stateOf(invited)).toEqual({
      memberships: [],
      invitations: [[true, settled]],
    })
  })
})

describe('an invitation that is sent again and accepted at once', async () => {
  const guest = await newInsider()

  test.each(rounds(9))(
    'is accepted by one of its links, by the old one only before it was replaced, round %i',
    async (round) => {
      const invited = await inviteAnew(guest.person.email)
      const path = `/api/tenants/${invited.tenantId}/invitations/${invited.invitationId}/resend`
      const [accepted] = expectOneOf(
        await Promise.all([
          acceptAs(invited, guest),
          afterMs(round % 3, () => call('POST', path, { headers })),
        ]),
        [
          ['200', '409 INVITATION_NOT_PENDING'],
          ['404 INVITATION_NOT_FOUND', '200'],
        ],
      )
      if (accepted !== '200') {
        const token = await invitationTokenFor(guest.person.email)
        expect((await acceptAs({ ...invited, token }, guest)).status).toBe(200)
      }
      expect(await stateOf(invited)).toEqual(JOINED)
    },
  )
})
