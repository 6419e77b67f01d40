import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { hashSecret } from '../../src/lib/secrets.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import { mailedToken, NEW_USER } from './hosts.ts'
import { acceptInvitation, createHost, DAY_MS, findInvitation, getInvitation } from './invitation-api.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

/** All rows of the tables that could contain a token, as text. */
async function readTables(): Promise<string> {
  const { db } = service.ctx
  const tables = ['invitations', 'users', 'memberships', 'audit_entries', 'mail_messages', 'idempotency_keys']
  const rows = await Promise.all(
    tables.map((table) =>
      db
        .selectFrom(table as 'users')
        .selectAll()
        .execute(),
    ),
  )
  return JSON.stringify(rows, (_, value) => (isBytes(value) ? Buffer.from(value.data).toString('latin1') : value))
}

const isBytes = (value: unknown): value is { type: 'Buffer'; data: number[] } =>
  typeof value === 'object' && value !== null && (value as { type?: string }).type === 'Buffer'

test('the token of an invitation is stored only as a hash, and not logged', async () => {
  const host = await createHost(service)
  const { id, email, token } = await host.invite()
  expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  expect((await findInvitation(service, id))?.token_hash).toEqual(hashSecret(token))
  await getInvitation(service, token)
  await acceptInvitation(service, token, { body: { ...NEW_USER, password: 'password1' } })
  await host.call('POST', `/invitations/${id}/resend`)
  const fresh = await mailedToken(service, email)
  expect((await acceptInvitation(service, token, { body: NEW_USER })).status).toBe(404)
  expect((await acceptInvitation(service, fresh, { body: NEW_USER })).status).toBe(200)
  const stored = await readTables()
  const logged = JSON.stringify(service.logs)
  expect(stored).toContain(id)
  expect(logged).toContain('/api/invitations/')
  for (const secret of [token, fresh, NEW_USER.password]) {
    expect(stored).not.toContain(secret)
    expect(logged).not.toContain(secret)
  }
})

test('a stored idempotent response contains no token', async () => {
  const host = await createHost(service)
  const email = 'someone-keyed@people.test'
  const response = await fetch(`${service.url}/api/tenants/${host.tenant.id}/invitations`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': 'once',
      authorization: `Bearer ${host.user.tokens.access_token}`,
    },
    body: JSON.stringify({ email }),
  })
  expect(response.status).toBe(201)
  expect(await response.text()).not.toContain(await mailedToken(service, email))
  expect(await readTables()).not.toContain(await mailedToken(service, email))
})

test('the operator sets the lifetime of invitations, unless the sender does', async () => {
  const { lifetimes } = loadConfig('demo', { INVITATION_TTL: '7200' })
  expect(lifetimes.invitation).toBe(7_200)
  const other = await startDemoService({ config: { lifetimes } })
  try {
    const { user, tenant } = await createHost(other)
    const lifetimeOf = async (fields: object, email: string) => {
      const path = `/api/tenants/${tenant.id}/invitations`
      const { body } = await user.call('POST', path, { email, ...fields })
      return Date.parse(String(body.expiresAt)) - Date.now()
    }
    const [usual, chosen] = [
      await lifetimeOf({}, 'someone-usual@people.test'),
      await lifetimeOf({ expiresInDays: 3 }, 'someone-chosen@people.test'),
    ]
    expect(Math.abs(usual - 7_200_000)).toBeLessThan(60_000)
    expect(Math.abs(chosen - 3 * DAY_MS)).toBeLessThan(60_000)
  } finally {
    await other.close()
  }
})

test.each(['0', '-1', 'week', String(91 * 86_400)])('the lifetime %s is refused', (INVITATION_TTL) => {
  expect(() => loadConfig('demo', { INVITATION_TTL })).toThrow(/INVITATION_TTL/)
})

test('the default lifetime is seven days', () => {
  expect(loadConfig('demo', {}).lifetimes.invitation).toBe(7 * 86_400)
})
