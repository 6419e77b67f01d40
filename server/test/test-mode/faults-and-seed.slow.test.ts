import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { startReceiver } from '../support/receiver.ts'
import { startTestMode, type TestMode } from '../support/test-mode.ts'
import { admin, CALLBACK, PASSWORD } from '../support/world.ts'

let testMode: TestMode
beforeAll(async () => {
  // Low enough that rate limits would refuse almost everything.
  testMode = await startTestMode([], { SIGN_IN_FAILURES: '3', CLIENT_FAILURES: '3' })
})
afterAll(() => testMode.stop())

const advance = (seconds: number) => testMode.post('/test/clock', { advanceSeconds: seconds })
const login = (email: string, password = PASSWORD) => testMode.send('POST', '/api/auth/login', { email, password })
const mailTo = (address: string) => testMode.get<{ text: string }[]>(`/dev/mailbox/messages?to=${address}`)

describe('faults', () => {
  beforeEach(async () => void (await testMode.send('DELETE', '/test/faults')))

  test('a status for the next requests, with Retry-After, on the given paths', async () => {
    await testMode.post('/test/faults', { status: 429, retryAfterSeconds: 7, times: 2, paths: ['/api/auth/*'] })
    expect((await testMode.send('GET', '/health/live')).status).toBe(200)
    const refused = await login('mia@acme.test')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7'])
    expect(await refused.json()).toMatchObject({ error: 'RATE_LIMITED' })
    expect(await testMode.get('/test/faults')).toMatchObject({ faults: [{ status: 429, times: 1 }] })
    expect((await login('mia@acme.test')).status).toBe(429)
    expect((await login('mia@acme.test')).status).toBe(200)
    expect(await testMode.get('/test/faults')).toEqual({ faults: [] })
  })

  test('OAuth endpoints fail in the format of OAuth', async () => {
    await testMode.post('/test/faults', { status: 503, paths: ['/api/oauth/token'] })
    const response = await testMode.send('POST', '/api/oauth/token?x=1')
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await response.json()).toMatchObject({ error: 'temporarily_unavailable' })
  })

  test('latency, until the faults are removed', async () => {
    await testMode.post('/test/faults', { latencyMs: 400, paths: ['/health/live'] })
    const startedAt = performance.now()
    await testMode.get('/health/live')
    expect(performance.now() - startedAt).toBeGreaterThan(390)
    await testMode.post('/test/faults', { latencyMs: 60_000, paths: ['/health/*'] })
    const waiting = testMode.get('/health/live')
    expect((await testMode.send('DELETE', '/test/faults')).status).toBe(200)
    expect(await waiting).toEqual({ status: 'ok' })
  })

  test('lost mail: the request succeeds, and no mail arrives until the fault is removed', async () => {
    await testMode.post('/test/faults', { mail: 'lost' })
    await testMode.post('/api/auth/register', { email: 'lost@x.test', password: 'correct horse battery' })
    await testMode.send('DELETE', '/test/faults')
    await testMode.post('/api/auth/register', { email: 'sent@x.test', password: 'correct horse battery' })
    expect(await mailTo('lost@x.test')).toEqual([])
    const [mail] = await mailTo('sent@x.test')
    const [, token] = /\/verify-email\?token=(\S+)/.exec(mail?.text ?? '') ?? []
    expect((await testMode.send('POST', '/api/auth/email/verify', { token })).status).toBe(200)
  })

  test('delayed webhooks arrive when the clock has reached their time', async () => {
    const { url } = testMode
    const receiver = await startReceiver()
    onTestFinished(receiver.close)
    await testMode.post('/test/clock', { frozen: true })
    await testMode.post('/test/faults', { webhooks: { delayMs: 3_600_000 } })
    await admin(url, '/api/admin/webhooks', { url: receiver.url, events: ['tenant.*'] })
    const ids = await testMode.post('/test/seed', { tenants: [{ slug: 'late', name: 'Late', members: OWNERS }] })
    expect(ids).toMatchObject({ tenants: { late: expect.any(String) } })
    await advance(3_590)
    const count = () => receiver.received().length
    const runsBefore = await countDispatches()
    await expect.poll(countDispatches).toBeGreaterThan(runsBefore + 2)
    expect(count()).toBe(0)
    await advance(20)
    await expect.poll(count).toBeGreaterThan(0)
  })
})

/** How often the service has looked for due deliveries. */
async function countDispatches(): Promise<number> {
  const metrics = await (await testMode.send('GET', '/metrics')).text()
  const [line = ''] = /latchkey_job_runs_total\{.*dispatch_webhooks.*/.exec(metrics) ?? []
  return Number(line.split(' ').at(-1))
}

const OWNERS = [{ email: 'olivia@acme.test', role: 'owner' }]

test('there are no rate limits', async () => {
  const statuses = await Promise.all(
    Array.from({ length: 12 }, async () => (await login('mia@acme.test', 'no')).status),
  )
  expect(new Set(statuses)).toEqual(new Set([401]))
  expect((await login('mia@acme.test')).status).toBe(200)
})

describe('seed', () => {
  test('creates everything in one call and returns the ids', async () => {
    const declaration = {
      users: [{ email: 'Eve@Evil.test', password: PASSWORD }],
      tenants: [{ slug: 'evil', name: 'Evil', members: [{ email: 'eve@evil.test', role: 'owner' }] }],
      applications: [{ slug: 'notes', name: 'Notes' }],
      clients: [{ clientId: 'notes-web', application: 'notes', kind: 'SPA', name: 'Web', redirectUris: [CALLBACK] }],
      licenseTypes: [{ application: 'notes', slug: 'team', name: 'Team' }],
      subscriptions: [
        { tenant: 'evil', application: 'notes', licenseType: 'team', quantityPurchased: 3, seats: ['eve@evil.test'] },
      ],
    }
    const ids = await testMode.post('/test/seed', declaration)
    const id = expect.stringMatching(/^[0-9a-f-]{36}$/)
    expect(ids).toEqual({
      users: { 'eve@evil.test': id },
      tenants: { evil: id },
      applications: { notes: id },
      clients: { 'notes-web': id },
      licenseTypes: { 'notes/team': id },
      subscriptions: { 'evil/notes/team': id },
    })
    expect(await testMode.post('/test/seed', declaration)).toEqual(ids)
    expect(await (await login('eve@evil.test')).json()).toMatchObject({
      user: { id: (ids as { users: Record<string, string> }).users['eve@evil.test'] },
    })
  })

  test('accepts YAML', async () => {
    const response = await fetch(`${testMode.url}/test/seed`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/yaml' },
      body: 'tenants:\n  - { slug: yaml, name: Yaml }\n',
    })
    expect(await response.json()).toMatchObject({ tenants: { yaml: expect.any(String) } })
  })

  test.each([
    ['an unknown section', 'application/json', '{"usrs": []}', /additional properties \("usrs"\)/],
    ['an unknown tenant', 'application/json', '{"subscriptions": [{"tenant": "no"}]}', /subscriptions\.0/],
    ['a list', 'application/json', '[]', /Some fields/],
    ['broken YAML', 'application/yaml', 'users: [', /not valid YAML: line 1/],
    ['YAML that is no object', 'application/yaml', 'text', /Some fields/],
    [
      'a variable of the environment',
      'application/json',
      JSON.stringify({ users: [{ email: 'e@x.test', password: '$'.concat('{env:PATH}') }] }),
      /the variable PATH, which is not set/,
    ],
  ])('%s is refused with the reason', async (_, type, body, message) => {
    const headers = { 'Content-Type': type }
    const response = await fetch(`${testMode.url}/test/seed`, { method: 'POST', headers, body })
    expect(response.status).toBe(422)
    expect(((await response.json()) as { message: string }).message).toMatch(message)
  })
})

test.each([
  ['/test/clock', {}],
  ['/test/clock', { now: 'tomorrow' }],
  ['/test/clock', { now: '2019-12-31T23:59:59Z' }],
  ['/test/clock', { now: '2100-01-01T00:00:00Z' }],
  ['/test/clock', { advanceSeconds: -1 }],
  ['/test/clock', { advanceSeconds: 3_155_760_000 }],
  ['/test/clock', { now: '2027-01-01T00:00:00Z', advanceSeconds: 1 }],
  ['/test/faults', {}],
  ['/test/faults', { status: 500 }],
  ['/test/faults', { latencyMs: 60_001 }],
  ['/test/faults', { latencyMs: '5' }],
  ['/test/faults', { status: 503, times: 0 }],
  ['/test/faults', { status: 503, paths: [] }],
  ['/test/faults', { status: 503, paths: ['/a*b'] }],
  ['/test/faults', { mail: 'late' }],
  ['/test/faults', { mail: 'lost', times: 1 }],
  ['/test/faults', { webhooks: {} }],
  ['/test/reset', { seed: -1 }],
  ['/test/reset', { seed: 'x' }],
])('%s refuses %j and changes nothing', async (path, body) => {
  const before = await Promise.all([testMode.get('/test/faults'), testMode.get('/dev/mailbox/messages')])
  const response = await testMode.send('POST', path, body)
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({ error: 'VALIDATION_FAILED', details: [{ field: expect.any(String) }] })
  expect(await Promise.all([testMode.get('/test/faults'), testMode.get('/dev/mailbox/messages')])).toEqual(before)
})

test('a page of another site cannot control test mode', async () => {
  const headers = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }
  const response = await fetch(`${testMode.url}/test/reset`, { method: 'POST', headers })
  expect(response.status).toBe(403)
})

test('the API description does not mention test mode', async () => {
  const { paths } = await testMode.get<{ paths: object }>('/openapi.json')
  expect(Object.keys(paths).filter((path) => path.startsWith('/test'))).toEqual([])
})
