import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { person, record } from '../../src/audit/record.ts'
import { newId } from '../../src/lib/ids.ts'
import { newSomebody } from '../account/people.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { machineToken, startWorld } from '../support/world.ts'
import { type Company, employ, newCompany } from '../tenants/company.ts'
import { run, writeSome } from './log.ts'

let service: TestService
let operations: Record<string, string>
beforeAll(async () => {
  service = await startWorld()
  operations = { authorization: `Bearer ${await machineToken(service.url, 'demo-ops')}` }
})
afterAll(() => service.close())

const fetchExport = (
  query: Record<string, string>,
  { path = '/api/admin/audit/export', headers = operations } = {},
) => fetch(`${service.url}${path}?${new URLSearchParams(query)}`, { headers })

const exported = async () =>
  (
    await run(
      service.ctx,
      "select * from audit_entries where action = 'audit.exported' order by id desc limit 1",
    )
  )[0]

test('the log comes as a table that any program reads, and no spreadsheet runs', async () => {
  const { ctx } = service
  const userId = newId()
  const nasty = '=HYPERLINK("http://evil.test","a,b")\r\nsecond line'
  for (const email of [nasty, '+1', '-1', '@sum', '\ttab', "it's", 'plain@people.test']) {
    const entry = { action: 'user.email_verified', actor: person(userId), userId } as const
    await record(ctx, ctx.db, { ...entry, personal: { email, userAgent: 'a "quoted" agent' } })
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
    ...[`'${nasty}`, "'+1", "'-1", "'@sum", "'\ttab", "it's", 'plain@people.test'],
  ])
  expect(rows[0]).toMatchObject({
    userId,
    actorId: userId,
    userAgent: 'a "quoted" agent',
    details: '{}',
    tenantId: '',
  })
})

test('the log comes as one JSON object a line, as the list shows them', async () => {
  await writeSome(service.ctx, 3)
  const response = await fetchExport({ format: 'jsonl', action: 'member' })
  expect(response.headers.get('content-type')).toBe('application/x-ndjson')
  expect(response.headers.get('content-disposition')).toContain('.jsonl"')
  const lines = (await response.text()).trimEnd().split('\n')
  const list = await fetch(`${service.url}/api/admin/audit?action=member&limit=100`, { headers: operations })
  const { entries } = (await list.json()) as { entries: unknown[] }
  expect(lines.map((line) => JSON.parse(line))).toEqual(entries)
})

test('that it was fetched is written down: by whom, in which form, what of it', async () => {
  const from = '2020-01-01T00:00:00.000Z'
  const response = await fetchExport({ format: 'csv', action: 'user', from, ipAddress: '203.0.113.9' })
  await response.text()
  expect(await exported()).toMatchObject({
    ...{ actor_kind: 'client', actor_id: 'demo-ops', tenant_id: null },
    request_id: response.headers.get('x-request-id'),
    details: { format: 'csv', order: 'desc', filters: { action: 'user', from } },
    personal: { soughtIpAddress: '203.0.113.9', ipAddress: '127.0.0.1' },
  })
})

test('who asks for the headers alone has nothing read', async () => {
  const before = await exported()
  const path = '/api/admin/audit/export?format=csv'
  const response = await fetch(`${service.url}${path}`, { method: 'HEAD', headers: operations })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET'])
  expect(await exported()).toEqual(before)
})

test.each(['', 'format=xml', 'format=csv&from=2026-12-31T23:59:60Z'])(
  'it cannot be asked for with "%s"',
  async (query) => {
    const before = await exported()
    const response = await fetch(`${service.url}/api/admin/audit/export?${query}`, { headers: operations })
    expect(response.status).toBe(422)
    expect(response.headers.get('content-disposition')).toBeNull()
    expect(await response.json()).toMatchObject({ error: 'VALIDATION_FAILED' })
    expect(await exported()).toEqual(before)
  },
)

async function fill(company: Company, count: number, size = 500): Promise<void> {
  await run(
    service.ctx,
    `insert into audit_entries (id, occurred_at, action, actor_kind, tenant_id, details)
     select gen_random_uuid(), now() - interval '1 day', 'user.password_changed', 'system', '${company.id}',
       jsonb_build_object('filler', repeat('x', ${size})) from generate_series(1, ${count})`,
  )
}

const openTransactions = async () =>
  run(
    service.ctx,
    `select state, query from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'`,
  )

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What is held at this moment, without what only waits to be swept away. */
function held(): number {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

test.runIf(FULL)('50,000 entries come in little room, each once; of another tenant none', async () => {
  const company = await newCompany(service)
  await fill(company, 50_000)
  const before = held()
  const response = await fetchExport({ format: 'jsonl', tenantId: company.id })
  const ids = new Set<string>()
  let [rest, most, bytes, chunks] = ['', 0, 0, 0]
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) ids.add((JSON.parse(line) as { id: string }).id)
    if (chunks++ % 200 === 0) most = Math.max(most, held())
  }
  expect(ids.size).toBe(50_000)
  expect(bytes).toBeGreaterThan(40_000_000)
  // Server and client share this process, and the client keeps the ids.
  expect(most - before).toBeLessThan(bytes / 2)
  const entries = await fetchExport({ format: 'csv', tenantId: newId() })
  expect((await entries.text()).trimEnd().split('\r\n')).toHaveLength(1)
})

test('whoever goes away in the middle leaves nothing open, and whoever is slow holds nothing', async () => {
  const company = await newCompany(service)
  await fill(company, 4_000, 5_000)
  const away = new AbortController()
  const address = `${service.url}/api/admin/audit/export?format=csv&tenantId=${company.id}`
  const response = await fetch(address, { headers: operations, signal: away.signal })
  const reader = response.body?.getReader()
  await reader?.read()
  // It is not read on: what is sent stops when nobody takes it, and no connection is held meanwhile.
  const statements = async () =>
    (
      await run(
        service.ctx,
        `select count(*)::int as count from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()`,
      )
    )[0]?.count
  // Nothing is under way between two batches either: twice in a row is the end of it.
  await expect.poll(async () => [await statements(), await statements()]).toEqual([0, 0])
  await expect.poll(openTransactions).toEqual([])
  away.abort()
  await expect(reader?.read()).rejects.toThrow()
  await expect.poll(openTransactions).toEqual([])
  expect((await fetch(`${service.url}/health/ready`)).status).toBe(200)
})

test('a tenant exports its own log, and stops when whoever fetches it may not any more', async () => {
  const company = await newCompany(service)
  const [owner, admin] = [await newSomebody(service), await newSomebody(service)]
  await employ(service, company, owner, { role: 'owner' })
  const membershipId = await employ(service, company, admin, { role: 'admin' })
  await fill(company, 4_000, 5_000)
  await writeSome(service.ctx, 2)
  const path = `/api/tenants/${company.id}/audit/export`
  const bearing = (token: string) => ({ path, headers: { authorization: `Bearer ${token}` } })
  const whole = await fetchExport({ format: 'csv' }, bearing(owner.tokens.access_token))
  const rows = parse(await whole.text(), { columns: true }) as Record<string, string>[]
  expect(rows).toHaveLength(4_000)
  expect(new Set(rows.map(({ tenantId }) => tenantId))).toEqual(new Set([company.id]))
  expect(await exported()).toMatchObject({ actor_id: owner.id, tenant_id: company.id, client_id: 'demo-spa' })

  const cut = await fetchExport({ format: 'csv' }, bearing(admin.tokens.access_token))
  const reader = cut.body?.getReader()
  await reader?.read()
  const removed = await owner.call('DELETE', `/api/tenants/${company.id}/members/${membershipId}`)
  expect(removed.status).toBe(200)
  const drain = async () => {
    while (!(await reader?.read())?.done);
  }
  await expect(drain()).rejects.toThrow()
})

test('a caller has five exports open at a time, and one that is left or read to its end makes room', async () => {
  const company = await newCompany(service)
  await fill(company, 4_000, 5_000)
  const somebody = await newSomebody(service, { is_super_admin: true })
  const headers = { authorization: `Bearer ${somebody.tokens.access_token}` }
  const away = new AbortController()
  const address = `${service.url}/api/admin/audit/export?format=csv&tenantId=${company.id}`
  const open = () => fetch(address, { headers, signal: away.signal })
  const responses = await Promise.all(Array.from({ length: 5 }, open))
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  const refused = await open()
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await refused.json()).toMatchObject({ error: 'RATE_LIMITED' })
  // Others are not refused for it.
  expect((await fetchExport({ format: 'csv', userId: newId() })).status).toBe(200)
  expect((await responses[0]?.text())?.length).toBeGreaterThan(1_000_000)
  await expect.poll(async () => (await open()).status).toBe(200)
  away.abort()
  const again = async () => {
    const response = await fetchExport({ format: 'csv', userId: newId() }, { headers })
    await response.text()
    return response.status
  }
  await expect.poll(async () => Promise.all([again(), again(), again()])).toEqual([200, 200, 200])
})

test('nobody exports without end', async () => {
  const somebody = await newSomebody(service, { is_super_admin: true })
  const headers = { authorization: `Bearer ${somebody.tokens.access_token}` }
  const ask = async () => {
    const response = await fetchExport({ format: 'csv', userId: somebody.id }, { headers })
    await response.text()
    return response
  }
  for (let turn = 0; turn < 60; turn++) expect((await ask()).status).toBe(200)
  const refused = await ask()
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await fetchExport({ format: 'csv', userId: newId() })).status).toBe(200)
})
