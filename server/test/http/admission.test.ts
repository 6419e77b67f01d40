import { availableParallelism } from 'node:os'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newSomebody } from '../account/people.ts'
import { figureIn, scrape } from '../operator/exposition.ts'
import { whileHeld } from '../support/locks.ts'
import type { TestService } from '../support/service.ts'
import { findIds, machineToken, PASSWORD, signIn, startWorld } from '../support/world.ts'

/** What is expensive is let in a few at a time, and more than that is turned away at once. */

let service: TestService
beforeAll(async () => {
  const limits = { signInFailures: 10_000, confirmFailures: 100, clientFailures: 100 }
  service = await startWorld({ config: { trustedProxies: ['127.0.0.1'], limits } })
})
afterAll(() => service.close())

/** As the documentation has them. */
const PASSWORDS = {
  running: Math.max(2, availableParallelism()) + 3,
  waiting: 300,
  account: 100,
  network: 200,
}
const BULK = { running: 3, waiting: 30, account: 20, network: 25 }
const PERSONAL_EXPORTS = { running: 4, account: 4 }

const COUNTS = { statement: 'lock table throttle in access exclusive mode' }
const LOG = { statement: 'lock table audit_entries in access exclusive mode' }

interface Asked {
  from: string
  method?: string
  headers?: Record<string, string>
  body?: unknown
}

const ask = (path: string, { from, method = 'POST', headers = {}, body }: Asked) =>
  fetch(service.url + path, {
    method,
    headers: { ...headers, 'X-Forwarded-For': from, ...(body ? { 'Content-Type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })

const many = <T>(count: number, one: () => T): T[] => Array.from({ length: count }, one)

const waits = (queue: string) =>
  expect.poll(async () => figureIn(await scrape(service), 'latchkey_queue_waiting', { queue }))

const countsShed = (queue: string, reason: string) =>
  expect.poll(async () => figureIn(await scrape(service), 'latchkey_requests_shed_total', { queue, reason }))

async function expectRefused(response: Response, status: 429 | 503): Promise<void> {
  expect(response.status).toBe(status)
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await response.json()).toMatchObject({
    statusCode: status,
    error: status === 429 ? 'RATE_LIMITED' : 'UNAVAILABLE',
    message: expect.any(String),
    requestId: expect.any(String),
  })
}

test('whoever shows a password waits in one line, of which no account and no network takes all places', async () => {
  const logIn = (email: string, from: string) =>
    ask('/api/auth/login', { from, body: { email, password: PASSWORD } })
  const { running, waiting, account, network } = PASSWORDS
  const sent = await whileHeld(service, COUNTS, async () => {
    const crowd = many(account, () => logIn('mia@acme.test', '10.1.0.1'))
    await waits('passwords').toBe(account - running)
    await expectRefused(await logIn('MIA@acme.test', '10.1.0.1'), 429)
    crowd.push(...many(network - account, () => logIn('max@acme.test', '10.1.0.1')))
    await waits('passwords').toBe(network - running)
    await expectRefused(await logIn('adam@acme.test', '10.1.0.1'), 429)
    const chosen = { token: 'none', newPassword: 'correct horse battery 9' }
    await expectRefused(await ask('/api/auth/password/reset', { from: '10.1.0.1', body: chosen }), 429)
    const left = running + waiting - network
    crowd.push(...many(Math.min(left, account), () => logIn('mia@acme.test', '10.1.0.2')))
    crowd.push(...many(Math.max(0, left - account), () => logIn('mia@acme.test', '10.1.0.3')))
    await waits('passwords').toBe(waiting)
    await expectRefused(await logIn('adam@acme.test', '10.1.0.5'), 503)

    // Those who choose a password stand in the same line.
    const body = { email: 'new@people.test', password: 'correct horse battery 9' }
    await expectRefused(await ask('/api/auth/register', { from: '10.1.0.5', body }), 503)
    await expectRefused(await ask('/api/auth/password/reset', { from: '10.1.0.5', body: chosen }), 503)
    return crowd
  })
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  await waits('passwords').toBe(0)
  await countsShed('passwords', 'share').toBe(3)
  await countsShed('passwords', 'full').toBe(3)
  expect((await logIn('adam@acme.test', '10.1.0.5')).status).toBe(200)
})

test('a password that confirms who somebody is waits in the same line', async () => {
  const { tokens } = await newSomebody(service)
  const change = (currentPassword: string) =>
    ask('/api/users/me/password', {
      ...{ from: '10.1.1.1', headers: { authorization: `Bearer ${tokens.access_token}` } },
      body: { currentPassword, newPassword: 'correct horse battery 9' },
    })
  const { running } = PASSWORDS
  const sent = await whileHeld(service, COUNTS, async () => {
    const changes = many(running + 5, () => change('wrong'))
    await waits('passwords').toBe(5)
    return changes
  })
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([400]))
})

test('bulk actions run a few at a time, whoever asks', async () => {
  const { tenantId } = await findIds(service, 'olivia@acme.test', 'acme')
  const machine = { authorization: `Bearer ${await machineToken(service.url, 'demo-machine')}` }
  const owner = { cookie: await signIn(service.url, 'olivia@acme.test') }
  const seat = await service.ctx.db
    .selectFrom('seats')
    .select(['user_id', 'application_id'])
    .executeTakeFirstOrThrow()
  const grants = [
    { userId: seat.user_id, applicationId: seat.application_id, licenseTypeId: seat.application_id },
  ]
  const grantMany = (from: string) =>
    ask('/api/integration/licenses/grant/bulk', { from, headers: machine, body: { grants } })
  const revokeMany = (from: string) =>
    ask('/api/integration/licenses/revoke/bulk', { from, headers: machine, body: { revocations: grants } })
  const inviteMany = (from: string) =>
    ask(`/api/tenants/${tenantId}/invitations/bulk`, {
      ...{ from, headers: { ...owner, origin: service.url } },
      body: { invitations: [{ email: 'guest@people.test' }] },
    })
  const { running, waiting, account, network } = BULK
  const sent = await whileHeld(
    service,
    { statement: 'lock table tenants in access exclusive mode' },
    async () => {
      const grants = many(account, () => grantMany('10.2.0.1'))
      await waits('bulk_actions').toBe(account - running)
      await waits('tenant_writes').toBe(running - 1)
      await expectRefused(await revokeMany('10.2.0.1'), 429)
      grants.push(...many(network - account, () => inviteMany('10.2.0.1')))
      await waits('bulk_actions').toBe(network - running)
      await expectRefused(await inviteMany('10.2.0.1'), 429)
      grants.push(...many(running + waiting - network, () => grantMany('10.2.0.2')))
      await waits('bulk_actions').toBe(waiting)
      await expectRefused(await inviteMany('10.2.0.3'), 503)
      return grants
    },
  )
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  await countsShed('bulk_actions', 'share').toBe(2)
  await countsShed('bulk_actions', 'full').toBe(1)
})

test('personal data are put together for a few at a time', async () => {
  const { tokens } = await newSomebody(service)
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const fetchExport = (from: string) => ask('/api/users/me/export', { from, method: 'GET', headers })
  const { running, account } = PERSONAL_EXPORTS
  const sent = await whileHeld(service, LOG, async (waitFor) => {
    const exports = many(account, () => fetchExport('10.3.0.1'))
    await waitFor(running)
    await expectRefused(await fetchExport('10.3.0.1'), 429)
    exports.push(...many(account, () => fetchExport('10.3.0.2')))
    await waits('personal_exports').toBe(account)
    return exports
  })
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  await countsShed('personal_exports', 'share').toBe(1)
})
