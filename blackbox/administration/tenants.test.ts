import { describe, expect, test } from 'vitest'
import { client } from '../support/account.ts'
import { callAdmin } from '../support/admin.ts'
import { asPerson, call, errorBody } from '../support/calls.ts'
import { getOperatorHeaders } from '../support/licensing.ts'
import { listMails } from '../support/mail.ts'
import { newPerson } from '../support/person.ts'
import { unique } from '../support/service.ts'
import { TIMESTAMP, UUID } from '../support/sign-in.ts'
import { changeTenant, createTenant, deleteTenant, getUserId, readTenant } from '../support/tenant-administration.ts'
import { listMembers, newCaller, newOwnedTenant, waitForInvitationToken } from '../support/tenants.ts'

const draft = (more: object = {}) => ({ name: 'A tenant for somebody', slug: unique('t'), ...more })

describe('creating a tenant', () => {
  test('without an owner creates an empty tenant with the given fields', async () => {
    const fields = draft({ mfaPolicy: 'REQUIRED', settings: { theme: { dark: true }, gone: null } })
    const { status, body } = await createTenant(fields)
    expect(status).toBe(201)
    const shown = {
      id: expect.stringMatching(UUID),
      name: fields.name,
      slug: fields.slug,
      settings: { theme: { dark: true } },
      mfaPolicy: 'REQUIRED',
      memberCount: 0,
      brandingApproved: false,
      emailCodes: false,
      supportAccess: false,
      language: null,
      suspended: false,
      suspendedAt: null,
      createdAt: expect.stringMatching(TIMESTAMP),
      updatedAt: expect.stringMatching(TIMESTAMP),
    }
    expect(body).toEqual({ ...shown, invitation: null })
    expect((await readTenant(body.id)).body).toEqual(shown)
  })

  test('derives the slug from the name', async () => {
    const name = unique('Made of')
    expect((await createTenant({ name })).body.slug).toBe(name.toLowerCase().replaceAll(' ', '-'))
  })

  test('for an existing user makes that user the owner, by id or by address', async () => {
    const { person, headers } = await newCaller()
    const userId = await getUserId(headers)
    for (const owner of [{ ownerId: userId }, { ownerEmail: ` ${person.email.toUpperCase()} ` }]) {
      const { status, body } = await createTenant(draft(owner))
      expect([status, body.invitation, body.memberCount]).toEqual([201, null, 1])
      const { members } = await listMembers(headers, body.id)
      expect(members).toMatchObject([{ userId, role: 'owner', status: 'ACTIVE' }])
    }
  })

  test('for an unknown or unconfirmed address sends an invitation as owner', async () => {
    const unproven = await newPerson()
    for (const email of [`${unique('new')}@blackbox.test`, unproven.email]) {
      const { status, body } = await createTenant(draft({ ownerEmail: email }))
      expect(status).toBe(201)
      expect(body).toMatchObject({ memberCount: 0, invitation: { email, role: 'owner', status: 'PENDING' } })
      const [mail] = await listMails(email)
      expect(mail?.subject).toBe(`Join "${body.name}"`)
    }
  })

  test('an invited owner gets the role by accepting', async () => {
    const email = `${unique('new')}@blackbox.test`
    const { body: tenant } = await createTenant(draft({ ownerEmail: email }))
    const token = await waitForInvitationToken(email)
    const joined = await call('POST', `/api/invitations/${token}/accept`, {
      body: { password: unique('a long enough secret'), givenName: 'Nora', familyName: 'New' },
    })
    expect(joined).toMatchObject({ status: 200, body: { tenantId: tenant.id } })
    expect((await readTenant(tenant.id)).body.memberCount).toBe(1)
  })

  test('twice with the same idempotency key creates one tenant', async () => {
    const email = `${unique('new')}@blackbox.test`
    const headers = { ...(await getOperatorHeaders()), 'Idempotency-Key': unique('key') }
    const body = draft({ ownerEmail: email })
    const make = () => call('POST', '/api/admin/tenants', { headers, body })
    const [first, second] = [await make(), await make()]
    expect([first.status, second.status]).toEqual([201, 201])
    expect(second.body).toEqual(first.body)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(await listMails(email)).toHaveLength(1)
    const other = await call('POST', '/api/admin/tenants', { headers, body: { ...body, name: 'Another' } })
    expect(other.body).toEqual(errorBody(422, 'IDEMPOTENCY_KEY_REUSED'))
  })

  test.each<[string, object, string]>([
    ['no name', { name: undefined }, 'name'],
    ['a blank name', { name: '  ' }, 'name'],
    ['a name of two lines', { name: 'a\nb' }, 'name'],
    ['a name that is too long', { name: 'x'.repeat(121) }, 'name'],
    ['an invalid slug', { slug: 'No Slug' }, 'slug'],
    ['a reserved slug', { slug: 'admin' }, 'slug'],
    ['an unknown policy', { mfaPolicy: 'MAYBE' }, 'mfaPolicy'],
    ['settings that are not an object', { settings: [] }, 'settings'],
    ['settings that are too large', { settings: { x: 'y'.repeat(17_000) } }, 'settings'],
    ['an invalid address', { ownerEmail: 'nobody' }, 'ownerEmail'],
    ['two owners', { ownerEmail: 'a@blackbox.test', ownerId: crypto.randomUUID() }, 'ownerEmail'],
  ])('is refused with %s', async (_, more, field) => {
    const response = await createTenant(draft(more))
    const details = [{ field, message: expect.any(String) }]
    expect(response.body).toEqual(errorBody(422, 'VALIDATION_FAILED', { details }))
  })

  test('with an unknown owner or a taken slug creates nothing and sends nothing', async () => {
    const { tenant } = await newOwnedTenant()
    for (const ownerId of [crypto.randomUUID(), 'nobody']) {
      const fields = draft({ ownerId })
      expect((await createTenant(fields)).body).toEqual(errorBody(404, 'USER_NOT_FOUND'))
      // The slug is still available.
      expect((await createTenant({ ...fields, ownerId: undefined })).status).toBe(201)
    }
    const email = `${unique('new')}@blackbox.test`
    const taken = await createTenant(draft({ slug: tenant.slug, ownerEmail: email }))
    expect(taken.body).toEqual(errorBody(409, 'SLUG_TAKEN'))
    expect(await listMails(email)).toEqual([])
  })

  test('does not make an account with an unconfirmed address the owner', async () => {
    const unproven = await newPerson()
    const { body } = await createTenant(draft({ ownerEmail: unproven.email }))
    expect(body.invitation).toMatchObject({ email: unproven.email, role: 'owner' })
    const ownerId = await getUserId(await asPerson(unproven, client))
    const response = await createTenant(draft({ ownerId }))
    const details = [{ field: 'ownerId', message: expect.stringContaining('not confirmed') }]
    expect(response.body).toEqual(errorBody(422, 'VALIDATION_FAILED', { details }))
  })
})

describe('changing a tenant', () => {
  test('changes the given fields, including the slug, as the tenant itself could', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const slug = unique('t')
    await changeTenant(tenant.id, { settings: { a: 1, b: { c: 2 } } })
    const { status, body } = await changeTenant(tenant.id, {
      name: ' Renamed ',
      slug,
      mfaPolicy: 'OPTIONAL',
      settings: { a: null, b: { d: 3 } },
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'Renamed', slug, settings: { b: { c: 2, d: 3 } }, suspended: false })
    const seen = await call('GET', `/api/tenants/${tenant.id}`, { headers: owner.headers })
    expect(seen.body).toMatchObject({ name: 'Renamed', slug })
    // The previous slug is available again.
    expect((await createTenant({ name: 'Next', slug: tenant.slug })).status).toBe(201)
  })

  test('requires a field, and an available and valid slug', async () => {
    const [{ tenant }, { tenant: other }] = [await newOwnedTenant(), await newOwnedTenant()]
    for (const [change, status] of [
      [{}, 422],
      [{ unknown: true }, 422],
      [{ slug: 'No Slug' }, 422],
      [{ slug: 'api' }, 422],
      [{ suspended: 'yes' }, 422],
      [{ name: '' }, 422],
      [{ slug: other.slug }, 409],
      [{ slug: other.slug, suspended: true }, 409],
    ] as const) {
      expect((await changeTenant(tenant.id, change)).status, JSON.stringify(change)).toBe(status)
    }
    expect((await readTenant(tenant.id)).body).toMatchObject({ slug: tenant.slug, suspended: false })
  })

  test('an owner cannot change the slug', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const body = { name: 'Renamed', slug: unique('t'), suspended: true }
    const response = await call('PATCH', `/api/tenants/${tenant.id}`, { headers: owner.headers, body })
    expect(response).toMatchObject({ status: 200, body: { name: 'Renamed', slug: tenant.slug } })
    expect((await readTenant(tenant.id)).body).toMatchObject({ slug: tenant.slug, suspended: false })
  })
})

test('deleting a tenant ends access for all members', async () => {
  const { tenant, owner } = await newOwnedTenant()
  expect(await deleteTenant(tenant.id)).toMatchObject({
    status: 200,
    body: { success: true, message: 'Tenant deleted' },
  })
  const seen = await call('GET', `/api/tenants/${tenant.id}`, { headers: owner.headers })
  expect(seen.body).toEqual(errorBody(404, 'TENANT_NOT_FOUND'))
  expect((await deleteTenant(tenant.id)).body).toEqual(errorBody(404, 'TENANT_NOT_FOUND'))
})

test.each([crypto.randomUUID(), 'nothing', '%00', "'", '..%2f'])('a tenant %s is not found', async (id) => {
  const member = { userId: crypto.randomUUID(), role: 'owner' }
  const responses = await Promise.all([
    callAdmin('GET', `/tenants/${id}`),
    callAdmin('PATCH', `/tenants/${id}`, { name: 'Nothing' }),
    callAdmin('DELETE', `/tenants/${id}`),
    callAdmin('GET', `/tenants/${id}/members`),
    callAdmin('POST', `/tenants/${id}/members`, member),
    callAdmin('PATCH', `/tenants/${id}/members/${member.userId}`, { role: 'admin' }),
    callAdmin('DELETE', `/tenants/${id}/members/${member.userId}`),
  ])
  for (const { body } of responses) expect(body).toEqual(errorBody(404, 'TENANT_NOT_FOUND'))
})

describe('the list of tenants', () => {
  test('can be searched by prefix and is paged', async () => {
    const word = unique('find')
    for (const name of ['a', 'b', 'c']) await createTenant({ name: `${word} ${name}`, slug: unique('t') })
    const list = (query: Record<string, string>) =>
      callAdmin<{ tenants: { name: string }[]; pagination: { next: string | null } }>(
        'GET',
        `/tenants?${new URLSearchParams({ search: word.toUpperCase(), ...query })}`,
      )
    const { body } = await list({ sort: 'name', limit: '2' })
    expect(body.tenants.map(({ name }) => name)).toEqual([`${word} a`, `${word} b`])
    expect(body.pagination).toEqual({
      page: 1,
      limit: 2,
      total: 3,
      pages: 2,
      totalIsExact: true,
      next: expect.any(String),
    })
    const rest = (await list({ sort: 'name', limit: '2', after: body.pagination.next ?? '' })).body
    expect([rest.tenants.map(({ name }) => name), rest.pagination.next]).toEqual([[`${word} c`], null])
    expect((await list({})).body.tenants.map(({ name }) => name.at(-1))).toEqual(['c', 'b', 'a'])
  })

  test('can be filtered by user', async () => {
    const { tenant, owner } = await newOwnedTenant()
    const { body } = await callAdmin<{ tenants: unknown[] }>('GET', `/tenants?userId=${owner.userId}`)
    expect(body.tenants).toMatchObject([{ id: tenant.id, memberCount: 1, mfaPolicy: 'OPTIONAL', settings: {} }])
  })
})
