import { describe, expect, test } from 'vitest'
import { call } from '../support/calls.ts'
import { mailTo } from '../support/mail.ts'
import { atOnce, expectOneOf, rounds, tally } from '../support/races.ts'
import { unique } from '../support/service.ts'
import { listMembers, type Member, newInsider, newTenant } from '../support/tenants.ts'
import { newPair, newTwosome, ownersOf } from '../support/twosome.ts'

// What the people of a tenant do to it and to each other at the same moment.
const AT_ONCE = 20
const [ann, ben] = [await newInsider(), await newInsider()]

describe('a slug', () => {
  test.each(rounds())('goes to one of 20 who ask for it at once, round %i', async () => {
    const slug = unique('wanted')
    const answers = await atOnce(AT_ONCE, (index) =>
      call('POST', '/api/tenants', {
        headers: (index % 2 ? ann : ben).headers,
        body: { name: 'Wanted', slug },
      }),
    )
    expect(tally(answers)).toEqual({ '201': 1, '409 SLUG_TAKEN': 19 })
    const lists = [ann, ben].map(({ headers }) =>
      call<{ tenants: { slug: string }[] }>('GET', '/api/tenants', { headers }),
    )
    const held = (await Promise.all(lists)).flatMap(({ body }) => body.tenants)
    expect(held.filter((tenant) => tenant.slug === slug)).toHaveLength(1)
  })

  test.each(rounds(5))(
    'that we make ourselves is one for each of 20 tenants of one name, round %i',
    async () => {
      const name = unique('Same')
      const answers = await atOnce(AT_ONCE, () =>
        call('POST', '/api/tenants', { headers: ann.headers, body: { name } }),
      )
      expect(tally(answers)).toEqual({ '201': AT_ONCE })
      expect(new Set(answers.map(({ body }) => body.slug)).size).toBe(AT_ONCE)
    },
  )
})

describe('the last owner', async () => {
  const [demoters, removers, goers] = [await newPair(), await newPair(), await newPair()]

  test.each(rounds())('of two who demote each other at once stays one, round %i', async (round) => {
    const twosome = await newTwosome(demoters)
    const { path, first, second } = twosome
    const body = { role: round % 2 ? 'member' : 'admin' }
    const demote = (actor: Member, target: Member) =>
      call('PATCH', `${path}/members/${target.membershipId}`, { headers: actor.headers, body })
    const answers = await Promise.all([demote(first, second), demote(second, first)])
    const [one] = expectOneOf(answers, [
      ['200', '403 FORBIDDEN'],
      ['403 FORBIDDEN', '200'],
    ])
    expect(await ownersOf(twosome)).toEqual([(one === '200' ? first : second).person.email])
  })

  test.each(rounds())('of two who remove each other at once stays one, round %i', async () => {
    const twosome = await newTwosome(removers)
    const { path, first, second } = twosome
    const remove = (actor: Member, target: Member) =>
      call('DELETE', `${path}/members/${target.membershipId}`, { headers: actor.headers })
    const answers = await Promise.all([remove(first, second), remove(second, first)])
    const [one] = expectOneOf(answers, [
      ['200', '403 FORBIDDEN'],
      ['403 FORBIDDEN', '200'],
    ])
    expect(await ownersOf(twosome)).toEqual([(one === '200' ? first : second).person.email])
    const left = await listMembers((one === '200' ? first : second).headers, twosome.id)
    expect(left.members).toHaveLength(1)
  })

  // Each for themselves, so that nothing but the rule itself holds the second back.
  const WAYS = [
    ['step down', 'PATCH', { role: 'member' }],
    ['suspend themselves', 'PATCH', { status: 'SUSPENDED' }],
    ['leave', 'DELETE', undefined],
  ] as const
  const trials = rounds().map((round) => [round, ...(WAYS[round % 3] ?? WAYS[0])] as const)
  test.each(trials)('of two stays when both go, round %i: %s', async (_, __, method, body) => {
    const twosome = await newTwosome(goers)
    const { path, first, second } = twosome
    const go = ({ headers, membershipId }: Member) =>
      call(method, `${path}/members/${membershipId}`, { headers, body })
    const answers = await Promise.all([go(first), go(second)])
    const [one] = expectOneOf(answers, [
      ['200', '409 LAST_OWNER'],
      ['409 LAST_OWNER', '200'],
    ])
    expect(await ownersOf(twosome)).toEqual([(one === '200' ? second : first).person.email])
  })
})

describe('what is changed by many at once', () => {
  test.each(rounds())('settings lose nothing, round %i', async () => {
    const { id } = await newTenant(ann.headers)
    const { headers } = ann
    const answers = await atOnce(AT_ONCE, (index) =>
      call('PATCH', `/api/tenants/${id}`, { headers, body: { settings: { [`key${index}`]: index } } }),
    )
    expect(tally(answers)).toEqual({ '200': AT_ONCE })
    const { body } = await call('GET', `/api/tenants/${id}`, { headers })
    const all = Array.from({ length: AT_ONCE }, (_, index) => [`key${index}`, index])
    expect(body.settings).toEqual(Object.fromEntries(all))
  })

  test.each(rounds())('an address is invited once and gets one mail, round %i', async (round) => {
    const name = unique('Inviting ')
    const { id } = await newTenant(ann.headers, name)
    const { headers } = ann
    // In every other round somebody who has been here before.
    const email = round % 2 ? `${unique('someone')}@blackbox.test` : ben.person.email
    const answers = await atOnce(AT_ONCE, () =>
      call('POST', `/api/tenants/${id}/invitations`, { headers, body: { email } }),
    )
    expect(tally(answers)).toEqual({ '201': 1, '409 INVITATION_EXISTS': 19 })
    expect((await mailTo(email)).filter(({ text }) => text.includes(name))).toHaveLength(1)
    const { members } = await listMembers(headers, id, '?status=INVITED')
    expect(members.map(({ user }) => user.email)).toEqual([email])
  })
})
