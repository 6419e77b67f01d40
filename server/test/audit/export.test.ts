import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordAuditEvent, userActor } from '../../src/audit/record.ts'
import { newId } from '../../src/lib/ids.ts'
import { createSignedInUser } from '../account/people.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { machineToken, startDemoService } from '../support/world.ts'
import { insertMembership, insertTenant, type TestTenant } from '../tenants/tenant-rows.ts'
import { recordEntries, runSql } from './log.ts'

let service: TestService
let operations: Record<string, string>
beforeAll(async () => {
  service = await startDemoService()
  operations = { authorization: `Bearer ${await machineToken(service.url, 'demo-ops')}` }
})
afterAll(() => service.close())

const fetchExport = (query: Record<string, string>, { path = '/api/admin/audit/export', headers = operations } = {}) =>
  fetch(`${service.url}${path}?${new URLSearchParams(query)}`, { headers })

const findLastExport = async () =>
  (await runSql(service.ctx, "select * from audit_entries where action = 'audit.exported' order by id desc limit 1"))[0]

test('the CSV export is well-formed and contains no spreadsheet formulas', async () => {
  const { ctx } = service
  const userId = newId()
  const nasty = '=HYPERLINK("http://evil.test","a,b")\r\nsecond line'
  for (const email of [nasty, '+1', '-1', '@sum', '\ttab', "it's", 'plain@people.test']) {
    const entry = { action: 'user.email_verified', actor: userActor(userId), userId } as const
    await recordAuditEvent(ctx, ctx.db, { ...entry, personal: { email, userAgent: 'a "quoted" agent' } })
  }
  const response = await fetchExport({ format: 'csv', userId, order: 'asc' })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(response.headers.get('content-disposition')).toMatch(
    /^attachment; filename="latchkey-audit-\d{8}T\d{6}Z\.csv"$/,
  )
  const text = await response.text()
  expect(text).toMatch(/^id,occurredAt,action,actorKind,/)
  expect(text.endsWith('\r\n')).toBe(true)
  const rows = parse(text, { columns: true }) as Record<string, string>[]
  expect(rows.map(({ email }) => email)).toEqual([
    `'${nasty}`,
    "'+1",
    "'-1",
    "'@sum",
    "'\ttab",
    "it's",
    'plain@people.test',
  ])
  expect(rows[0]).toMatchObject({
    userId,
    actorId: userId,
    userAgent: 'a "quoted" agent',
    details: '{}',
    tenantId: '',
  })
})

test('the JSONL export contains the same objects as the list', async () => {
  await recordEntries(service.ctx, 3)
  const response = await fetchExport({ format: 'jsonl', action: 'member' })
  expect(response.headers.get('content-type')).toBe('application/x-ndjson')
  expect(response.headers.get('content-disposition')).toContain('.jsonl"')
  const lines = (await response.text()).trimEnd().split('\n')
  const list = await fetch(`${service.url}/api/admin/audit?action=member&limit=100`, { headers: operations })
  const { entries } = (await list.json()) as { entries: unknown[] }
  expect(lines.map((line) => JSON.parse(line))).toEqual(entries)
})

test('an export records the caller, the format and the filters', async () => {
  const from = '2020-01-01T00:00:00.000Z'
  const response = await fetchExport({ format: 'csv', action: 'user', from, ipAddress: '203.0.113.9' })
  await response.text()
  expect(await findLastExport()).toMatchObject({
    actor_kind: 'client',
    actor_id: 'demo-ops',
    tenant_id: null,
    request_id: response.headers.get('x-request-id'),
    details: { format: 'csv', order: 'desc', filters: { action: 'user', from } },
    personal: { soughtIpAddress: '203.0.113.9', ipAddress: '127.0.0.1' },
  })
})

test('a HEAD request is refused and records nothing', async () => {
  const before = await findLastExport()
  const path = '/api/admin/audit/export?format=csv'
  const response = await fetch(`${service.url}${path}`, { method: 'HEAD', headers: operations })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET'])
  expect(await findLastExport()).toEqual(before)
})

test.each(['', 'format=xml', 'format=csv&from=2026-12-31T23:59:60Z'])(
  'an export with the query "%s" is refused',
  async (query) => {
    const before = await findLastExport()
    const response = await fetch(`${service.url}/api/admin/audit/export?${query}`, { headers: operations })
    expect(response.status).toBe(422)
    expect(response.headers.get('content-disposition')).toBeNull()
    expect(await response.json()).toMatchObject({ error: 'VALIDATION_FAILED' })
    expect(await findLastExport()).toEqual(before)
  },
)

async function fill(company: TestTenant, count: number, size = 500): Promise<void> {
  await runSql(
    service.ctx,
    `insert into audit_entries (id, occurred_at, action, actor_kind, tenant_id, details)
     select gen_random_uuid(), now() - interval '1 day', 'user.password_changed', 'system', '${company.id}',
       jsonb_build_object('filler', repeat('x', ${size})) from generate_series(1, ${count})`,
  )
}

const openTransactions = async () =>
  runSql(
    service.ctx,
    `select state, query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
  )

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** The memory in use after a garbage collection. */
function memoryInUse(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test.runIf(FULL)(
  'an export of 50,000 entries uses little memory and contains each entry once and none of another tenant',
  async () => {
    const company = await insertTenant(service)
    await fill(company, 50_000)
    const before = memoryInUse()
    const response = await fetchExport({ format: 'jsonl', tenantId: company.id })
    const ids = new Set<string>()
    let [rest, peak, bytes, chunks] = ['', 0, 0, 0]
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) ids.add((JSON.parse(line) as { id: string }).id)
      if (chunks++ % 200 === 0) peak = Math.max(peak, memoryInUse())
    }
    expect(ids.size).toBe(50_000)
    expect(bytes).toBeGreaterThan(40_000_000)
    // Server and client share this process, and the client keeps the ids.
    expect(peak - before).toBeLessThan(bytes / 2)
    const entries = await fetchExport({ format: 'csv', tenantId: newId() })
    expect((await entries.text()).trimEnd().split('\r\n')).toHaveLength(1)
  },
)

test('an aborted or slow download holds no transaction open', async () => {
  const company = await insertTenant(service)
  await fill(company, 4_000, 5_000)
  const aborter = new AbortController()
  const address = `${service.url}/api/admin/audit/export?format=csv&tenantId=${company.id}`
  const response = await fetch(address, { headers: operations, signal: aborter.signal })
  const reader = response.body?.getReader()
  await reader?.read()
  // The client stops reading, so the server stops sending and holds no connection.
  const statements = async () =>
    (
      await runSql(
        service.ctx,
        `select count(*)::int as count from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
      )
    )[0]?.count
  // Two zeros in a row exclude a moment between two batches.
  await expect.poll(async () => [await statements(), await statements()]).toEqual([0, 0])
  await expect.poll(openTransactions).toEqual([])
  aborter.abort()
  await expect(reader?.read()).rejects.toThrow()
  await expect.poll(openTransactions).toEqual([])
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200)
})

test('a tenant exports its own log, and the export ends when the caller loses access', async () => {
  const company = await insertTenant(service)
  const [owner, admin] = [await createSignedInUser(service), await createSignedInUser(service)]
  await insertMembership(service, company, owner, { role: 'owner' })
  const membershipId = await insertMembership(service, company, admin, { role: 'admin' })
  await fill(company, 4_000, 5_000)
  await recordEntries(service.ctx, 2)
  const path = `/api/tenants/${company.id}/audit/export`
  const withToken = (token: string) => ({ path, headers: { authorization: `Bearer ${token}` } })
  const whole = await fetchExport({ format: 'csv' }, withToken(owner.tokens.access_token))
  const rows = parse(await whole.text(), { columns: true }) as Record<string, string>[]
  expect(rows).toHaveLength(4_000)
  expect(new Set(rows.map(({ tenantId }) => tenantId))).toEqual(new Set([company.id]))
  expect(await findLastExport()).toMatchObject({
    actor_id: owner.id,
    tenant_id: company.id,
    client_id: 'demo-spa',
  })

  const cut = await fetchExport({ format: 'csv' }, withToken(admin.tokens.access_token))
  const reader = cut.body?.getReader()
  await reader?.read()
  const removed = await owner.call('DELETE', `/api/tenants/${company.id}/members/${membershipId}`)
  expect(removed.status).toBe(200)
  const drain = async () => {
    while (!(await reader?.read())?.done);
  }
  await expect(drain()).rejects.toThrow()
})

test('a caller can have five exports open, and an aborted or finished export frees a slot', async () => {
  const company = await insertTenant(service)
  await fill(company, 4_000, 5_000)
  const somebody = await createSignedInUser(service, { is_super_admin: true })
  const headers = { authorization: `Bearer ${somebody.tokens.access_token}` }
  const aborter = new AbortController()
  const address = `${service.url}/api/admin/audit/export?format=csv&tenantId=${company.id}`
  const open = () => fetch(address, { headers, signal: aborter.signal })
  const responses = await Promise.all(Array.from({ length: 5 }, open))
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  const refused = await open()
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({ error: 'RATE_LIMITED' })
  // Other callers are not affected.
  expect((await fetchExport({ format: 'csv', userId: newId() })).status).toBe(200)
  expect((await responses[0]?.text())?.length).toBeGreaterThan(1_000_000)
  await expect.poll(async () => (await open()).status).toBe(200)
  aborter.abort()
  const again = async () => {
    const response = await fetchExport({ format: 'csv', userId: newId() }, { headers })
    await response.text()
    return response.status
  }
  await expect.poll(async () => Promise.all([again(), again(), again()])).toEqual([200, 200, 200])
})

test('exports are limited to 60 per hour and caller', async () => {
  const somebody = await createSignedInUser(service, { is_super_admin: true })
  const headers = { authorization: `Bearer ${somebody.tokens.access_token}` }
  const exportOnce = async () => {
    const response = await fetchExport({ format: 'csv', userId: somebody.id }, { headers })
    await response.text()
    return response
  }
  for (let count = 0; count < 60; count++) expect((await exportOnce()).status).toBe(200)
  const refused = await exportOnce()
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await fetchExport({ format: 'csv', userId: newId() })).status).toBe(200)
})
