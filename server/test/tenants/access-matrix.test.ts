import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listRoutes } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import type { Role } from '../../src/db/tables.ts'
import { AppError, type ErrorCode } from '../../src/errors.ts'
import type { Route } from '../../src/http/routing/define-route.ts'
import { newId } from '../../src/lib/ids.ts'
import { call, insertUser } from '../account/people.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import {
  CALLERS,
  type Caller,
  type CallerFixture,
  type CallerName,
  createCallerFixture,
  createTenantFixture,
  personOf,
  ROLES,
} from './callers.ts'
import { insertMembership, insertTenant, readTenantRows } from './tenant-rows.ts'

// Calls every tenant route as every kind of caller. The routes come from the service, so that new ones are included.

const { routes } = listRoutes(loadConfig('demo', {}))
const tenantRoutes = routes.filter(({ caller }) => caller === 'member')
const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`

const EVERY_MEMBER = ['owner', 'admin', 'member'] as const
const ADMINS = ['owner', 'admin'] as const

/** The expected roles of each route, with a valid and an invalid body. */
const EXPECTED: Record<
  string,
  { roles: readonly Role[]; body?: object; invalid?: object; query?: string; keepsRows?: boolean }
> = {
  'GET /api/tenants/:id': { roles: EVERY_MEMBER },
  'PATCH /api/tenants/:id': {
    roles: ADMINS,
    body: { name: 'Another name' },
    invalid: { mfaPolicy: 'MAYBE' },
  },
  'DELETE /api/tenants/:id': { roles: ['owner'] },
  'GET /api/tenants/:id/branding': { roles: EVERY_MEMBER },
  'PUT /api/tenants/:id/branding': {
    roles: ADMINS,
    body: { displayName: 'Another face', color: '#123456' },
    invalid: { color: 'red' },
  },
  'DELETE /api/tenants/:id/branding': { roles: ADMINS },
  'GET /api/tenants/:id/mail-templates': { roles: ADMINS },
  'GET /api/tenants/:id/mail-templates/:kind': { roles: ADMINS },
  'PUT /api/tenants/:id/mail-templates/:kind': {
    roles: ADMINS,
    body: { subject: 'Join us' },
    invalid: { subject: 'See https://evil.test' },
  },
  'DELETE /api/tenants/:id/mail-templates/:kind': { roles: ADMINS },
  'POST /api/tenants/:id/mail-templates/:kind/preview': {
    roles: ADMINS,
    body: {},
    invalid: { text: '{{password}}' },
    keepsRows: true,
  },
  'POST /api/tenants/:id/mail-templates/:kind/test': {
    roles: ADMINS,
    body: {},
    invalid: { text: '{{password}}' },
    keepsRows: true,
  },
  'GET /api/tenants/:id/members': { roles: EVERY_MEMBER },
  'PATCH /api/tenants/:id/members/:membershipId': {
    roles: ADMINS,
    body: { role: 'admin' },
    invalid: { role: 'emperor' },
  },
  // A member with the role `member` may only remove their own membership.
  'DELETE /api/tenants/:id/members/:membershipId': { roles: EVERY_MEMBER },
  'GET /api/tenants/:id/licenses': { roles: EVERY_MEMBER },
  'GET /api/tenants/:id/licenses/:applicationId/seats': { roles: EVERY_MEMBER },
  'GET /api/tenants/:id/licenses/:applicationId/usage': { roles: EVERY_MEMBER },
  'GET /api/tenants/:id/audit': { roles: ADMINS },
  'GET /api/tenants/:id/audit/export': { roles: ADMINS, query: '?format=csv' },
  'GET /api/tenants/:id/invitations': { roles: ADMINS },
  'POST /api/tenants/:id/invitations': {
    roles: ADMINS,
    body: { email: 'guest@people.test' },
    invalid: { email: 'guest@people.test', expiresInDays: 0 },
  },
  'POST /api/tenants/:id/invitations/bulk': {
    roles: ADMINS,
    body: { invitations: [{ email: 'guest@people.test' }] },
    invalid: { invitations: 'all' },
  },
  'POST /api/tenants/:id/invitations/:invitationId/resend': { roles: ADMINS },
  'DELETE /api/tenants/:id/invitations/:invitationId': { roles: ADMINS },
  'GET /api/tenants/:id/webhooks': { roles: ADMINS },
  'POST /api/tenants/:id/webhooks': {
    roles: ADMINS,
    body: { url: 'https://hooks.test/', events: ['*'] },
    invalid: { url: 'https://hooks.test/', events: [] },
  },
  'GET /api/tenants/:id/webhooks/:webhookId': { roles: ADMINS },
  'PATCH /api/tenants/:id/webhooks/:webhookId': {
    roles: ADMINS,
    body: { events: ['user.*'] },
    invalid: { url: 'nowhere' },
  },
  'DELETE /api/tenants/:id/webhooks/:webhookId': { roles: ADMINS },
  'POST /api/tenants/:id/webhooks/:webhookId/secret': { roles: ADMINS },
  'GET /api/tenants/:id/webhooks/:webhookId/deliveries': { roles: ADMINS },
  'POST /api/tenants/:id/webhooks/:webhookId/deliveries/:deliveryId/replay': { roles: ADMINS },
  'POST /api/tenants/:id/webhooks/:webhookId/replay': {
    roles: ADMINS,
    body: { after: 0 },
    invalid: { after: -1 },
  },
}

let service: TestService
let fixture: CallerFixture
beforeAll(async () => {
  service = await startDemoService()
  fixture = await createCallerFixture(service)
})
afterAll(() => service?.close())

/** Throws for a path parameter that the fixture does not have yet. */
const fill = (path: string, ids: Record<string, string>) =>
  path.replace(/:(\w+)/g, (_, name: string) => {
    const id = ids[name]
    if (id === undefined) throw new Error(`the fixture has no ${name}`)
    return id
  })

const callRoute = async (route: Route, { headers }: Caller, ids: Record<string, string>, body: unknown) => {
  const address = service.url + fill(route.path, ids) + (EXPECTED[nameOf(route)]?.query ?? '')
  if (!route.streams) return call(address, { method: route.method, headers, body })
  const response = await fetch(address, { method: route.method, headers })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: response.ok ? {} : (JSON.parse(text) as Record<string, unknown>),
  }
}

const UNAUTHENTICATED: CallerName[] = ['an anonymous caller', 'a revoked token']
/** Authenticated, but not as a user in a first-party application. */
const NOT_USERS: CallerName[] = [
  'a machine of the tenant',
  'a machine of the instance',
  'a third-party application of the owner',
]

/** Undefined when the caller has access. */
function findRefusal(name: CallerName, { roles }: Pick<Route, 'roles'>): ErrorCode | undefined {
  if (UNAUTHENTICATED.includes(name)) return 'UNAUTHORIZED'
  if (NOT_USERS.includes(name)) return 'FORBIDDEN'
  const role = ROLES[name]
  if (role && roles.includes(role)) return undefined
  return roles.length === 1 ? 'OWNER_REQUIRED' : 'FORBIDDEN'
}

/** The complete response. Nothing in it depends on the tenant. */
const toErrorResponse = (code: ErrorCode) => {
  const { status, message } = new AppError(code)
  return { status, body: { statusCode: status, error: code, message, requestId: expect.any(String) } }
}

test('every route below a tenant requires membership and lists the roles', () => {
  const below = routes.filter(({ path }) => /^\/api\/tenants\/:/.test(path))
  expect(below.filter(({ caller, roles }) => caller !== 'member' || roles.length === 0).map(nameOf)).toEqual([])
  expect(tenantRoutes.filter(({ path }) => !/^\/api\/tenants\/:id(?:\/|$)/.test(path)).map(nameOf)).toEqual([])
})

test('every tenant route has exactly the expected roles', () => {
  const sort = (roles: readonly Role[]) => [...roles].sort()
  expect(Object.fromEntries(tenantRoutes.map((route) => [nameOf(route), sort(route.roles)]))).toEqual(
    Object.fromEntries(Object.entries(EXPECTED).map(([name, { roles }]) => [name, sort(roles)])),
  )
})

const cases = tenantRoutes.flatMap((route) => CALLERS.map((name) => [nameOf(route), name, route] as const))
const refused = cases.filter(([, name, route]) => findRefusal(name, route) !== undefined)
const allowed = cases.filter(([, name, route]) => findRefusal(name, route) === undefined)

describe('a caller without permission is refused before the body is validated, and the response reveals nothing', () => {
  let before: Awaited<ReturnType<typeof readTenantRows>>
  beforeAll(async () => {
    before = await readTenantRows(service, fixture.tenant.company)
  })

  test.each(refused)('%s refuses %s', async (routeName, name, route) => {
    const { company, ids, secrets } = fixture.tenant
    const { body, invalid } = EXPECTED[routeName] ?? {}
    const bodies = route.body ? [body, {}, invalid, []] : [undefined]
    for (const sent of bodies) {
      const response = await callRoute(route, fixture.callers[name], ids, sent)
      const code = findRefusal(name, route) as ErrorCode
      expect(response, JSON.stringify(sent)).toMatchObject(toErrorResponse(code))
      expect(Object.keys(response.body).sort()).toEqual(['error', 'message', 'requestId', 'statusCode'])
      const text = JSON.stringify([response.body, ...response.headers])
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
    }
    expect(await readTenantRows(service, company)).toEqual(before)
  })
})

describe('a caller with permission gets the documented response', () => {
  test.each(allowed)('%s allows %s', async (routeName, name, route) => {
    const caller = fixture.callers[name]
    const company = await insertTenant(service)
    const { ids } = await createTenantFixture(service, company)
    await insertMembership(service, company, await insertUser(service), { role: 'owner' })
    const role = ROLES[name] as Role
    const own = await insertMembership(service, company, personOf(caller), { role })
    // The role `member` may only remove its own membership.
    const target = role === 'member' ? { ...ids, membershipId: own } : ids
    const before = await readTenantRows(service, company)
    const { status } = await callRoute(route, caller, target, EXPECTED[routeName]?.body)
    expect(status).toBe(Number(Object.keys(route.reply)[0]))
    const after = await readTenantRows(service, company)
    if (route.writes) {
      const trace = expect.objectContaining({ action: 'audit.exported', actor_id: personOf(caller).id })
      expect(after).toEqual({ ...before, entries: [...before.entries, trace] })
      return
    }
    // A write changes rows, a read does not.
    const isWrite = route.method !== 'GET' && !EXPECTED[routeName]?.keepsRows
    expect(isWrite).toBe(JSON.stringify(after) !== JSON.stringify(before))
    if (route.method === 'GET') return
    const invalid = EXPECTED[routeName]?.invalid
    if (invalid) expect((await callRoute(route, caller, target, invalid)).status).toBe(422)
  })
})

describe('a tenant that does not exist', () => {
  const users = CALLERS.filter((name) => ![...UNAUTHENTICATED, ...NOT_USERS].includes(name))
  test.each(tenantRoutes.map((route) => [nameOf(route), route] as const))(
    '%s answers every authenticated user with TENANT_NOT_FOUND',
    async (_, route) => {
      const some = FULL ? CALLERS : (['a machine of the instance', 'an owner'] as const)
      for (const [id, names] of [
        [newId(), CALLERS],
        ['nothing', some],
        ["'", some],
      ] as const) {
        for (const name of names) {
          const code = users.includes(name) ? 'TENANT_NOT_FOUND' : (findRefusal(name, route) as ErrorCode)
          for (const body of route.body ? [EXPECTED[nameOf(route)]?.body, {}] : [undefined]) {
            const response = await callRoute(route, fixture.callers[name], { ...fixture.tenant.ids, id }, body)
            expect(response, `${name} at ${id}`).toMatchObject(toErrorResponse(code))
          }
        }
      }
    },
  )
})
