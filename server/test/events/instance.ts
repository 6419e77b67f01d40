import type { EventBody } from '../../src/audit/event-body.ts'
import { call } from '../account/people.ts'
import { token } from '../support/world.ts'

/** An instance with a machine client as operator, for tests with production processes. */

const SECRET = 'the-secret-of-a-machine-in-a-test-1'
export const TENANTS = ['alpha', 'beta', 'gamma', 'delta', 'epsilon']

export const DECLARATION = `
users:
  - { email: owner@events.test, password: latchkey-demo-2026 }
tenants:
${TENANTS.map((slug) => `  - { slug: ${slug}, name: ${slug}, members: [{ email: owner@events.test, role: owner }] }`).join('\n')}
applications:
  - { slug: stage, name: Stage }
clients:
  - { clientId: ops, secret: ${SECRET}, application: stage, kind: MACHINE, name: Ops, scopes: [admin] }
`

/** Calls a route as the operator. */
export async function asOperator<T>(url: string, method: string, path: string, body?: unknown): Promise<T> {
  const form = { grant_type: 'client_credentials', client_id: 'ops', client_secret: SECRET }
  const headers = { authorization: `Bearer ${(await token(url, form)).body.access_token}` }
  const answer = await call(url + path, { method, headers, body })
  if (answer.status >= 400) throw new Error(JSON.stringify(answer.body))
  return answer.body as T
}

/** Creates a webhook for tenant.changed. */
export const createInstanceHook = (url: string, receiver: string): Promise<{ id: string; secret: string }> =>
  asOperator(url, 'POST', '/api/admin/webhooks', { url: receiver, events: ['tenant.changed'] })

/** Reads the whole feed. */
export async function readFeed(url: string, types: string): Promise<EventBody[]> {
  const events: EventBody[] = []
  for (let after = 0; ; ) {
    const path = `/api/events?after=${after}&limit=1000&types=${types}`
    const page = await asOperator<{ events: EventBody[]; next: number; head: number }>(url, 'GET', path)
    events.push(...page.events)
    after = page.next
    if (after >= page.head) return events
  }
}

/** The positions of the first deliveries of each event, by tenant, in the order of arrival. */
export function firstArrivals(events: EventBody[]): Map<string | null, number[]> {
  const seen = new Set<string>()
  const byTenant = new Map<string | null, number[]>()
  for (const { id, position, data } of events) {
    if (seen.has(id)) continue
    seen.add(id)
    byTenant.set(data.tenantId, [...(byTenant.get(data.tenantId) ?? []), position])
  }
  return byTenant
}
