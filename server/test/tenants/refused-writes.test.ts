import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listRoutes } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import type { Route } from '../../src/http/routing/define-route.ts'
import { createSignedInUser } from '../account/people.ts'
import { type LockStatement, whileLocked } from '../support/locks.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { CALLERS, type CallerFixture, type CallerName, createCallerFixture, ROLES } from './callers.ts'
import { insertInvitation } from './tenant-rows.ts'

// A caller without permission is refused without the lock of the tenant and without queueing for it. Otherwise any
// number of non-members could delay the writes of the tenant.

const { routes } = listRoutes(loadConfig('demo', {}))
const isWrite = ({ method, writes }: Route) => method !== 'GET' || writes
const nameOf = ({ method, path }: Route) => `${method} ${path}`

let service: TestService
let fixture: CallerFixture
let hold: LockStatement
beforeAll(async () => {
  service = await startDemoService()
  fixture = await createCallerFixture(service)
  const { id } = fixture.tenant.company
  hold = { statement: 'select from tenants where id = $1 for update', values: [id] }
})
afterAll(() => service?.close())

/** Aborts the request when the response waits for the lock. */
async function ask(method: string, path: string, headers: Record<string, string>): Promise<number> {
  const body = method === 'POST' || method === 'PUT' || method === 'PATCH' ? '{}' : null
  const { status } = await fetch(service.url + path, {
    method,
    body,
    signal: AbortSignal.timeout(10_000),
    headers: body === null ? headers : { ...headers, 'Content-Type': 'application/json' },
  })
  return status
}

const fill = (path: string) => path.replace(/:(\w+)/g, (_, name: string) => fixture.tenant.ids[name] ?? 'x')

/** Runs work while a write of the owner is first in the queue and waits for a lock that the test holds. */
async function whileOwnerWrites(work: () => Promise<void>): Promise<void> {
  const { headers } = fixture.callers['an owner']
  const written = await whileLocked(service, hold, async (waitFor) => {
    const write = fetch(`${service.url}/api/tenants/${fixture.tenant.company.id}`, {
      method: 'PATCH',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify({ settings: { color: 'red' } }),
    })
    await waitFor(1)
    await work()
    return { write }
  })
  expect((await written.write).status).toBe(200)
}

const isRefused = (name: CallerName, { roles }: Route) => {
  const role = ROLES[name]
  return role === undefined || !roles.includes(role)
}

describe('T120: a refused write does not wait for other writes of the tenant', () => {
  const tenantWrites = routes.filter((route) => route.caller === 'member' && isWrite(route))
  test.each(tenantWrites.map((route) => [nameOf(route), route] as const))('%s', async (_, route) => {
    await whileOwnerWrites(async () => {
      for (const name of CALLERS.filter((caller) => isRefused(caller, route))) {
        const status = await ask(route.method, fill(route.path), fixture.callers[name].headers)
        expect([401, 403], name).toContain(status)
      }
    })
  })
})

describe('T120: a refused call of a route outside tenants does not wait for writes of a tenant', () => {
  const otherWrites = routes.filter(
    (route) => isWrite(route) && !['anyone', 'visitor', 'person', 'member'].includes(route.caller),
  )
  test.each(otherWrites.map((route) => [nameOf(route), route] as const))('%s', async (_, route) => {
    await whileOwnerWrites(async () => {
      for (const name of ['an anonymous caller', 'a non-member', 'a member'] as const) {
        const status = await ask(route.method, fill(route.path), fixture.callers[name].headers)
        expect([401, 403], name).toContain(status)
      }
    })
  })
})

test('T137: a refused acceptance of an invitation does not wait for writes of the tenant', async () => {
  const { company, ids } = fixture.tenant
  const unverified = await createSignedInUser(service, { email_verified: false })
  const own = await insertInvitation(service, company, { person: unverified })
  await whileOwnerWrites(async () => {
    // The token of an inserted invitation is its id.
    const nonMember = fixture.callers['a non-member'].headers
    expect(await ask('POST', `/api/invitations/${ids.invitationId}/accept`, nonMember)).toBe(403)
    const guest = { authorization: `Bearer ${unverified.tokens.access_token}` }
    expect(await ask('POST', `/api/invitations/${own.id}/accept`, guest)).toBe(403)
  })
})
