import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { extendChain } from '../../src/audit/chain/service.ts'
import { enqueue } from '../../src/jobs/store.ts'
import { deliverMail } from '../../src/mail/outbox.ts'
import { insertUser, logIn } from '../account/people.ts'
import { scrape, sumSamples } from '../operator/exposition.ts'
import { adminOf } from '../support/database.ts'
import { FULL } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { exchange, machineToken, obtainTokens, refresh, signIn, startDemoService, token } from '../support/world.ts'

const MAIL = { smtpUrl: 'smtp://127.0.0.1:9', mailbox: false, from: 'a@b.test' }

let service: TestService
beforeAll(async () => {
  service = await startDemoService({ config: { mail: MAIL } })
})
afterAll(() => service?.close())

/** Metrics are cached for a short time, so this polls. */
const shows = (name: string, labels: Record<string, string> = {}, of = service) =>
  expect.poll(async () => sumSamples(await scrape(of), name, labels), { interval: 300 })

const read = async (name: string, labels: Record<string, string> = {}) =>
  sumSamples(await scrape(service), name, labels) ?? 0

describe('sign-in', () => {
  const SIGN_INS = 'latchkey_sign_ins_total'

  test('counters start at zero for every method and outcome', async () => {
    const fresh = await startService()
    const samples = await scrape(fresh)
    for (const method of ['password', 'passkey', 'sso']) {
      for (const outcome of ['ok', 'second_factor', 'refused', 'limited', 'unavailable', 'failed']) {
        expect(sumSamples(samples, SIGN_INS, { method, outcome })).toBe(0)
      }
    }
    await fresh.close()
  })

  test('counts successes and failures', async () => {
    const ok = await read(SIGN_INS, { method: 'password', outcome: 'ok' })
    const refused = await read(SIGN_INS, { method: 'password', outcome: 'refused' })
    await signIn(service.url, 'mia@acme.test')
    await logIn(service.url, 'mia@acme.test', 'wrong')
    await logIn(service.url, 'nobody@acme.test', 'wrong')
    await shows(SIGN_INS, { method: 'password', outcome: 'ok' }).toBe(ok + 1)
    await shows(SIGN_INS, { method: 'password', outcome: 'refused' }).toBe(refused + 2)
  })

  test('counts rate-limited attempts, also by limit', async () => {
    const { limits } = service.ctx.config
    const strict = await startDemoService({ config: { limits: { ...limits, signInFailures: 3 } } })
    const { email } = await insertUser(strict)
    for (let i = 0; i < 5; i++) await logIn(strict.url, email, 'wrong')
    const samples = await scrape(strict)
    expect(sumSamples(samples, SIGN_INS, { method: 'password', outcome: 'refused' })).toBe(3)
    expect(sumSamples(samples, SIGN_INS, { method: 'password', outcome: 'limited' })).toBe(2)
    expect(sumSamples(samples, 'latchkey_rate_limit_refusals_total', { limiter: 'sign-in' })).toBe(2)
    await strict.close()
  })

  test('counts second factors separately', async () => {
    await fetch(`${service.url}/api/auth/mfa`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code: '123456' }),
    })
    await shows('latchkey_second_factors_total', { method: 'totp', outcome: 'refused' }).toBe(1)
  })
})

describe('tokens', () => {
  const TOKENS = 'latchkey_token_requests_total'

  test('are counted by grant type and outcome; unknown grant types share one label', async () => {
    await machineToken(service.url, 'demo-machine')
    await token(service.url, {
      grant_type: 'client_credentials',
      client_id: 'demo-machine',
      client_secret: 'x',
    })
    for (const grant_type of ['password', 'mia@acme.test', 'urn:x']) {
      await token(service.url, { grant_type, client_id: 'demo-spa' })
    }
    await shows(TOKENS, { grant_type: 'client_credentials', outcome: 'issued' }).toBe(1)
    await shows(TOKENS, { grant_type: 'client_credentials', outcome: 'invalid_client' }).toBe(1)
    await shows(TOKENS, { grant_type: 'other', outcome: 'unsupported_grant_type' }).toBe(3)
  })

  test('that are reused are counted', async () => {
    const cookie = await signIn(service.url, 'mia@acme.test')
    const tokens = await obtainTokens(service.url, cookie)
    await refresh(service.url, tokens.refresh_token)
    await refresh(service.url, tokens.refresh_token)
    await exchange(service.url, 'no-such-code')
    await shows('latchkey_reuse_detected_total', { kind: 'refresh_token' }).toBe(1)
    await shows('latchkey_reuse_detected_total', { kind: 'authorization_code' }).toBe(0)
    await shows(TOKENS, { grant_type: 'refresh_token', outcome: 'issued' }).toBe(1)
    await shows(TOKENS, { grant_type: 'refresh_token', outcome: 'invalid_grant' }).toBe(1)
  })
})

describe('metrics from the database', () => {
  test('are read in one statement, and then cached', async () => {
    const watch = await watchStatements(service)
    const count = () => watch.count(() => scrape(service))
    // An earlier result may still be cached.
    let counted = 0
    await expect.poll(async () => (counted = await count()), { interval: 300 }).not.toBe(0)
    expect(counted).toBe(1)
    expect(await count()).toBe(0)
    await watch.close()
  })

  test('contain the length and the age of the queues', async () => {
    await fetch(`${service.url}/api/auth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email: 'new@people.test', password: 'correct horse battery 9' }),
    })
    await enqueue(service.ctx.db, deliverMail, { mailId: '0197a000-0000-7000-8000-000000000000' })
    const { db } = service.ctx
    // Without the mail from creating the demo data.
    await db.deleteFrom('mail_messages').where('recipient', '<>', 'new@people.test').execute()
    const mails = await db.selectFrom('mail_messages').select('id').execute()
    expect(mails.length).toBeGreaterThan(0)
    await shows('latchkey_mail_waiting').toBe(mails.length)
    await shows('latchkey_mail_oldest_seconds').toBeGreaterThan(0)
    await shows('latchkey_jobs_waiting', { task: 'deliver_mail' }).toBe(mails.length + 1)
    await shows('latchkey_jobs_waiting', { task: 'sweep_expired' }).toBe(0)
    await shows('latchkey_jobs_oldest_due_seconds', { task: 'deliver_mail' }).toBeGreaterThan(0)
    // Without a job worker, nothing extends the audit chain.
    await shows('latchkey_audit_pending').toBeGreaterThan(0)
    await shows('latchkey_audit_oldest_pending_seconds').toBeGreaterThan(0)
  })

  test.runIf(FULL)('count at most the oldest ten thousand jobs', async () => {
    const { db } = service.ctx
    const add = sql<{ id: string }>`
      select id from graphile_worker.add_job('sweep_expired', run_at := now() - interval '1 hour')`
    const first = (await add.execute(db)).rows[0]?.id
    // Adding each job separately would take long.
    await sql`
      insert into graphile_worker._private_jobs (task_id, run_at)
      select task_id, run_at from graphile_worker._private_jobs, generate_series(2, 10500)
      where id = ${first}`.execute(db)
    const counted = async () => {
      const samples = await scrape(service)
      return samples.filter(({ name }) => name === 'latchkey_jobs_waiting').reduce((sum, { value }) => sum + value, 0)
    }
    await expect.poll(counted, { interval: 300 }).toBe(10_000)
    await shows('latchkey_jobs_oldest_due_seconds', { task: 'sweep_expired' }).toBeGreaterThan(3_000)
    await sql`delete from graphile_worker._private_jobs where id >= ${first}`.execute(db)
  })

  test('contain the signing keys and the time until the next rotation', async () => {
    const samples = await scrape(service)
    expect(sumSamples(samples, 'latchkey_signing_keys', { state: 'signing' })).toBe(1)
    expect(sumSamples(samples, 'latchkey_signing_keys', { state: 'retired' })).toBe(0)
    const age = sumSamples(samples, 'latchkey_signing_key_age_seconds') ?? -1
    const rest = sumSamples(samples, 'latchkey_signing_key_rotation_seconds') ?? -1
    expect(age).toBeGreaterThanOrEqual(0)
    expect(Math.round(age + rest)).toBe(90 * 86_400)
  })

  test.runIf(FULL)('are omitted while the database is unreachable; other metrics are exported', async () => {
    const lonely = await startService()
    // The start has written audit events.
    await extendChain(lonely.ctx)
    const up = sumSamples(await scrape(lonely), 'latchkey_database_up')
    expect(up).toBe(1)
    const { name, direct } = lonely.connection
    const admin = await adminOf(direct.host ?? '')
    await admin.query(`alter database ${name} allow_connections false`)
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
    await shows('latchkey_database_up', {}, lonely).toBe(0)
    await shows('latchkey_change_feed_connected', {}, lonely).toBe(0)
    const samples = await scrape(lonely)
    expect(sumSamples(samples, 'latchkey_audit_pending')).toBeUndefined()
    expect(sumSamples(samples, 'latchkey_jobs_waiting')).toBeUndefined()
    expect(sumSamples(samples, 'latchkey_build_info')).toBe(1)
    await admin.query(`alter database ${name} allow_connections true`)
    await admin.end()
    await shows('latchkey_database_up', {}, lonely).toBe(1)
    await shows('latchkey_audit_pending', {}, lonely).toBe(0)
    await lonely.close()
  })
})

test('metrics of the process are exported', async () => {
  for (let i = 0; i < 2; i++) await machineToken(service.url, 'demo-ops')
  await shows('latchkey_memory_lookups_total', { memory: 'facts', outcome: 'hit' }).toBeGreaterThan(0)
  const samples = await scrape(service)
  expect(sumSamples(samples, 'latchkey_database_connections_max')).toBe(10)
  expect(sumSamples(samples, 'latchkey_database_connections')).toBeGreaterThan(0)
  expect(sumSamples(samples, 'latchkey_database_connection_waiters')).toBe(0)
  expect(sumSamples(samples, 'latchkey_change_feed_connected')).toBe(1)
  expect(sumSamples(samples, 'latchkey_change_feed_silent_seconds')).toBeLessThan(10)
  expect(sumSamples(samples, 'latchkey_database_statements_total', { outcome: 'ok' })).toBeGreaterThan(0)
  expect(samples.find(({ name }) => name === 'latchkey_build_info')?.labels).toEqual({
    version: expect.stringMatching(/^\d/),
    node: process.version,
  })
})

test('no label contains input of callers', async () => {
  await fetch(`${service.url}/made/up/quokka?token=s3cret`)
  await fetch(`${service.url}/sso/made-up-quokka`)
  await logIn(service.url, 'made-up-quokka@people.test', 'x')
  await token(service.url, { grant_type: 'made-up-quokka', client_id: 'made-up-quokka' })
  await shows('latchkey_http_requests_total', { route: 'unmatched', status: '404' }).toBe(1)
  const labels = (await scrape(service)).flatMap((sample) => Object.values(sample.labels))
  expect(labels.filter((value) => /quokka|s3cret|@|127\.0\.0\.1/.test(value))).toEqual([])
})

test('services in one process have separate metrics', async () => {
  const other = await startService()
  expect(sumSamples(await scrape(other), 'latchkey_http_requests_total')).toBeUndefined()
  await other.close()
})

describe('access to /metrics', () => {
  const metricsToken = 'a-long-enough-token'
  const get = (of: TestService, headers: Record<string, string> = {}) => fetch(`${of.url}/metrics`, { headers })

  test('is public unless a token is configured', async () => {
    const closed = await startService({ config: { metricsToken } })
    const wrong = ['', 'Bearer', 'Bearer x', `Basic ${metricsToken}`, `Bearer ${metricsToken}x`, metricsToken]
    for (const authorization of wrong) {
      const response = await get(closed, { authorization })
      expect(response.status).toBe(401)
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/)
      expect(await response.text()).not.toContain('latchkey_http')
    }
    expect((await get(closed, { authorization: `Bearer ${metricsToken}` })).status).toBe(200)
    expect((await get(service)).status).toBe(200)
    await closed.close()
  })

  test('without a token in production returns only metrics that reveal nothing about accounts', async () => {
    const open = await startService({ config: { mode: 'serve', mail: MAIL } })
    await get(open)
    await expect.poll(async () => (await get(open)).text()).toContain('latchkey_http_requests')
    const samples = await scrape(open)
    const ours = new Set(samples.map(({ name }) => name).filter((name) => name.startsWith('latchkey_')))
    expect([...ours].sort()).toEqual(['latchkey_build_info', 'latchkey_database_up', 'latchkey_http_requests_total'])
    await open.close()
    const secured = await startService({ config: { mode: 'serve', metricsToken, mail: MAIL } })
    const all = await scrape(secured, { authorization: `Bearer ${metricsToken}` })
    expect(sumSamples(all, 'latchkey_mail_waiting')).toBe(0)
    await secured.close()
  })
})
