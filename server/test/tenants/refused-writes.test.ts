import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { surface } from '../../src/app.ts'
import { loadConfig } from '../../src/config.ts'
import type { Route } from '../../src/http/define-route.ts'
import { newSomebody } from '../account/people.ts'
import { type Hold, whileHeld } from '../support/locks.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import { CALLERS, type CallerName, type Cast, gather, ROLES } from './callers.ts'
import { inviteTo } from './company.ts'

// Whoever may not change a tenant is refused without its lock and without waiting for a turn: otherwise any number of
// strangers could keep the tenant's own writes waiting.

const { routes } = surface(loadConfig('demo', {}))
const isWrite = ({ method, leavesTrace }: Route) => method !== 'GET' || leavesTrace
const nameOf = ({ method, path }: Route) => `${method} ${path}`

let service: TestService
let cast: Cast
let hold: Hold
beforeAll(async () => {
  service = await startWorld()
  cast = await gather(service)
  const { id } = cast.standing.company
  hold = { statement: 'select from tenants where id = $1 for update', values: [id] }
})
afterAll(() => service?.close())

/** A request that is given up where its answer waits for the lock. */
async function ask(method: string, path: string, headers: Record<string, string>): Promise<number> {
  const body = method === 'POST' || method === 'PUT' || method === 'PATCH' ? '{}' : null
  const { status } = await fetch(service.url + path, {
    ...{ method, body, signal: AbortSignal.timeout(10_000) },
    headers: body === null ? headers : { ...headers, 'Content-Type': 'application/json' },
  })
  return status
}

const fill = (path: string) => path.replace(/:(\w+)/g, (_, name: string) => cast.standing.ids[name] ?? 'x')

/** Does work while a write of the tenant's owner has its turn, and waits for a lock that somebody else has. */
async function whileOwnerWrites(work: () => Promise<void>): Promise<void> {
  const { headers } = cast.callers['an owner']
  const written = await whileHeld(service, hold, async (waitFor) => {
    const write = fetch(`${service.url}/api/tenants/${cast.standing.company.id}`, {
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

const mayNot = (name: CallerName, { roles }: Route) => {
  const role = ROLES[name]
  return role === undefined || !roles.includes(role)
}

describe('T120: a write that is refused waits for no other write of the tenant', () => {
  const doors = routes.filter((route) => route.caller === 'member' && isWrite(route))
  test.each(doors.map((route) => [nameOf(route), route] as const))('%s', async (_, route) => {
    await whileOwnerWrites(async () => {
      for (const name of CALLERS.filter((caller) => mayNot(caller, route))) {
        const status = await ask(route.method, fill(route.path), cast.callers[name].headers)
        expect([401, 403], name).toContain(status)
      }
    })
  })
})

describe('T120: nor does a call of those who have nothing to do with tenants', () => {
  const doors = routes.filter(
    (route) => isWrite(route) && !['anyone', 'visitor', 'person', 'member'].includes(route.caller),
  )
  test.each(doors.map((route) => [nameOf(route), route] as const))('%s', async (_, route) => {
    await whileOwnerWrites(async () => {
      for (const name of ['nobody', 'an outsider', 'a member'] as const) {
        const status = await ask(route.method, fill(route.path), cast.callers[name].headers)
        expect([401, 403], name).toContain(status)
      }
    })
  })
})

test('T137: nor does who accepts an invitation that is not for them, or not yet', async () => {
  const { company, ids } = cast.standing
  const unverified = await newSomebody(service, { email_verified: false })
  const own = await inviteTo(service, company, { person: unverified })
  await whileOwnerWrites(async () => {
    // The link of an invitation that a test lays out is its id.
    const stranger = cast.callers['an outsider'].headers
    expect(await ask('POST', `/api/invitations/${ids.invitationId}/accept`, stranger)).toBe(403)
    const guest = { authorization: `Bearer ${unverified.tokens.access_token}` }
    expect(await ask('POST', `/api/invitations/${own.id}/accept`, guest)).toBe(403)
  })
})
