import { describe, expect, test } from 'vitest'
import { call, errorBody } from '../support/calls.ts'
import { baseUrl, unique } from '../support/service.ts'
import { TIMESTAMP, UUID } from '../support/sign-in.ts'
import {
  invite,
  joinTenant,
  listMembers,
  newCaller,
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

const founder = await newCaller()
const createTenant = (body: unknown, headers: Record<string, string> = {}) =>
  call<Tenant>('POST', TENANTS, { headers: { ...founder.headers, ...headers }, body })
const ownTenants = async (headers: Record<string, string>) =>
  (await call<{ tenants: OwnTenant[] }>('GET', TENANTS, { headers })).body.tenants

describe('creating a tenant', () => {
  test('returns only the tenant, with a trimmed name', async () => {
    const slug = unique('t')
    const { status, body, headers } = await createTenant({ name: '  Fresh Foundation \n', slug })
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

  test('makes the creator its only member and owner, without settings and MFA policy', async () => {
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

  test('uses only name and slug of the body', async () => {
    const ignoredFields = {
      id: '0197a000-0000-7000-8000-000000000001',
      createdAt: '2001-01-01T00:00:00.000Z',
    }
    const more = { settings: { a: 1 }, mfaPolicy: 'REQUIRED', memberCount: 99, ownerId: ignoredFields.id }
    const { status, body } = await createTenant({
      name: 'Modest',
      slug: unique('t'),
      ...ignoredFields,
      ...more,
    })
    expect(status).toBe(201)
    expect(body.id).not.toBe(ignoredFields.id)
    expect(body.createdAt).not.toBe(ignoredFields.createdAt)
    const shown = await call('GET', `${TENANTS}/${body.id}`, { headers: founder.headers })
    expect(shown.body).toEqual({
      ...body,
      settings: {},
      mfaPolicy: 'OPTIONAL',
      memberCount: 1,
      updatedAt: body.createdAt,
    })
  })

  test('with a taken slug is refused for everyone', async () => {
    const { slug } = await newTenant(founder.headers)
    const outsider = await newCaller()
    for (const headers of [founder.headers, outsider.headers]) {
      const response = await call('POST', TENANTS, { headers, body: { name: 'The second', slug } })
      expect(response).toMatchObject({ status: 409, body: errorBody(409, 'SLUG_TAKEN') })
      expect(response.body).toEqual(errorBody(409, 'SLUG_TAKEN'))
    }
    expect(await ownTenants(outsider.headers)).toEqual([])
  })

  test('requires valid JSON', async () => {
    const broken = await fetch(baseUrl + TENANTS, {
      method: 'POST',
      headers: { ...founder.headers, 'content-type': 'application/json' },
      body: '{"name":',
    })
    expect(broken.status).toBe(400)
    expect(await broken.json()).toEqual(errorBody(400, 'INVALID_REQUEST'))
    const text = await createTenant({ name: 'Text' }, { 'content-type': 'text/plain' })
    expect(text.status).toBe(415)
    expect(text.body).toEqual(errorBody(415, 'UNSUPPORTED_MEDIA_TYPE'))
  })
})

describe('creating a tenant with an Idempotency-Key', () => {
  const withKey = (key: string) => ({ 'idempotency-key': key })

  test('happens once, and every repetition has the first response', async () => {
    const { headers } = await newCaller()
    const headersWithKey = { ...headers, ...withKey(unique('key')) }
    const body = { name: 'Only once' }
    const first = await call('POST', TENANTS, { headers: headersWithKey, body })
    const second = await call('POST', TENANTS, { headers: headersWithKey, body })
    expect(first.status).toBe(201)
    expect(second.status).toBe(201)
    expect(second.body).toEqual(first.body)
    expect(await ownTenants(headers)).toHaveLength(1)
  })

  test('happens once also for concurrent repetitions', async () => {
    const { headers } = await newCaller()
    const headersWithKey = { ...headers, ...withKey(unique('key')) }
    const body = { name: 'Only once' }
    const responses = await Promise.all(
      [1, 2, 3, 4, 5].map(() => call('POST', TENANTS, { headers: headersWithKey, body })),
    )
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    expect(new Set(responses.map((response) => response.body.id)).size).toBe(1)
    expect(await ownTenants(headers)).toHaveLength(1)
  })

  test('is refused if the key was used with another body', async () => {
    const { headers } = await newCaller()
    const headersWithKey = { ...headers, ...withKey(unique('key')) }
    await call('POST', TENANTS, { headers: headersWithKey, body: { name: 'The one' } })
    const other = await call('POST', TENANTS, { headers: headersWithKey, body: { name: 'The other' } })
    expect(other.status).toBe(422)
    expect(other.body).toEqual(errorBody(422, 'IDEMPOTENCY_KEY_REUSED'))
    expect(await ownTenants(headers)).toHaveLength(1)
  })

  test('repeats an error, even if its reason is gone', async () => {
    const taken = await newTenant(founder.headers)
    const { headers } = await newCaller()
    const body = { name: 'Patient', slug: taken.slug }
    const headersWithKey = { ...headers, ...withKey(unique('key')) }
    expect((await call('POST', TENANTS, { headers: headersWithKey, body })).status).toBe(409)
    await call('DELETE', `${TENANTS}/${taken.id}`, { headers: founder.headers })
    const again = await call('POST', TENANTS, { headers: headersWithKey, body })
    expect(again.status).toBe(409)
    expect(again.body).toMatchObject({ statusCode: 409, error: 'SLUG_TAKEN' })
    expect((await call('POST', TENANTS, { headers, body })).status).toBe(201)
  })

  test('is independent of the same key of another person', async () => {
    const [one, other] = [await newCaller(), await newCaller()]
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
  test('is empty without a membership', async () => {
    const { headers } = await newCaller()
    const { status, body } = await call('GET', TENANTS, { headers })
    expect(status).toBe(200)
    expect(body).toEqual({ tenants: [] })
  })

  test('is sorted by name and contains the role in each', async () => {
    const caller = await newCaller()
    const { tenant: second, owner } = await newOwnedTenant('Beta')
    await joinTenant(owner.headers, second.id, { ...caller, role: 'admin' })
    const third = await newTenant(caller.headers, 'Gamma')
    const first = await newTenant(caller.headers, 'Alpha')
    expect(await ownTenants(caller.headers)).toEqual([
      { ...first, role: 'owner', memberCount: 1 },
      { ...second, role: 'admin', memberCount: 2 },
      { ...third, role: 'owner', memberCount: 1 },
    ])
  })

  test('contains no tenant where the person is invited, suspended or removed', async () => {
    const caller = await newCaller()
    const { tenant: present, owner } = await newOwnedTenant('Present')
    await joinTenant(owner.headers, present.id, caller)
    const { tenant: invited, owner: inviter } = await newOwnedTenant('Invited')
    await invite(inviter.headers, invited.id, { email: caller.person.email })
    for (const end of ['suspended', 'removed']) {
      const tenant = await newTenant(owner.headers, end)
      await joinTenant(owner.headers, tenant.id, caller)
      const { members } = await listMembers(owner.headers, tenant.id, '?role=member')
      const path = `${TENANTS}/${tenant.id}/members/${members[0]?.id}`
      const ended = { headers: owner.headers, body: { status: 'SUSPENDED' } }
      const { status } = end === 'removed' ? await call('DELETE', path, owner) : await call('PATCH', path, ended)
      expect(status).toBe(200)
    }
    expect(await ownTenants(caller.headers)).toEqual([{ ...present, role: 'member', memberCount: 2 }])
  })

  test('counts ACTIVE members only, as the tenant itself does', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const readCounts = async () => {
      const [listed] = await ownTenants(owner.headers)
      const shown = await call('GET', `${TENANTS}/${tenant.id}`, owner)
      expect(shown.body.memberCount).toBe(listed?.memberCount)
      return listed?.memberCount
    }
    const member = await newMember(owner.headers, tenant.id)
    expect(await readCounts()).toBe(2)
    await invite(owner.headers, tenant.id, { email: `${unique('someone')}@blackbox.test` })
    expect(await readCounts()).toBe(2)
    const path = `${TENANTS}/${tenant.id}/members/${member.membershipId}`
    const set = (status: string) => call('PATCH', path, { headers: owner.headers, body: { status } })
    await set('SUSPENDED')
    expect(await readCounts()).toBe(1)
    await set('ACTIVE')
    expect(await readCounts()).toBe(2)
    await call('DELETE', path, owner)
    expect(await readCounts()).toBe(1)
  })
})

test('a tenant is the same for every member, with the documented fields only', async () => {
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
