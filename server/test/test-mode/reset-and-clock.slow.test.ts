import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { FULL } from '../support/rounds.ts'
import { startTestMode, type TestMode } from '../support/test-mode.ts'
import {
  admin,
  claimsOf,
  introspect,
  machineToken,
  obtainTokens,
  PASSWORD,
  refresh,
  signIn,
  userinfo,
} from '../support/world.ts'

const MINUTE = 60
const DAY = 86_400

let testMode: TestMode
beforeAll(async () => {
  testMode = await startTestMode()
})
afterAll(() => testMode.stop())
beforeEach(async () => void (await testMode.post('/test/reset')))

const signInMia = async () => obtainTokens(testMode.url, await signIn(testMode.url, 'mia@acme.test'))
const advance = (seconds: number) => testMode.post('/test/clock', { advanceSeconds: seconds })
const login = (email: string, password = PASSWORD) => testMode.send('POST', '/api/auth/login', { email, password })

const mailTo = (address: string) => testMode.get(`/dev/mailbox/messages?to=${address}`)

describe('reset', () => {
  test('brings back the initial data, the real time and the absence of faults', async () => {
    await testMode.post('/api/auth/register', { email: 'new@x.test', password: 'correct horse battery' })
    await advance(400 * DAY)
    await testMode.post('/test/faults', { status: 503, paths: ['/health/*'] })
    expect((await testMode.send('GET', '/health/live')).status).toBe(503)
    await testMode.post('/test/reset')
    expect(await testMode.get('/health/live')).toEqual({ status: 'ok' })
    expect(await testMode.get('/test/faults')).toEqual({ faults: [] })
    const { now } = await testMode.get<{ now: string }>('/test/clock')
    expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(60_000)
    expect((await login('new@x.test', 'correct horse battery')).status).toBe(401)
    expect((await login('mia@acme.test')).status).toBe(200)
    expect(await mailTo('new@x.test')).toEqual([])
  })

  test('ends sessions and the tokens of people and machines, and keeps the signing key', async () => {
    const { url } = testMode
    const cookie = await signIn(url, 'mia@acme.test')
    const tokens = await obtainTokens(url, cookie)
    const machine = await machineToken(url, 'demo-ops')
    const keys = await testMode.get('/api/oauth/jwks')
    expect(await userinfo(url, tokens.access_token)).toBe(200)
    expect(await introspect(url, machine)).toMatchObject({ active: true })
    await testMode.post('/test/reset')
    expect(await userinfo(url, tokens.access_token)).toBe(401)
    expect(await introspect(url, machine)).toEqual({ active: false })
    expect((await refresh(url, tokens.refresh_token)).body.error).toBe('invalid_grant')
    expect((await fetch(`${url}/api/users/me`, { headers: { cookie } })).status).toBe(401)
    expect(await testMode.get('/api/oauth/jwks')).toEqual(keys)
  })

  test.runIf(FULL)('ends tokens also if the same calls with the same seed follow', async () => {
    const { url } = testMode
    await testMode.post('/test/reset', { seed: 7 })
    const before = await signInMia()
    await testMode.post('/test/reset', { seed: 7 })
    const after = await signInMia()
    expect(claimsOf(after.access_token).sid).toBe(claimsOf(before.access_token).sid)
    expect(await userinfo(url, after.access_token)).toBe(200)
    expect(await userinfo(url, before.access_token)).toBe(401)
  })

  test.runIf(FULL)('no request fails while resets run', async () => {
    let isRunning = true
    const statuses = new Set<number>()
    const callers = Array.from({ length: 4 }, async () => {
      while (isRunning) statuses.add((await login('mia@acme.test')).status)
    })
    await Promise.all([testMode.post('/test/reset'), testMode.post('/test/reset')])
    await testMode.post('/test/reset')
    isRunning = false
    await Promise.all(callers)
    expect([...statuses]).toEqual([200])
  })
})

describe('ids', () => {
  /** Calls that create a user, a tenant, an invitation, an application and a client. */
  async function createThings(): Promise<string[]> {
    const { url } = testMode
    const { user } = await testMode.post<{ user: { id: string } }>('/api/auth/register', {
      email: 'new@x.test',
      password: 'correct horse battery',
    })
    const { access_token: token } = await signInMia()
    const post = async (path: string, body: object) => {
      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
      const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
      return (await response.json()) as { id: string }
    }
    const tenant = await post('/api/tenants', { name: 'Team' })
    const invitation = await post(`/api/tenants/${tenant.id}/invitations`, { email: 'guest@x.test' })
    const application = await admin<{ id: string }>(url, '/api/admin/applications', { name: 'App' })
    const body = { applicationId: application.id, kind: 'MACHINE', name: 'Machine', scopes: ['admin'] }
    const client = await admin<{ id: string }>(url, '/api/admin/clients', body)
    return [user.id, tenant.id, invitation.id, application.id, client.id]
  }

  test('the same calls after a reset with the same seed give the same ids', async () => {
    await testMode.post('/test/reset', { seed: 42 })
    const ids = await createThings()
    expect(new Set(ids).size).toBe(5)
    expect(ids).not.toContain(undefined)
    await testMode.post('/test/reset', { seed: 42 })
    expect(await createThings()).toEqual(ids)
    if (!FULL) return
    await testMode.post('/test/reset', { seed: 43 })
    expect(await createThings()).not.toContain(ids[0])
    expect(await testMode.post('/test/reset')).toMatchObject({ seed: null })
    expect(await createThings()).not.toContain(ids[0])
  })

  test.runIf(FULL)('--seed holds for the start and for resets without a seed', async () => {
    const seeded = await startTestMode(['--seed', '42'])
    const register = async () =>
      (
        await seeded.post<{ user: { id: string } }>('/api/auth/register', {
          email: 'new@x.test',
          password: 'correct horse battery',
        })
      ).user.id
    const first = await register()
    expect(await seeded.post('/test/reset')).toMatchObject({ seed: 42 })
    expect(await register()).toBe(first)
    await testMode.post('/test/reset', { seed: 42 })
    expect((await createThings())[0]).toBe(first)
    await seeded.stop()
  })
})

describe('clock', () => {
  test('tokens expire by it', async () => {
    const { url } = testMode
    const tokens = await signInMia()
    await advance(14 * MINUTE)
    expect(await userinfo(url, tokens.access_token)).toBe(200)
    await advance(2 * MINUTE)
    expect(await userinfo(url, tokens.access_token)).toBe(401)
    const { body: refreshed } = await refresh(url, tokens.refresh_token)
    const { now } = await testMode.get<{ now: string }>('/test/clock')
    expect(claimsOf(refreshed.access_token).iat).toBeCloseTo(Date.parse(now) / 1_000, -2)
    await advance(31 * DAY)
    expect((await refresh(url, refreshed.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('it can be set to any day, stand still and go on', async () => {
    const set = { now: '2027-01-01T00:00:00Z', frozen: true }
    expect(await testMode.post('/test/clock', set)).toEqual({ now: '2027-01-01T00:00:00.000Z', frozen: true })
    const { access_token: token } = await signInMia()
    expect(claimsOf(token).iat).toBe(Date.parse(set.now) / 1_000)
    expect(await testMode.get('/test/clock')).toEqual({ now: '2027-01-01T00:00:00.000Z', frozen: true })
    expect(await advance(1.5)).toEqual({ now: '2027-01-01T00:00:01.500Z', frozen: true })
    expect(await testMode.post('/test/clock', { frozen: false })).toMatchObject({ frozen: false })
    await expect.poll(() => testMode.get('/test/clock')).not.toMatchObject({ now: '2027-01-01T00:00:01.500Z' })
    const real = await testMode.send('DELETE', '/test/clock')
    const { now } = (await real.json()) as { now: string }
    expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(60_000)
  })

  test.runIf(FULL)('a token that is revoked in the past is refused at once', async () => {
    const { url } = testMode
    await testMode.post('/test/clock', { now: '2021-03-01T00:00:00Z' })
    const { access_token: token, refresh_token: refreshToken } = await signInMia()
    expect(await userinfo(url, token)).toBe(200)
    const form = new URLSearchParams({ token: refreshToken, client_id: 'demo-spa' })
    await fetch(`${url}/api/oauth/revoke`, { method: 'POST', body: form })
    expect(await userinfo(url, token)).toBe(401)
  })

  test.runIf(FULL)('subscriptions end by it', async () => {
    const { url } = testMode
    await testMode.post('/test/clock', { now: '2027-01-01T00:00:00Z' })
    const ids = await testMode.post<Record<'applications' | 'users' | 'tenants', Record<string, string>>>(
      '/test/seed',
      {
        users: [{ email: 'olivia@acme.test' }, { email: 'max@acme.test' }],
        tenants: [{ slug: 'acme', name: 'Acme' }],
        applications: [{ slug: 'project-manager', name: 'Project Manager' }],
        subscriptions: [
          {
            tenant: 'acme',
            application: 'project-manager',
            licenseType: 'enterprise',
            quantityPurchased: 1,
            currentPeriodEnd: '2027-02-01T00:00:00Z',
            seats: ['max@acme.test'],
          },
        ],
      },
    )
    const query = `userId=${ids.users['max@acme.test']}&applicationId=${ids.applications['project-manager']}`
    const check = async () => {
      const headers = { authorization: `Bearer ${await machineToken(url, 'demo-machine')}` }
      const response = await fetch(`${url}/api/integration/licenses/check?${query}`, { headers })
      return ((await response.json()) as { hasLicense: boolean }).hasLicense
    }
    expect(await check()).toBe(true)
    await testMode.post('/test/clock', { now: '2027-02-01T00:00:01Z' })
    expect(await check()).toBe(false)
  })

  test('a jump runs the scheduled jobs, so that an account is erased when its time has come', async () => {
    const { url } = testMode
    const cookie = await signIn(url, 'max@acme.test')
    const deletion = await fetch(`${url}/api/users/me`, {
      method: 'DELETE',
      headers: { 'Content-Type': 'application/json', cookie, Origin: url },
      body: JSON.stringify({ password: PASSWORD, confirmation: 'DELETE MY ACCOUNT' }),
    })
    expect(deletion.status).toBe(200)
    expect((await login('max@acme.test')).status).toBe(403)
    await advance(31 * DAY)
    expect((await login('max@acme.test')).status).toBe(401)
  })
})
