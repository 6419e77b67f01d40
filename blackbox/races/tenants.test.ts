import { describe, expect, test } from 'vitest'
import { call } from '../support/calls.ts'
import { listMails } from '../support/mail.ts'
import { countOutcomes, expectOneOf, rounds, runConcurrently } from '../support/races.ts'
import { unique } from '../support/service.ts'
import { listOwners, newPair, newSharedTenant } from '../support/shared-tenant.ts'
import { listMembers, type Member, newCaller, newTenant } from '../support/tenants.ts'

// Concurrent changes of a tenant by its members.
const CONCURRENCY = 20
const [ann, ben] = [await newCaller(), await newCaller()]

describe('a slug', () => {
  test.each(rounds())('is assigned to one of 20 concurrent requests, round %i', async () => {
    const slug = unique('wanted')
    const responses = await runConcurrently(CONCURRENCY, (index) =>
      call('POST', '/api/tenants', {
        headers: (index % 2 ? ann : ben).headers,
        body: { name: 'Wanted', slug },
      }),
    )
    expect(countOutcomes(responses)).toEqual({ '201': 1, '409 SLUG_TAKEN': 19 })
    const lists = [ann, ben].map(({ headers }) =>
      call<{ tenants: { slug: string }[] }>('GET', '/api/tenants', { headers }),
    )
    const tenants = (await Promise.all(lists)).flatMap(({ body }) => body.tenants)
    expect(tenants.filter((tenant) => tenant.slug === slug)).toHaveLength(1)
  })

  test.each(rounds(5))('that is generated differs for 20 tenants with one name, round %i', async () => {
    const name = unique('Same')
    const responses = await runConcurrently(CONCURRENCY, () =>
      call('POST', '/api/tenants', { headers: ann.headers, body: { name } }),
    )
    expect(countOutcomes(responses)).toEqual({ '201': CONCURRENCY })
    expect(new Set(responses.map(({ body }) => body.slug)).size).toBe(CONCURRENCY)
  })
})

describe('the last owner', async () => {
  const [demoters, removers, leavers] = [await newPair(), await newPair(), await newPair()]

  test.each(rounds())('stays when two owners demote each other concurrently, round %i', async (round) => {
    const sharedTenant = await newSharedTenant(demoters)
    const { path, first, second } = sharedTenant
    const body = { role: round % 2 ? 'member' : 'admin' }
    const demote = (actor: Member, target: Member) =>
      call('PATCH', `${path}/members/${target.membershipId}`, { headers: actor.headers, body })
    const responses = await Promise.all([demote(first, second), demote(second, first)])
    const [one] = expectOneOf(responses, [
      ['200', '403 FORBIDDEN'],
      ['403 FORBIDDEN', '200'],
    ])
    expect(await listOwners(sharedTenant)).toEqual([(one === '200' ? first : second).person.email])
  })

  test.each(rounds())('stays when two owners remove each other concurrently, round %i', async () => {
    const sharedTenant = await newSharedTenant(removers)
    const { path, first, second } = sharedTenant
    const remove = (actor: Member, target: Member) =>
      call('DELETE', `${path}/members/${target.membershipId}`, { headers: actor.headers })
    const responses = await Promise.all([remove(first, second), remove(second, first)])
    const [one] = expectOneOf(responses, [
      ['200', '403 FORBIDDEN'],
      ['403 FORBIDDEN', '200'],
    ])
    expect(await listOwners(sharedTenant)).toEqual([(one === '200' ? first : second).person.email])
    const left = await listMembers((one === '200' ? first : second).headers, sharedTenant.id)
    expect(left.members).toHaveLength(1)
  })

  // Each owner acts on their own membership, so only the last-owner rule can refuse the second.
  const ACTIONS = [
    ['step down', 'PATCH', { role: 'member' }],
    ['suspend themselves', 'PATCH', { status: 'SUSPENDED' }],
    ['leave', 'DELETE', undefined],
  ] as const
  const cases = rounds().map((round) => [round, ...(ACTIONS[round % 3] ?? ACTIONS[0])] as const)
  test.each(cases)('stays when both owners leave, round %i: %s', async (_, __, method, body) => {
    const sharedTenant = await newSharedTenant(leavers)
    const { path, first, second } = sharedTenant
    const leave = ({ headers, membershipId }: Member) =>
      call(method, `${path}/members/${membershipId}`, { headers, body })
    const responses = await Promise.all([leave(first), leave(second)])
    const [one] = expectOneOf(responses, [
      ['200', '409 LAST_OWNER'],
      ['409 LAST_OWNER', '200'],
    ])
    expect(await listOwners(sharedTenant)).toEqual([(one === '200' ? second : first).person.email])
  })
})

describe('concurrent changes', () => {
  test.each(rounds())('of settings are not lost, round %i', async () => {
    const { id } = await newTenant(ann.headers)
    const { headers } = ann
    const responses = await runConcurrently(CONCURRENCY, (index) =>
      call('PATCH', `/api/tenants/${id}`, { headers, body: { settings: { [`key${index}`]: index } } }),
    )
    expect(countOutcomes(responses)).toEqual({ '200': CONCURRENCY })
    const { body } = await call('GET', `/api/tenants/${id}`, { headers })
    const all = Array.from({ length: CONCURRENCY }, (_, index) => [`key${index}`, index])
    expect(body.settings).toEqual(Object.fromEntries(all))
  })

  test.each(rounds())('of one invitation create one and send one mail, round %i', async (round) => {
    const name = unique('Inviting ')
    const { id } = await newTenant(ann.headers, name)
    const { headers } = ann
    // Every other round uses an existing account.
    const email = round % 2 ? `${unique('someone')}@blackbox.test` : ben.person.email
    const responses = await runConcurrently(CONCURRENCY, () =>
      call('POST', `/api/tenants/${id}/invitations`, { headers, body: { email } }),
    )
    expect(countOutcomes(responses)).toEqual({ '201': 1, '409 INVITATION_EXISTS': 19 })
    expect((await listMails(email)).filter(({ text }) => text.includes(name))).toHaveLength(1)
    const { members } = await listMembers(headers, id, '?status=INVITED')
    expect(members.map(({ user }) => user.email)).toEqual([email])
  })
})
