import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { surface } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import type { Role } from '../../src/db/tables.ts'
import { AppError, type ErrorCode } from '../../src/errors.ts'
import type { Route } from '../../src/http/define-route.ts'
import { newId } from '../../src/lib/ids.ts'
import { addPerson, call } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import {
  CALLERS,
  type Caller,
  type CallerName,
  type Cast,
  furnish,
  gather,
  personOf,
  ROLES,
} from './callers.ts'
import { employ, newCompany, pictureOf } from './company.ts'

// Every caller at every door of a tenant. The doors are those of the program, so that a new one is tried as well.

const { routes } = surface(loadConfig('demo', {}))
const doors = routes.filter(({ caller }) => caller === 'member')
const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`

const EVERYBODY = ['owner', 'admin', 'member'] as const
const ADMINS = ['owner', 'admin'] as const

/** What was decided, and what a fitting body is. */
const DECIDED: Record<string, { roles: readonly Role[]; body?: object; wrong?: object; query?: string }> = {
  'GET /api/tenants/:id': { roles: EVERYBODY },
  'PATCH /api/tenants/:id': { roles: ADMINS, body: { name: 'Another name' }, wrong: { mfaPolicy: 'MAYBE' } },
  'DELETE /api/tenants/:id': { roles: ['owner'] },
  'GET /api/tenants/:id/branding': { roles: EVERYBODY },
  'PUT /api/tenants/:id/branding': {
    roles: ADMINS,
    body: { displayName: 'Another face', color: '#123456' },
    wrong: { color: 'red' },
  },
  'DELETE /api/tenants/:id/branding': { roles: ADMINS },
  'GET /api/tenants/:id/members': { roles: EVERYBODY },
  'PATCH /api/tenants/:id/members/:membershipId': {
    roles: ADMINS,
    body: { role: 'admin' },
    wrong: { role: 'emperor' },
  },
  // A plain member may say that they leave, and nothing else.
  'DELETE /api/tenants/:id/members/:membershipId': { roles: EVERYBODY },
  'GET /api/tenants/:id/licenses': { roles: EVERYBODY },
  'GET /api/tenants/:id/licenses/:applicationId/seats': { roles: EVERYBODY },
  'GET /api/tenants/:id/licenses/:applicationId/usage': { roles: EVERYBODY },
  'GET /api/tenants/:id/audit': { roles: ADMINS },
  'GET /api/tenants/:id/audit/export': { roles: ADMINS, query: '?format=csv' },
  'GET /api/tenants/:id/invitations': { roles: ADMINS },
  'POST /api/tenants/:id/invitations': {
    roles: ADMINS,
    body: { email: 'guest@people.test' },
    wrong: { email: 'guest@people.test', expiresInDays: 0 },
  },
  'POST /api/tenants/:id/invitations/bulk': {
    roles: ADMINS,
    body: { invitations: [{ email: 'guest@people.test' }] },
    wrong: { invitations: 'all' },
  },
  'POST /api/tenants/:id/invitations/:invitationId/resend': { roles: ADMINS },
  'DELETE /api/tenants/:id/invitations/:invitationId': { roles: ADMINS },
  'GET /api/tenants/:id/webhooks': { roles: ADMINS },
  'POST /api/tenants/:id/webhooks': {
    roles: ADMINS,
    body: { url: 'https://hooks.test/', events: ['*'] },
    wrong: { url: 'https://hooks.test/', events: [] },
  },
  'GET /api/tenants/:id/webhooks/:webhookId': { roles: ADMINS },
  'PATCH /api/tenants/:id/webhooks/:webhookId': {
    roles: ADMINS,
    body: { events: ['user.*'] },
    wrong: { url: 'nowhere' },
  },
  'DELETE /api/tenants/:id/webhooks/:webhookId': { roles: ADMINS },
  'POST /api/tenants/:id/webhooks/:webhookId/secret': { roles: ADMINS },
  'GET /api/tenants/:id/webhooks/:webhookId/deliveries': { roles: ADMINS },
  'POST /api/tenants/:id/webhooks/:webhookId/deliveries/:deliveryId/replay': { roles: ADMINS },
  'POST /api/tenants/:id/webhooks/:webhookId/replay': {
    roles: ADMINS,
    body: { after: 0 },
    wrong: { after: -1 },
  },
}

let service: TestService
let cast: Cast
beforeAll(async () => {
  service = await startWorld()
  cast = await gather(service)
})
afterAll(() => service?.close())

/** The address of a door, in this place. A parameter that is unknown here is one the matrix must learn. */
const fill = (path: string, ids: Record<string, string>) =>
  path.replace(/:(\w+)/g, (_, name: string) => {
    const id = ids[name]
    if (id === undefined) throw new Error(`the matrix knows no ${name}`)
    return id
  })

const knock = async (route: Route, { headers }: Caller, ids: Record<string, string>, body: unknown) => {
  const address = service.url + fill(route.path, ids) + (DECIDED[nameOf(route)]?.query ?? '')
  if (!route.streams) return call(address, { method: route.method, headers, body })
  const response = await fetch(address, { method: route.method, headers })
  const text = await response.text()
  return {
    ...{ status: response.status, headers: response.headers },
    body: response.ok ? {} : (JSON.parse(text) as Record<string, unknown>),
  }
}

const NOT_KNOWN: CallerName[] = ['nobody', 'a dead token']
/** They are somebody, but no person who looks after tenants. */
const NOT_ASKED: CallerName[] = [
  'a machine of the tenant',
  'a machine of the instance',
  'a third-party application of the owner',
]

/** Undefined: they may. */
function refusalOf(name: CallerName, { roles }: Pick<Route, 'roles'>): ErrorCode | undefined {
  if (NOT_KNOWN.includes(name)) return 'UNAUTHORIZED'
  if (NOT_ASKED.includes(name)) return 'FORBIDDEN'
  const role = ROLES[name]
  if (role && roles.includes(role)) return undefined
  return roles.length === 1 ? 'OWNER_REQUIRED' : 'FORBIDDEN'
}

/** The whole answer, word for word: nothing in it depends on the tenant. */
const wholly = (code: ErrorCode) => {
  const { status, message } = new AppError(code)
  return { status, body: { statusCode: status, error: code, message, requestId: expect.any(String) } }
}

test('every route below a tenant is for its members, and says for which of them', () => {
  const below = routes.filter(({ path }) => /^\/api\/tenants\/:/.test(path))
  expect(below.filter(({ caller, roles }) => caller !== 'member' || roles.length === 0).map(nameOf)).toEqual(
    [],
  )
  expect(doors.filter(({ path }) => !/^\/api\/tenants\/:id(?:\/|$)/.test(path)).map(nameOf)).toEqual([])
})

test('the doors let in whom it was decided that they let in', () => {
  const roles = (of: readonly Role[]) => [...of].sort()
  expect(Object.fromEntries(doors.map((door) => [nameOf(door), roles(door.roles)]))).toEqual(
    Object.fromEntries(Object.entries(DECIDED).map(([name, decided]) => [name, roles(decided.roles)])),
  )
})

const cases = doors.flatMap((route) => CALLERS.map((name) => [nameOf(route), name, route] as const))
const refused = cases.filter(([, name, route]) => refusalOf(name, route) !== undefined)
const allowed = cases.filter(([, name, route]) => refusalOf(name, route) === undefined)

describe('whoever may not is told so before anything they sent is looked at, and nothing else', () => {
  test.each(refused)('%s refuses %s', async (door, name, route) => {
    const { company, ids, secrets } = cast.standing
    const before = await pictureOf(service, company)
    const { body, wrong } = DECIDED[door] ?? {}
    const bodies = route.body ? [body, {}, wrong, []] : [undefined]
    for (const sent of bodies) {
      const answer = await knock(route, cast.callers[name], ids, sent)
      const code = refusalOf(name, route) as ErrorCode
      expect(answer, JSON.stringify(sent)).toMatchObject(wholly(code))
      expect(Object.keys(answer.body).sort()).toEqual(['error', 'message', 'requestId', 'statusCode'])
      const told = JSON.stringify([answer.body, ...answer.headers])
      expect(secrets.filter((secret) => told.includes(secret))).toEqual([])
    }
    expect(await pictureOf(service, company)).toEqual(before)
  })
})

describe('whoever may is answered', () => {
  test.each(allowed)('%s answers %s', async (door, name, route) => {
    const caller = cast.callers[name]
    const company = await newCompany(service)
    const { ids } = await furnish(service, company)
    await employ(service, company, await addPerson(service), { role: 'owner' })
    const role = ROLES[name] as Role
    const own = await employ(service, company, personOf(caller), { role })
    // Whoever has no say over others acts on their own membership.
    const target = role === 'member' ? { ...ids, membershipId: own } : ids
    const before = await pictureOf(service, company)
    const { status } = await knock(route, caller, target, DECIDED[door]?.body)
    expect(status).toBe(Number(Object.keys(route.reply)[0]))
    const after = await pictureOf(service, company)
    if (route.leavesTrace) {
      const trace = expect.objectContaining({ action: 'audit.exported', actor_id: personOf(caller).id })
      expect(after).toEqual({ ...before, entries: [...before.entries, trace] })
      return
    }
    // It has been done, or only looked at.
    const isDone = route.method !== 'GET'
    expect(isDone).toBe(JSON.stringify(after) !== JSON.stringify(before))
    if (!isDone) return
    const wrong = DECIDED[door]?.wrong
    if (wrong) expect((await knock(route, caller, target, wrong)).status).toBe(422)
  })
})

describe('a tenant that is not there', () => {
  const people = CALLERS.filter((name) => ![...NOT_KNOWN, ...NOT_ASKED].includes(name))
  test.each(doors.map((route) => [nameOf(route), route] as const))(
    '%s is told from one that is',
    async (_, route) => {
      for (const id of [newId(), 'nothing', "'"]) {
        for (const name of CALLERS) {
          const code = people.includes(name) ? 'TENANT_NOT_FOUND' : (refusalOf(name, route) as ErrorCode)
          for (const body of route.body ? [DECIDED[nameOf(route)]?.body, {}] : [undefined]) {
            const answer = await knock(route, cast.callers[name], { ...cast.standing.ids, id }, body)
            expect(answer, `${name} at ${id}`).toMatchObject(wholly(code))
          }
        }
      }
    },
  )
})
