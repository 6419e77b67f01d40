import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { hashSecret } from '../../src/lib/secrets.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import { accept, DAY, findInvitation, look, openHouse } from './desk.ts'
import { mailedToken, NEWCOMER } from './guests.ts'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

/** Every value of every row of the tables that might hold it, as text. */
async function everythingStored(): Promise<string> {
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
  return JSON.stringify(rows, (_, value) =>
    isBytes(value) ? Buffer.from(value.data).toString('latin1') : value,
  )
}

const isBytes = (value: unknown): value is { type: 'Buffer'; data: number[] } =>
  typeof value === 'object' && value !== null && (value as { type?: string }).type === 'Buffer'

test('the token of an invitation is stored hashed only, and stands in no log', async () => {
  const host = await openHouse(service)
  const { id, email, token } = await host.invite()
  expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  expect((await findInvitation(service, id))?.token_hash).toEqual(hashSecret(token))
  await look(service, token)
  await accept(service, token, { body: { ...NEWCOMER, password: 'password1' } })
  await host.call('POST', `/invitations/${id}/resend`)
  const fresh = await mailedToken(service, email)
  expect((await accept(service, token, { body: NEWCOMER })).status).toBe(404)
  expect((await accept(service, fresh, { body: NEWCOMER })).status).toBe(200)
  const stored = await everythingStored()
  const logged = JSON.stringify(service.logs)
  expect(stored).toContain(id)
  expect(logged).toContain('/api/invitations/')
  for (const secret of [token, fresh, NEWCOMER.password]) {
    expect(stored).not.toContain(secret)
    expect(logged).not.toContain(secret)
  }
})

test('an idempotency key keeps no token either', async () => {
  const host = await openHouse(service)
  const email = 'someone-keyed@people.test'
  const response = await fetch(`${service.url}/api/tenants/${host.tenant.id}/invitations`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'idempotency-key': 'once',
      authorization: `Bearer ${host.somebody.tokens.access_token}`,
    },
    body: JSON.stringify({ email }),
  })
  expect(response.status).toBe(201)
  expect(await response.text()).not.toContain(await mailedToken(service, email))
  expect(await everythingStored()).not.toContain(await mailedToken(service, email))
})

test('the operator decides for how long an invitation is good, unless the sender does', async () => {
  const { lifetimes } = loadConfig('demo', { INVITATION_TTL: '7200' })
  expect(lifetimes.invitation).toBe(7_200)
  const other = await startWorld({ config: { lifetimes } })
  try {
    const { somebody, tenant } = await openHouse(other)
    const until = async (fields: object, email: string) => {
      const path = `/api/tenants/${tenant.id}/invitations`
      const { body } = await somebody.call('POST', path, { email, ...fields })
      return Date.parse(String(body.expiresAt)) - Date.now()
    }
    const [usual, chosen] = [
      await until({}, 'someone-usual@people.test'),
      await until({ expiresInDays: 3 }, 'someone-chosen@people.test'),
    ]
    expect(Math.abs(usual - 7_200_000)).toBeLessThan(60_000)
    expect(Math.abs(chosen - 3 * DAY)).toBeLessThan(60_000)
  } finally {
    await other.close()
  }
})

test.each(['0', '-1', 'week', String(91 * 86_400)])('%s is no such time', (INVITATION_TTL) => {
  expect(() => loadConfig('demo', { INVITATION_TTL })).toThrow(/INVITATION_TTL/)
})

test('without a word from the operator it is seven days', () => {
  expect(loadConfig('demo', {}).lifetimes.invitation).toBe(7 * 86_400)
})
