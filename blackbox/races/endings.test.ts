import { describe, expect, test } from 'vitest'
import { logIn } from '../support/account.ts'
import { call } from '../support/calls.ts'
import { afterMs, expectOneOf, outcomeOf, rounds } from '../support/races.ts'
import { type Answer, unique } from '../support/service.ts'
import {
  type Insider,
  invitationTokenFor,
  invite,
  type Member,
  newInsider,
  newTenant,
} from '../support/tenants.ts'
import { newPair, newTwosome, ownersOf, type Twosome } from '../support/twosome.ts'

// Accounts and tenants that end at the moment at which somebody counts on them.

const deleteAccount = ({ headers, person }: Insider) =>
  call('DELETE', '/api/users/me', {
    headers,
    body: { password: person.password, confirmation: 'DELETE MY ACCOUNT' },
  })

const memberPath = ({ path }: Twosome, { membershipId }: Member) => `${path}/members/${membershipId}`

describe('an owner who deletes their account', async () => {
  const [stayer, heir] = [await newInsider(), await newInsider()]

  const LEAVING = [
    ['leaves', 'DELETE', undefined],
    ['steps down', 'PATCH', { role: 'member' }],
  ] as const
  // A password is compared before anything is decided, so that the other one must not be too quick.
  const trials = rounds().map((round) => [round, ...(LEAVING[round % 2] ?? LEAVING[0])] as const)

  test.each(trials)(
    'while the other owner goes too: one of them stays, round %i: the other one %s',
    async (round, _, method, body) => {
      const twosome = await newTwosome({ first: stayer, second: await newInsider() })
      const { first, second } = twosome
      const [deleted] = expectOneOf(
        await Promise.all([
          deleteAccount(second),
          afterMs(round * 2, () =>
            call(method, memberPath(twosome, first), { headers: first.headers, body }),
          ),
        ]),
        [
          ['200', '409 LAST_OWNER'],
          ['400 TENANT_OWNER', '200'],
        ],
      )
      const stays = deleted === '200' ? first : second
      expect(await ownersOf(twosome)).toEqual([stays.person.email])
    },
  )

  test.each(rounds())('while they make another one owner never leaves none, round %i', async (round) => {
    const twosome = await newTwosome({ first: await newInsider(), second: heir }, 'member')
    const { first, second } = twosome
    const promote = () =>
      call('PATCH', memberPath(twosome, second), { headers: first.headers, body: { role: 'owner' } })
    const [deleted] = expectOneOf(
      await Promise.all([deleteAccount(first), afterMs(round * 2, promote)]),
      // Only who has made another one owner may go.
      [
        ['200', '200'],
        ['400 TENANT_OWNER', '200'],
      ],
    )
    const owners = deleted === '200' ? [second] : [first, second]
    expect((await ownersOf(twosome)).sort()).toEqual(owners.map(({ person }) => person.email).sort())
  })
})

describe('a member who deletes their account while they are made an owner', async () => {
  const owner = await newInsider()

  test.each(rounds())('is gone, and the tenant has the owner it had, round %i', async (round) => {
    const twosome = await newTwosome({ first: owner, second: await newInsider() }, 'member')
    const { first, second } = twosome
    const promote = () =>
      call('PATCH', memberPath(twosome, second), { headers: first.headers, body: { role: 'owner' } })
    expectOneOf(await Promise.all([deleteAccount(second), afterMs(round * 2, promote)]), [
      ['200', '200'],
      ['200', '404 MEMBER_NOT_FOUND'],
    ])
    expect(await ownersOf(twosome)).toEqual([first.person.email])
    expect(outcomeOf(await call('DELETE', memberPath(twosome, first), { headers: first.headers }))).toBe(
      '409 LAST_OWNER',
    )
  })
})

describe('a tenant that is deleted', async () => {
  const [pair, guest] = [await newPair(), await newInsider()]
  const { id: kept } = await newTenant(guest.headers)
  const newAddress = () => `${unique('someone')}@blackbox.test`

  type Meanwhile = (twosome: Twosome) => Promise<Answer>
  const MEANWHILE: [string, string, Meanwhile][] = [
    [
      'somebody is invited',
      '201',
      ({ path, second: { headers } }) =>
        call('POST', `${path}/invitations`, { headers, body: { email: newAddress() } }),
    ],
    [
      'a member gets another role',
      '200',
      (twosome) =>
        call('PATCH', memberPath(twosome, twosome.second), {
          headers: twosome.second.headers,
          body: { role: 'member' },
        }),
    ],
    [
      'a member leaves',
      '200',
      (twosome) => call('DELETE', memberPath(twosome, twosome.second), { headers: twosome.second.headers }),
    ],
    [
      'its settings are changed',
      '200',
      ({ path, second: { headers } }) => call('PATCH', path, { headers, body: { settings: { a: 1 } } }),
    ],
    ['it is deleted', '200', ({ path, second: { headers } }) => call('DELETE', path, { headers })],
  ]

  test.each(MEANWHILE)('while %s is gone with all that is its own', async (what, done, meanwhile) => {
    for (const round of rounds(5)) {
      const twosome = await newTwosome(pair)
      const { path, slug, first } = twosome
      const remove = () => call('DELETE', path, { headers: first.headers })
      const answers = await Promise.all(
        round % 2
          ? [afterMs(round, remove), meanwhile(twosome)]
          : [remove(), afterMs(round % 4, () => meanwhile(twosome))],
      )
      const isDeletion = what === 'it is deleted'
      expectOneOf(
        answers,
        isDeletion
          ? [
              ['200', GONE],
              [GONE, '200'],
            ]
          : [
              ['200', done],
              ['200', GONE],
            ],
      )
      await expectGone(twosome)
      // Its slug is free, and whoever takes it finds nobody there.
      const again = await call('POST', '/api/tenants', {
        headers: first.headers,
        body: { name: 'Anew', slug },
      })
      expect(again.status).toBe(201)
      const { body } = await call('GET', `/api/tenants/${again.body.id}`, { headers: first.headers })
      expect(body).toMatchObject({ memberCount: 1, settings: {} })
    }
  })

  const GONE = '404 TENANT_NOT_FOUND'

  async function expectGone({ id, path, first, second }: Twosome): Promise<void> {
    for (const { headers } of [first, second]) {
      expect(outcomeOf(await call('GET', path, { headers }))).toBe(GONE)
      const { body } = await call<{ tenants: { id: string }[] }>('GET', '/api/tenants', { headers })
      expect(body.tenants.filter((tenant) => tenant.id === id)).toEqual([])
    }
  }

  const ACCEPTED_OR_NOT = [
    ['200', '200'],
    ['200', '404 INVITATION_NOT_FOUND'],
  ]

  test.each(rounds())(
    'while somebody new accepts leaves no invitation and no half account, round %i',
    async (round) => {
      const { headers } = pair.first
      const { id } = await newTenant(headers)
      const email = newAddress()
      await invite(headers, id, { email })
      const token = await invitationTokenFor(email)
      const password = unique('a long enough secret')
      const body = { password, givenName: 'Sam', familyName: 'Someone' }
      const [, accepted] = expectOneOf(
        await Promise.all([
          afterMs(round * 4, () => call('DELETE', `/api/tenants/${id}`, { headers })),
          call('POST', `/api/invitations/${token}/accept`, { body }),
        ]),
        ACCEPTED_OR_NOT,
      )
      expect(outcomeOf(await call('GET', `/api/tenants/${id}`, { headers }))).toBe(GONE)
      expect(outcomeOf(await call('GET', `/api/invitations/${token}`))).toBe('404 INVITATION_NOT_FOUND')
      expect(await logIn(email, password)).toBe(accepted === '200' ? 200 : 401)
    },
  )

  test.each(rounds())(
    'while somebody who has an account accepts leaves them what else they have, round %i',
    async (round) => {
      const { headers } = pair.first
      const { id } = await newTenant(headers)
      await invite(headers, id, { email: guest.person.email })
      const token = await invitationTokenFor(guest.person.email)
      const accept = () =>
        call('POST', `/api/invitations/${token}/accept`, { headers: guest.headers, body: {} })
      expectOneOf(
        await Promise.all([
          afterMs(round % 5, () => call('DELETE', `/api/tenants/${id}`, { headers })),
          afterMs(round % 3, accept),
        ]),
        ACCEPTED_OR_NOT,
      )
      expect(outcomeOf(await call('GET', `/api/invitations/${token}`))).toBe('404 INVITATION_NOT_FOUND')
      const { body } = await call<{ tenants: { id: string }[] }>('GET', '/api/tenants', {
        headers: guest.headers,
      })
      expect(body.tenants.map((tenant) => tenant.id)).toEqual([kept])
    },
  )
})
