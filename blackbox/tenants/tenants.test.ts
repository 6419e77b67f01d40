import { describe, expect, test } from 'vitest'
import { call, refusal } from '../support/calls.ts'
import { base, unique } from '../support/service.ts'
import { TIMESTAMP, UUID } from '../support/sign-in.ts'
import {
  invite,
  joinTenant,
  listMembers,
  newInsider,
  newMember,
  newOwnedTenant,
  newTenant,
  type Tenant,
} from '../support/tenants.ts'

const TENANTS = '/api/tenants'

interface OwnTenant extends Tenant {
  role: string
  memberCount: number
}

const founder = await newInsider()
const found = (body: unknown, headers: Record<string, string> = {}) =>
  call<Tenant>('POST', TENANTS, { headers: { ...founder.headers, ...headers }, body })
const ownTenants = async (headers: Record<string, string>) =>
  (await call<{ tenants: OwnTenant[] }>('GET', TENANTS, { headers })).body.tenants

describe('founding a tenant', () => {
  test('answers with the tenant alone, its name without the space around it', async () => {
    const slug = unique('t')
    const { status, body, headers } = await found({ name: '  Fresh Foundation \n', slug })
    expect(status).toBe(201)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toEqual({
      id: expect.stringMatching(UUID),
      name: 'Fresh Foundation',
      slug,
      createdAt: expect.stringMatching(TIMESTAMP),
    })
    expect(Math.abs(Date.now() - Date.parse(body.createdAt))).toBeLessThan(60_000)
  })

  test('makes whoever founds it its only member and owner, without settings or demand for MFA', async () => {
    const { tenant, owner } = await newOwnedTenant('One of us')
    const shown = await call('GET', `${TENANTS}/${tenant.id}`, { headers: owner.headers })
    expect(shown.status).toBe(200)
    expect(shown.body).toEqual({
      ...tenant,
      settings: {},
      mfaPolicy: 'OPTIONAL',
      memberCount: 1,
      updatedAt: tenant.createdAt,
    })
    expect(await listMembers(owner.headers, tenant.id)).toEqual({
      members: [
        {
          id: owner.membershipId,
          userId: owner.userId,
          status: 'ACTIVE',
          role: 'owner',
          joinedAt: tenant.createdAt,
          user: { email: owner.person.email, displayName: 'Sam Someone', pictureUrl: null },
        },
      ],
      pagination: { page: 1, limit: 20, total: 1, pages: 1 },
    })
  })

  test('takes nothing but name and slug from the body', async () => {
    const wishes = { id: '0197a000-0000-7000-8000-000000000001', createdAt: '2001-01-01T00:00:00.000Z' }
    const more = { settings: { a: 1 }, mfaPolicy: 'REQUIRED', memberCount: 99, ownerId: wishes.id }
    const { status, body } = await found({ name: 'Modest', slug: unique('t'), ...wishes, ...more })
    expect(status).toBe(201)
    expect(body.id).not.toBe(wishes.id)
    expect(body.createdAt).not.toBe(wishes.createdAt)
    const shown = await call('GET', `${TENANTS}/${body.id}`, { headers: founder.headers })
    expect(shown.body).toEqual({
      ...body,
      settings: {},
      mfaPolicy: 'OPTIONAL',
      memberCount: 1,
      updatedAt: body.createdAt,
    })
  })

  test('under the slug of another is refused, whoever asks', async () => {
    const { slug } = await newTenant(founder.headers)
    const stranger = await newInsider()
    for (const headers of [founder.headers, stranger.headers]) {
      const answer = await call('POST', TENANTS, { headers, body: { name: 'The second', slug } })
      expect(answer).toMatchObject({ status: 409, body: refusal(409, 'SLUG_TAKEN') })
      expect(answer.body).toEqual(refusal(409, 'SLUG_TAKEN'))
    }
    expect(await ownTenants(stranger.headers)).toEqual([])
  })

  test('needs JSON that can be read', async () => {
    const broken = await fetch(base + TENANTS, {
      method: 'POST',
      headers: { ...founder.headers, 'content-type': 'application/json' },
      body: '{"name":',
    })
    expect(broken.status).toBe(400)
    expect(await broken.json()).toEqual(refusal(400, 'INVALID_REQUEST'))
    const text = await found({ name: 'Text' }, { 'content-type': 'text/plain' })
    expect(text.status).toBe(415)
    expect(text.body).toEqual(refusal(415, 'UNSUPPORTED_MEDIA_TYPE'))
  })
})

describe('founding a tenant with an Idempotency-Key', () => {
  const withKey = (key: string) => ({ 'idempotency-key': key })

  test('happens once, and every repetition gets the first answer', async () => {
    const { headers } = await newInsider()
    const keyed = { ...headers, ...withKey(unique('key')) }
    const body = { name: 'Only once' }
    const first = await call('POST', TENANTS, { headers: keyed, body })
    const second = await call('POST', TENANTS, { headers: keyed, body })
    expect(first.status).toBe(201)
    expect(second.status).toBe(201)
    expect(second.body).toEqual(first.body)
    expect(await ownTenants(headers)).toHaveLength(1)
  })

  test('happens once also when the repetitions do not wait for the answer', async () => {
    const { headers } = await newInsider()
    const keyed = { ...headers, ...withKey(unique('key')) }
    const body = { name: 'Only once' }
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map(() => call('POST', TENANTS, { headers: keyed, body })),
    )
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1)
    expect(await ownTenants(headers)).toHaveLength(1)
  })

  test('is refused when the key came with another body before', async () => {
    const { headers } = await newInsider()
    const keyed = { ...headers, ...withKey(unique('key')) }
    await call('POST', TENANTS, { headers: keyed, body: { name: 'The one' } })
    const other = await call('POST', TENANTS, { headers: keyed, body: { name: 'The other' } })
    expect(other.status).toBe(422)
    expect(other.body).toEqual(refusal(422, 'IDEMPOTENCY_KEY_REUSED'))
    expect(await ownTenants(headers)).toHaveLength(1)
  })

  test('is refused again under a key that was refused, though the reason has gone', async () => {
    const taken = await newTenant(founder.headers)
    const { headers } = await newInsider()
    const body = { name: 'Patient', slug: taken.slug }
    const keyed = { ...headers, ...withKey(unique('key')) }
    expect((await call('POST', TENANTS, { headers: keyed, body })).status).toBe(409)
    await call('DELETE', `${TENANTS}/${taken.id}`, { headers: founder.headers })
    const again = await call('POST', TENANTS, { headers: keyed, body })
    expect(again.status).toBe(409)
    expect(again.body).toMatchObject({ statusCode: 409, error: 'SLUG_TAKEN' })
    expect((await call('POST', TENANTS, { headers, body })).status).toBe(201)
  })

  test('has nothing to do with the same key of another person', async () => {
    const [one, other] = [await newInsider(), await newInsider()]
    const key = withKey(unique('key'))
    const body = { name: 'Same words' }
    const first = await call('POST', TENANTS, { headers: { ...one.headers, ...key }, body })
    const second = await call('POST', TENANTS, { headers: { ...other.headers, ...key }, body })
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body.id).not.toBe(first.body.id)
    expect(await ownTenants(other.headers)).toMatchObject([{ id: second.body.id }])
  })
})

describe('the list of own tenants', () => {
  test('is empty for whoever belongs to none', async () => {
    const { headers } = await newInsider()
    const { status, body } = await call('GET', TENANTS, { headers })
    expect(status).toBe(200)
    expect(body).toEqual({ tenants: [] })
  })

  test('goes by name and tells the role in each', async () => {
    const insider = await newInsider()
    const { tenant: second, owner } = await newOwnedTenant('Beta')
    await joinTenant(owner.headers, second.id, { ...insider, role: 'admin' })
    const third = await newTenant(insider.headers, 'Gamma')
    const first = await newTenant(insider.headers, 'Alpha')
    expect(await ownTenants(insider.headers)).toEqual([
      { ...first, role: 'owner', memberCount: 1 },
      { ...second, role: 'admin', memberCount: 2 },
      { ...third, role: 'owner', memberCount: 1 },
    ])
  })

  test('leaves out where one is invited, suspended, or was once', async () => {
    const insider = await newInsider()
    const { tenant: present, owner } = await newOwnedTenant('Present')
    await joinTenant(owner.headers, present.id, insider)
    const { tenant: invited, owner: inviter } = await newOwnedTenant('Invited')
    await invite(inviter.headers, invited.id, { email: insider.person.email })
    for (const end of ['suspended', 'removed']) {
      const tenant = await newTenant(owner.headers, end)
      await joinTenant(owner.headers, tenant.id, insider)
      const { members } = await listMembers(owner.headers, tenant.id, '?role=member')
      const path = `${TENANTS}/${tenant.id}/members/${members[0]?.id}`
      const ended = { headers: owner.headers, body: { status: 'SUSPENDED' } }
      const { status } =
        end === 'removed' ? await call('DELETE', path, owner) : await call('PATCH', path, ended)
      expect(status).toBe(200)
    }
    expect(await ownTenants(insider.headers)).toEqual([{ ...present, role: 'member', memberCount: 2 }])
  })

  test('counts ACTIVE members only, as the tenant itself does', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const counted = async () => {
      const [listed] = await ownTenants(owner.headers)
      const shown = await call('GET', `${TENANTS}/${tenant.id}`, owner)
      expect(shown.body.memberCount).toBe(listed?.memberCount)
      return listed?.memberCount
    }
    const member = await newMember(owner.headers, tenant.id)
    expect(await counted()).toBe(2)
    await invite(owner.headers, tenant.id, { email: `${unique('someone')}@blackbox.test` })
    expect(await counted()).toBe(2)
    const path = `${TENANTS}/${tenant.id}/members/${member.membershipId}`
    const set = (status: string) => call('PATCH', path, { headers: owner.headers, body: { status } })
    await set('SUSPENDED')
    expect(await counted()).toBe(1)
    await set('ACTIVE')
    expect(await counted()).toBe(2)
    await call('DELETE', path, owner)
    expect(await counted()).toBe(1)
  })
})

test('a tenant shows itself to every member alike, and only what is documented', async () => {
  const { tenant, owner } = await newOwnedTenant()
  const member = await newMember(owner.headers, tenant.id, 'member')
  const adminMember = await newMember(owner.headers, tenant.id, 'admin')
  const shown = {
    ...tenant,
    settings: {},
    mfaPolicy: 'OPTIONAL',
    memberCount: 3,
    updatedAt: tenant.createdAt,
  }
  for (const { headers } of [owner, member, adminMember]) {
    const { status, body } = await call('GET', `${TENANTS}/${tenant.id}`, { headers })
    expect(status).toBe(200)
    expect(body).toEqual(shown)
  }
})
