import { describe, expect, test } from 'vitest'
import { logIn } from '../support/account.ts'
import { call } from '../support/calls.ts'
import { afterMs, expectOneOf, rounds, toOutcome } from '../support/races.ts'
import { type ApiResponse, unique } from '../support/service.ts'
import { listOwners, newPair, newSharedTenant, type SharedTenant } from '../support/shared-tenant.ts'
import { type Caller, invite, type Member, newCaller, newTenant, waitForInvitationToken } from '../support/tenants.ts'

// Accounts and tenants that are deleted during another request.

const deleteAccount = ({ headers, person }: Caller) =>
  call('DELETE', '/api/users/me', {
    headers,
    body: { password: person.password, confirmation: 'DELETE MY ACCOUNT' },
  })

const memberPath = ({ path }: SharedTenant, { membershipId }: Member) => `${path}/members/${membershipId}`

describe('an owner who deletes their account', async () => {
  const [coOwner, heir] = [await newCaller(), await newCaller()]

  const LEAVING = [
    ['leaves', 'DELETE', undefined],
    ['steps down', 'PATCH', { role: 'member' }],
  ] as const
  // The password is checked first, so the other request must not be too fast.
  const cases = rounds().map((round) => [round, ...(LEAVING[round % 2] ?? LEAVING[0])] as const)

  test.each(cases)(
    'concurrently with the other owner leaves one of them, round %i: the other one %s',
    async (round, _, method, body) => {
      const sharedTenant = await newSharedTenant({ first: coOwner, second: await newCaller() })
      const { first, second } = sharedTenant
      const [deleted] = expectOneOf(
        await Promise.all([
          deleteAccount(second),
          afterMs(round * 2, () => call(method, memberPath(sharedTenant, first), { headers: first.headers, body })),
        ]),
        [
          ['200', '409 LAST_OWNER'],
          ['400 TENANT_OWNER', '200'],
        ],
      )
      const remaining = deleted === '200' ? first : second
      expect(await listOwners(sharedTenant)).toEqual([remaining.person.email])
    },
  )

  test.each(rounds())('while making another member owner leaves at least one owner, round %i', async (round) => {
    const sharedTenant = await newSharedTenant({ first: await newCaller(), second: heir }, 'member')
    const { first, second } = sharedTenant
    const promote = () =>
      call('PATCH', memberPath(sharedTenant, second), { headers: first.headers, body: { role: 'owner' } })
    const [deleted] = expectOneOf(
      await Promise.all([deleteAccount(first), afterMs(round * 2, promote)]),
      // The deletion succeeds only if there is another owner.
      [
        ['200', '200'],
        ['400 TENANT_OWNER', '200'],
      ],
    )
    const owners = deleted === '200' ? [second] : [first, second]
    expect((await listOwners(sharedTenant)).sort()).toEqual(owners.map(({ person }) => person.email).sort())
  })
})

describe('a member who deletes their account while they are made an owner', async () => {
  const owner = await newCaller()

  test.each(rounds())('is deleted, and the tenant keeps its owner, round %i', async (round) => {
    const sharedTenant = await newSharedTenant({ first: owner, second: await newCaller() }, 'member')
    const { first, second } = sharedTenant
    const promote = () =>
      call('PATCH', memberPath(sharedTenant, second), { headers: first.headers, body: { role: 'owner' } })
    expectOneOf(await Promise.all([deleteAccount(second), afterMs(round * 2, promote)]), [
      ['200', '200'],
      ['200', '404 MEMBER_NOT_FOUND'],
    ])
    expect(await listOwners(sharedTenant)).toEqual([first.person.email])
    expect(toOutcome(await call('DELETE', memberPath(sharedTenant, first), { headers: first.headers }))).toBe(
      '409 LAST_OWNER',
    )
  })
})

describe('a tenant that is deleted', async () => {
  const [pair, guest] = [await newPair(), await newCaller()]
  const { id: kept } = await newTenant(guest.headers)
  const newAddress = () => `${unique('someone')}@blackbox.test`

  type ConcurrentAction = (sharedTenant: SharedTenant) => Promise<ApiResponse>
  const CONCURRENT_ACTIONS: [string, string, ConcurrentAction][] = [
    [
      'a person is invited',
      '201',
      ({ path, second: { headers } }) =>
        call('POST', `${path}/invitations`, { headers, body: { email: newAddress() } }),
    ],
    [
      'a member gets another role',
      '200',
      (sharedTenant) =>
        call('PATCH', memberPath(sharedTenant, sharedTenant.second), {
          headers: sharedTenant.second.headers,
          body: { role: 'member' },
        }),
    ],
    [
      'a member leaves',
      '200',
      (sharedTenant) =>
        call('DELETE', memberPath(sharedTenant, sharedTenant.second), {
          headers: sharedTenant.second.headers,
        }),
    ],
    [
      'its settings are changed',
      '200',
      ({ path, second: { headers } }) => call('PATCH', path, { headers, body: { settings: { a: 1 } } }),
    ],
    ['it is deleted', '200', ({ path, second: { headers } }) => call('DELETE', path, { headers })],
  ]

  test.each(CONCURRENT_ACTIONS)('while %s loses all its data', async (name, done, concurrentAction) => {
    for (const round of rounds(5)) {
      const sharedTenant = await newSharedTenant(pair)
      const { path, slug, first } = sharedTenant
      const remove = () => call('DELETE', path, { headers: first.headers })
      const responses = await Promise.all(
        round % 2
          ? [afterMs(round, remove), concurrentAction(sharedTenant)]
          : [remove(), afterMs(round % 4, () => concurrentAction(sharedTenant))],
      )
      const isDeletion = name === 'it is deleted'
      expectOneOf(
        responses,
        isDeletion
          ? [
              ['200', NOT_FOUND],
              [NOT_FOUND, '200'],
            ]
          : [
              ['200', done],
              ['200', NOT_FOUND],
            ],
      )
      await expectGone(sharedTenant)
      // Its slug is available, and a new tenant with it has none of the old members.
      const created = await call('POST', '/api/tenants', {
        headers: first.headers,
        body: { name: 'New', slug },
      })
      expect(created.status).toBe(201)
      const { body } = await call('GET', `/api/tenants/${created.body.id}`, { headers: first.headers })
      expect(body).toMatchObject({ memberCount: 1, settings: {} })
    }
  })

  const NOT_FOUND = '404 TENANT_NOT_FOUND'

  async function expectGone({ id, path, first, second }: SharedTenant): Promise<void> {
    for (const { headers } of [first, second]) {
      expect(toOutcome(await call('GET', path, { headers }))).toBe(NOT_FOUND)
      const { body } = await call<{ tenants: { id: string }[] }>('GET', '/api/tenants', { headers })
      expect(body.tenants.filter((tenant) => tenant.id === id)).toEqual([])
    }
  }

  const ACCEPTED_OR_NOT = [
    ['200', '200'],
    ['200', '404 INVITATION_NOT_FOUND'],
  ]

  test.each(rounds())(
    'while a new person accepts leaves no invitation, and an account only after acceptance, round %i',
    async (round) => {
      const { headers } = pair.first
      const { id } = await newTenant(headers)
      const email = newAddress()
      await invite(headers, id, { email })
      const token = await waitForInvitationToken(email)
      const password = unique('a long enough secret')
      const body = { password, givenName: 'Sam', familyName: 'Someone' }
      const [, accepted] = expectOneOf(
        await Promise.all([
          afterMs(round * 4, () => call('DELETE', `/api/tenants/${id}`, { headers })),
          call('POST', `/api/invitations/${token}/accept`, { body }),
        ]),
        ACCEPTED_OR_NOT,
      )
      expect(toOutcome(await call('GET', `/api/tenants/${id}`, { headers }))).toBe(NOT_FOUND)
      expect(toOutcome(await call('GET', `/api/invitations/${token}`))).toBe('404 INVITATION_NOT_FOUND')
      expect(await logIn(email, password)).toBe(accepted === '200' ? 200 : 401)
    },
  )

  test.each(rounds())('while an existing person accepts keeps their other data, round %i', async (round) => {
    const { headers } = pair.first
    const { id } = await newTenant(headers)
    await invite(headers, id, { email: guest.person.email })
    const token = await waitForInvitationToken(guest.person.email)
    const accept = () => call('POST', `/api/invitations/${token}/accept`, { headers: guest.headers, body: {} })
    expectOneOf(
      await Promise.all([
        afterMs(round % 5, () => call('DELETE', `/api/tenants/${id}`, { headers })),
        afterMs(round % 3, accept),
      ]),
      ACCEPTED_OR_NOT,
    )
    expect(toOutcome(await call('GET', `/api/invitations/${token}`))).toBe('404 INVITATION_NOT_FOUND')
    const { body } = await call<{ tenants: { id: string }[] }>('GET', '/api/tenants', {
      headers: guest.headers,
    })
    expect(body.tenants.map((tenant) => tenant.id)).toEqual([kept])
  })
})
