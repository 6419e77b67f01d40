import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '../../src/db/tables.ts'
import { addPerson, failure, newSomebody, type Somebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import { type Company, employ, inviteTo, newCompany, pictureOf } from './company.ts'

// Who may do what to whom. What is right stands here in full, so that nothing is right because the program says so.

const ROLES: Role[] = ['owner', 'admin', 'member']

interface Action {
  name: string
  method: 'PATCH' | 'DELETE'
  body?: { role?: Role; status?: 'ACTIVE' | 'SUSPENDED' }
  /** What the target is before. */
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

/** An owner may do everything; an admin nothing that has to do with owners; a member nothing. */
const may = (actor: Role, target: Role, given: Role = target): boolean =>
  actor === 'owner' || (actor === 'admin' && target !== 'owner' && given !== 'owner')

let service: TestService
let actors: Record<Role, Somebody>
let target: { id: string; email: string }
let founder: { id: string }
beforeAll(async () => {
  service = await startWorld()
  // Their tokens are of no tenant: the place they have in each decides.
  const [owner, admin, member] = [
    await newSomebody(service),
    await newSomebody(service),
    await newSomebody(service),
  ]
  actors = { owner, admin, member }
  target = await addPerson(service)
  founder = await addPerson(service)
})
afterAll(() => service?.close())

/** A tenant that keeps an owner, whatever the two do to each other. */
async function newWorkplace(actor: Role): Promise<{ company: Company; own: string }> {
  const company = await newCompany(service)
  await employ(service, company, founder, { role: 'owner' })
  return { company, own: await employ(service, company, actors[actor], { role: actor }) }
}

const addressOf = ({ id }: Company, membershipId: string) => `/api/tenants/${id}/members/${membershipId}`

const placeOf = (membershipId: string) =>
  service.ctx.db
    .selectFrom('memberships')
    .select(['role', 'status'])
    .where('id', '=', membershipId)
    .executeTakeFirst()

/** What becomes of somebody in this place. */
const outcome = ({ method, body }: Action, before: { role: Role; status: string }) =>
  method === 'DELETE' ? undefined : { ...before, ...body }

const pairs = ROLES.flatMap((actor) => ROLES.map((over) => [actor, over] as const))
const cases = pairs.flatMap(([actor, over]) => ACTIONS.map((act) => [actor, act.name, over, act] as const))

describe('what a member may do to another', () => {
  const isRight = ([actor, , over, { body }]: (typeof cases)[number]) => may(actor, over, body?.role)

  test.each(cases.filter(isRight))('an %s %s an %s', async (actor, _, over, action) => {
    const { company } = await newWorkplace(actor)
    const before = { role: over, status: action.status ?? 'ACTIVE' } as const
    const id = await employ(service, company, target, before)
    const { status, body } = await actors[actor].call(action.method, addressOf(company, id), action.body)
    expect(status).toBe(200)
    const after = outcome(action, before)
    expect(body).toEqual(
      after
        ? { id, userId: target.id, ...after, updatedAt: expect.any(String) }
        : { success: true, message: 'Member removed' },
    )
    expect(await placeOf(id)).toEqual(after)
  })

  test.each(cases.filter((one) => !isRight(one)))('no %s %s an %s', async (actor, _, over, action) => {
    const { company } = await newWorkplace(actor)
    const id = await employ(service, company, target, { role: over, status: action.status ?? 'ACTIVE' })
    const before = await pictureOf(service, company)
    const answer = await actors[actor].call(action.method, addressOf(company, id), action.body)
    expect(answer).toMatchObject(failure(403, 'FORBIDDEN'))
    expect(await pictureOf(service, company)).toEqual(before)
  })
})

describe('what a member may do to themselves', () => {
  test.each(pairs)('an %s becomes an %s by their own hand only if that is less', async (role, wished) => {
    const { company, own } = await newWorkplace(role)
    const { status } = await actors[role].call('PATCH', addressOf(company, own), { role: wished })
    const isRight = may(role, role, wished)
    expect(status).toBe(isRight ? 200 : 403)
    expect(await placeOf(own)).toEqual({ role: isRight ? wished : role, status: 'ACTIVE' })
  })
})

describe('what a member may do to somebody who is invited', () => {
  test.each(cases)('an %s who %s an invited %s', async (actor, _, over, action) => {
    const { company } = await newWorkplace(actor)
    const invitation = await inviteTo(service, company, { role: over, person: target })
    const id = invitation.membershipId ?? ''
    const answer = await actors[actor].call(action.method, addressOf(company, id), action.body)
    const before = { role: over, status: 'INVITED' }
    const invited = async () => {
      const { invitations } = await pictureOf(service, company)
      return invitations.map(({ role, status }) => ({ role, status }))
    }
    if (!may(actor, over, action.body?.role)) {
      expect(answer).toMatchObject(failure(403, 'FORBIDDEN'))
    } else if (action.body?.status) {
      expect(answer).toMatchObject(failure(409, 'INVITATION_PENDING'))
    } else {
      expect(answer.status).toBe(200)
      const after = outcome(action, before)
      expect(await placeOf(id)).toEqual(after)
      // The invitation follows.
      const state = after ? { role: after.role, status: 'PENDING' } : { role: over, status: 'REVOKED' }
      expect(await invited()).toEqual([state])
      return
    }
    expect(await placeOf(id)).toEqual(before)
    expect(await invited()).toEqual([{ role: over, status: 'PENDING' }])
  })
})

describe('which invitations a member may handle', () => {
  const ways = ['sends', 'sends again', 'revokes'] as const
  const handlings = pairs.flatMap(([actor, role]) => ways.map((way) => [actor, way, role] as const))

  test.each(handlings)('an %s %s an invitation to be an %s', async (actor, way, role) => {
    const { company } = await newWorkplace(actor)
    const { id } = await inviteTo(service, company, { role })
    const path = `/api/tenants/${company.id}/invitations`
    const before = await pictureOf(service, company)
    const { call } = actors[actor]
    const answer =
      way === 'sends'
        ? await call('POST', path, { email: target.email, role })
        : await (way === 'revokes' ? call('DELETE', `${path}/${id}`) : call('POST', `${path}/${id}/resend`))
    if (may(actor, role)) {
      expect(answer.status).toBe(way === 'sends' ? 201 : 200)
    } else {
      expect(answer).toMatchObject(failure(403, 'FORBIDDEN'))
      expect(await pictureOf(service, company)).toEqual(before)
    }
  })

  test.each(pairs)(
    'an %s who invites many invites an %s among them only if they may',
    async (actor, role) => {
      const { company } = await newWorkplace(actor)
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
      const { invitations } = await pictureOf(service, company)
      expect(invitations.map(({ email }) => email).includes('special@people.test')).toBe(may(actor, role))
    },
  )
})
