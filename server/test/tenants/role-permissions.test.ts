import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '../../src/db/tables.ts'
import { createSignedInUser, errorReply, insertUser, type TestUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { insertInvitation, insertMembership, insertTenant, readTenantRows, type TestTenant } from './tenant-rows.ts'

// Which role may do what to which role. The rules are written out here and not read from the code under test.

const ROLES: Role[] = ['owner', 'admin', 'member']

interface Action {
  name: string
  method: 'PATCH' | 'DELETE'
  body?: { role?: Role; status?: 'ACTIVE' | 'SUSPENDED' }
  /** The status of the target before the action. */
  status?: 'ACTIVE' | 'SUSPENDED'
}
const ACTIONS: Action[] = [
  { name: 'makes an owner of', method: 'PATCH', body: { role: 'owner' } },
  { name: 'makes an admin of', method: 'PATCH', body: { role: 'admin' } },
  { name: 'makes a member of', method: 'PATCH', body: { role: 'member' } },
  { name: 'suspends', method: 'PATCH', body: { status: 'SUSPENDED' } },
  { name: 'reactivates', method: 'PATCH', body: { status: 'ACTIVE' }, status: 'SUSPENDED' },
  { name: 'removes', method: 'DELETE' },
]

/** An owner may do everything; an admin everything except to owners or with the role owner; a member nothing. */
const may = (actor: Role, target: Role, newRole: Role = target): boolean =>
  actor === 'owner' || (actor === 'admin' && target !== 'owner' && newRole !== 'owner')

let service: TestService
let actors: Record<Role, TestUser>
let target: { id: string; email: string }
let founder: { id: string }
beforeAll(async () => {
  service = await startDemoService()
  // Their tokens are not bound to a tenant, so that the membership in each tenant decides.
  const [owner, admin, member] = [
    await createSignedInUser(service),
    await createSignedInUser(service),
    await createSignedInUser(service),
  ]
  actors = { owner, admin, member }
  target = await insertUser(service)
  founder = await insertUser(service)
})
afterAll(() => service?.close())

/** A tenant with another owner, so that LAST_OWNER does not interfere. */
async function createTenantWith(actor: Role): Promise<{ company: TestTenant; own: string }> {
  const company = await insertTenant(service)
  await insertMembership(service, company, founder, { role: 'owner' })
  return { company, own: await insertMembership(service, company, actors[actor], { role: actor }) }
}

const pathOf = ({ id }: TestTenant, membershipId: string) => `/api/tenants/${id}/members/${membershipId}`

const findMembership = (membershipId: string) =>
  service.ctx.db.selectFrom('memberships').select(['role', 'status']).where('id', '=', membershipId).executeTakeFirst()

/** The membership after the action; undefined when it is deleted. */
const toOutcome = ({ method, body }: Action, before: { role: Role; status: string }) =>
  method === 'DELETE' ? undefined : { ...before, ...body }

const pairs = ROLES.flatMap((actor) => ROLES.map((role) => [actor, role] as const))
const cases = pairs.flatMap(([actor, role]) => ACTIONS.map((action) => [actor, action.name, role, action] as const))

describe('what a member may do to another', () => {
  const isAllowed = ([actor, , role, { body }]: (typeof cases)[number]) => may(actor, role, body?.role)

  test.each(cases.filter(isAllowed))('an %s %s an %s', async (actor, _, targetRole, action) => {
    const { company } = await createTenantWith(actor)
    const before = { role: targetRole, status: action.status ?? 'ACTIVE' } as const
    const id = await insertMembership(service, company, target, before)
    const { status, body } = await actors[actor].call(action.method, pathOf(company, id), action.body)
    expect(status).toBe(200)
    const after = toOutcome(action, before)
    expect(body).toEqual(
      after
        ? { id, userId: target.id, ...after, updatedAt: expect.any(String) }
        : { success: true, message: 'Member removed' },
    )
    expect(await findMembership(id)).toEqual(after)
  })

  test.each(cases.filter((one) => !isAllowed(one)))('no %s %s an %s', async (actor, _, targetRole, action) => {
    const { company } = await createTenantWith(actor)
    const id = await insertMembership(service, company, target, {
      role: targetRole,
      status: action.status ?? 'ACTIVE',
    })
    const before = await readTenantRows(service, company)
    const response = await actors[actor].call(action.method, pathOf(company, id), action.body)
    expect(response).toMatchObject(errorReply(403, 'FORBIDDEN'))
    expect(await readTenantRows(service, company)).toEqual(before)
  })
})

describe('what a member may do to themselves', () => {
  test.each(pairs)('an %s can become an %s only with equal or fewer permissions', async (role, newRole) => {
    const { company, own } = await createTenantWith(role)
    const { status } = await actors[role].call('PATCH', pathOf(company, own), { role: newRole })
    const isAllowed = may(role, role, newRole)
    expect(status).toBe(isAllowed ? 200 : 403)
    expect(await findMembership(own)).toEqual({ role: isAllowed ? newRole : role, status: 'ACTIVE' })
  })
})

describe('what a member may do to an invited user', () => {
  test.each(cases)('an %s who %s an invited %s', async (actor, _, targetRole, action) => {
    const { company } = await createTenantWith(actor)
    const invitation = await insertInvitation(service, company, { role: targetRole, person: target })
    const id = invitation.membershipId ?? ''
    const response = await actors[actor].call(action.method, pathOf(company, id), action.body)
    const before = { role: targetRole, status: 'INVITED' }
    const listInvitations = async () => {
      const { invitations } = await readTenantRows(service, company)
      return invitations.map(({ role, status }) => ({ role, status }))
    }
    if (!may(actor, targetRole, action.body?.role)) {
      expect(response).toMatchObject(errorReply(403, 'FORBIDDEN'))
    } else if (action.body?.status) {
      expect(response).toMatchObject(errorReply(409, 'INVITATION_PENDING'))
    } else {
      expect(response.status).toBe(200)
      const after = toOutcome(action, before)
      expect(await findMembership(id)).toEqual(after)
      // The invitation changes together with the membership.
      const state = after ? { role: after.role, status: 'PENDING' } : { role: targetRole, status: 'REVOKED' }
      expect(await listInvitations()).toEqual([state])
      return
    }
    expect(await findMembership(id)).toEqual(before)
    expect(await listInvitations()).toEqual([{ role: targetRole, status: 'PENDING' }])
  })
})

describe('which invitations a member may manage', () => {
  const verbs = ['sends', 'resends', 'revokes'] as const
  const invitationCases = pairs.flatMap(([actor, role]) => verbs.map((verb) => [actor, verb, role] as const))

  test.each(invitationCases)('an %s %s an invitation to be an %s', async (actor, verb, role) => {
    const { company } = await createTenantWith(actor)
    const { id } = await insertInvitation(service, company, { role })
    const path = `/api/tenants/${company.id}/invitations`
    const before = await readTenantRows(service, company)
    const { call } = actors[actor]
    const response =
      verb === 'sends'
        ? await call('POST', path, { email: target.email, role })
        : await (verb === 'revokes' ? call('DELETE', `${path}/${id}`) : call('POST', `${path}/${id}/resend`))
    if (may(actor, role)) {
      expect(response.status).toBe(verb === 'sends' ? 201 : 200)
    } else {
      expect(response).toMatchObject(errorReply(403, 'FORBIDDEN'))
      expect(await readTenantRows(service, company)).toEqual(before)
    }
  })

  test.each(pairs)('a bulk invitation by an %s invites an %s only if the role allows it', async (actor, role) => {
    const { company } = await createTenantWith(actor)
    const path = `/api/tenants/${company.id}/invitations/bulk`
    const rows = [{ email: 'plain@people.test' }, { email: 'special@people.test', role }]
    const { status, body } = await actors[actor].call('POST', path, { invitations: rows })
    if (actor === 'member') {
      expect(status).toBe(403)
      return
    }
    expect(status).toBe(200)
    const statuses = (body.results as { statusCode: number }[]).map(({ statusCode }) => statusCode)
    expect(statuses).toEqual([201, may(actor, role) ? 201 : 403])
    const { invitations } = await readTenantRows(service, company)
    expect(invitations.map(({ email }) => email).includes('special@people.test')).toBe(may(actor, role))
  })
})
