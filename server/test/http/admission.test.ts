import { availableParallelism } from 'node:os'
import type { FastifyRequest } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { countWaiting, type QueueName } from '../../src/lib/metrics/queue-metrics.ts'
import { withPasswordAdmission } from '../../src/users/passwords.ts'
import { createSignedInUser } from '../account/people.ts'
import { scrape, sumSamples } from '../operator/exposition.ts'
import { whileLocked } from '../support/locks.ts'
import type { TestService } from '../support/service.ts'
import { findIds, machineToken, PASSWORD, signIn, startDemoService } from '../support/world.ts'

let service: TestService
beforeAll(async () => {
  const limits = { signInFailures: 10_000, confirmFailures: 100, clientFailures: 100 }
  service = await startDemoService({ config: { trustedProxies: ['127.0.0.1'], limits }, lockTimeoutMs: 0 })
})
afterAll(() => service.close())

/** The documented limits. */
const PASSWORDS = {
  running: Math.max(2, availableParallelism()) + 3,
  waiting: 300,
  account: 100,
  network: 200,
}
const BULK = { running: 3, waiting: 30, account: 20, network: 25 }
const PERSONAL_EXPORTS = { running: 4, account: 4 }

const LOCK_RATE_LIMITS = { statement: 'lock table throttle in access exclusive mode' }
const LOCK_AUDIT_LOG = { statement: 'lock table audit_entries in access exclusive mode' }

interface RequestOptions {
  from: string
  method?: string
  headers?: Record<string, string>
  body?: unknown
}

const send = (path: string, { from, method = 'POST', headers = {}, body }: RequestOptions) =>
  fetch(service.url + path, {
    method,
    headers: { ...headers, 'X-Forwarded-For': from, ...(body ? { 'Content-Type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })

const repeat = <T>(count: number, action: () => T): T[] => Array.from({ length: count }, action)

/** Not from the metrics, which are cached for longer than this test should hold its locks. */
const expectWaiting = (queue: QueueName) => expect.poll(() => countWaiting(queue), { interval: 10 })

const expectShed = (queue: string, reason: string) =>
  expect.poll(async () => sumSamples(await scrape(service), 'latchkey_requests_shed_total', { queue, reason }))

async function expectRejected(response: Response, status: 429 | 503): Promise<void> {
  expect(response.status).toBe(status)
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await response.json()).toMatchObject({
    statusCode: status,
    error: status === 429 ? 'RATE_LIMITED' : 'UNAVAILABLE',
    message: expect.any(String),
    requestId: expect.any(String),
  })
}

test('requests with a password share one queue, with limits per account and per network', async () => {
  const logIn = (email: string, from: string) => send('/api/auth/login', { from, body: { email, password: PASSWORD } })
  const { running, waiting, account, network } = PASSWORDS
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  // Most of the crowd is no request: waiting requests are refused after ten seconds, in which a busy machine may not
  // receive hundreds.
  const occupy = (count: number, person: string, ip: string) =>
    repeat(count, () =>
      withPasswordAdmission(
        service.ctx,
        { request: { ip, socket: {} } as unknown as FastifyRequest, account: person },
        () => released,
      ),
    )
  const crowd: Promise<unknown>[] = []
  const sent = await whileLocked(service, LOCK_RATE_LIMITS, async () => {
    const requests = repeat(running + 2, () => logIn('mia@acme.test', '10.1.0.1'))
    await expectWaiting('passwords').toBe(2)
    crowd.push(...occupy(account - requests.length, 'mia@acme.test', '10.1.0.1'))
    await expectWaiting('passwords').toBe(account - running)
    await expectRejected(await logIn('MIA@acme.test', '10.1.0.1'), 429)
    crowd.push(...occupy(network - account, 'max@acme.test', '10.1.0.1'))
    await expectRejected(await logIn('adam@acme.test', '10.1.0.1'), 429)
    const chosen = { token: 'none', newPassword: 'correct horse battery 9' }
    await expectRejected(await send('/api/auth/password/reset', { from: '10.1.0.1', body: chosen }), 429)
    const left = running + waiting - network
    crowd.push(...occupy(Math.min(left, account), 'mia@acme.test', '10.1.0.2'))
    crowd.push(...occupy(Math.max(0, left - account), 'mia@acme.test', '10.1.0.3'))
    await expectWaiting('passwords').toBe(waiting)
    await expectRejected(await logIn('adam@acme.test', '10.1.0.5'), 503)

    // Requests that set a password use the same queue.
    const body = { email: 'new@people.test', password: 'correct horse battery 9' }
    await expectRejected(await send('/api/auth/register', { from: '10.1.0.5', body }), 503)
    await expectRejected(await send('/api/auth/password/reset', { from: '10.1.0.5', body: chosen }), 503)
    return requests
  })
  release()
  await Promise.allSettled(crowd)
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  await expectWaiting('passwords').toBe(0)
  await expectShed('passwords', 'share').toBe(3)
  await expectShed('passwords', 'full').toBe(3)
  expect((await logIn('adam@acme.test', '10.1.0.5')).status).toBe(200)
})

test('requests that confirm the current password use the same queue', async () => {
  const { tokens } = await createSignedInUser(service)
  const change = (currentPassword: string) =>
    send('/api/users/me/password', {
      from: '10.1.1.1',
      headers: { authorization: `Bearer ${tokens.access_token}` },
      body: { currentPassword, newPassword: 'correct horse battery 9' },
    })
  const { running } = PASSWORDS
  const sent = await whileLocked(service, LOCK_RATE_LIMITS, async () => {
    const changes = repeat(running + 5, () => change('wrong'))
    await expectWaiting('passwords').toBe(5)
    return changes
  })
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([400]))
})

test('the concurrency of bulk actions is limited over all callers', async () => {
  const { tenantId } = await findIds(service, 'olivia@acme.test', 'acme')
  const machine = { authorization: `Bearer ${await machineToken(service.url, 'demo-machine')}` }
  const owner = { cookie: await signIn(service.url, 'olivia@acme.test') }
  const seat = await service.ctx.db.selectFrom('seats').select(['user_id', 'application_id']).executeTakeFirstOrThrow()
  const grants = [{ userId: seat.user_id, applicationId: seat.application_id, licenseTypeId: seat.application_id }]
  const grantMany = (from: string) =>
    send('/api/integration/licenses/grant/bulk', { from, headers: machine, body: { grants } })
  const revokeMany = (from: string) =>
    send('/api/integration/licenses/revoke/bulk', { from, headers: machine, body: { revocations: grants } })
  const inviteMany = (from: string) =>
    send(`/api/tenants/${tenantId}/invitations/bulk`, {
      from,
      headers: { ...owner, origin: service.url },
      body: { invitations: [{ email: 'guest@people.test' }] },
    })
  const { running, waiting, account, network } = BULK
  const sent = await whileLocked(service, { statement: 'lock table tenants in access exclusive mode' }, async () => {
    const grants = repeat(account, () => grantMany('10.2.0.1'))
    await expectWaiting('bulk_actions').toBe(account - running)
    await expectWaiting('tenant_writes').toBe(running - 1)
    await expectRejected(await revokeMany('10.2.0.1'), 429)
    grants.push(...repeat(network - account, () => inviteMany('10.2.0.1')))
    await expectWaiting('bulk_actions').toBe(network - running)
    await expectRejected(await inviteMany('10.2.0.1'), 429)
    grants.push(...repeat(running + waiting - network, () => grantMany('10.2.0.2')))
    await expectWaiting('bulk_actions').toBe(waiting)
    await expectRejected(await inviteMany('10.2.0.3'), 503)
    return grants
  })
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  await expectShed('bulk_actions', 'share').toBe(2)
  await expectShed('bulk_actions', 'full').toBe(1)
})

test('the concurrency of personal exports is limited', async () => {
  const { tokens } = await createSignedInUser(service)
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const fetchExport = (from: string) => send('/api/users/me/export', { from, method: 'GET', headers })
  const { running, account } = PERSONAL_EXPORTS
  const sent = await whileLocked(service, LOCK_AUDIT_LOG, async (waitFor) => {
    const exports = repeat(account, () => fetchExport('10.3.0.1'))
    await waitFor(running)
    await expectRejected(await fetchExport('10.3.0.1'), 429)
    exports.push(...repeat(account, () => fetchExport('10.3.0.2')))
    await expectWaiting('personal_exports').toBe(account)
    return exports
  })
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200]))
  await expectShed('personal_exports', 'share').toBe(1)
})
