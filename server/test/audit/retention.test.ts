import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { logAuditHead } from '../../src/audit/chain/head.ts'
import { pruneAuditLog } from '../../src/audit/chain/retention.ts'
import { extendChain } from '../../src/audit/chain/service.ts'
import { listEvents } from '../../src/audit/feed.ts'
import { loadConfig, readConfig } from '../../src/config.ts'
import { newId } from '../../src/lib/ids.ts'
import type { TestService } from '../support/service.ts'
import { links, run, startUnwritten, tamper, verify, writeSome } from './log.ts'

const DAY = 86_400_000
let service: TestService
beforeAll(async () => {
  service = await startUnwritten({ config: { auditRetentionDays: 30 } })
})
afterAll(() => service.close())

const prune = (ctx = service.ctx) => pruneAuditLog.run(ctx, {})

test('the log is kept for ever unless it is said how long', () => {
  expect(loadConfig('demo', {}).auditRetentionDays).toBe(0)
  expect(loadConfig('demo', { AUDIT_RETENTION_DAYS: '365' }).auditRetentionDays).toBe(365)
  expect(readConfig('demo', { AUDIT_RETENTION_DAYS: '-1' }).problems).toEqual([
    expect.stringContaining('AUDIT_RETENTION_DAYS'),
  ])
})

test('what is too old goes from the beginning, and the rest can still be verified and read', async () => {
  const { ctx } = service
  await writeSome(ctx, 6)
  const first = (await verify(ctx)).head
  await prune()
  expect((await links(ctx)).length).toBe(6)
  service.advance(20 * DAY)
  await writeSome(ctx, 4)
  const second = (await verify(ctx)).head
  service.advance(11 * DAY)
  await prune({ ...ctx, config: { ...ctx.config, auditRetentionDays: 0 } })
  expect((await links(ctx)).length).toBe(10)

  const [, , , , , last] = await links(ctx)
  await prune()
  await extendChain(ctx)
  const left = await links(ctx)
  expect(left.map(({ position }) => Number(position))).toEqual([7, 8, 9, 10, 11])
  expect(left.at(-1)?.action).toBe('audit.pruned')
  const [pruned] = await run(ctx, "select * from audit_entries where action = 'audit.pruned'")
  expect(pruned).toMatchObject({
    ...{ actor_kind: 'system', user_id: null, tenant_id: null },
    details: { count: 6, until: last?.occurred_at.toISOString() },
  })
  const [{ count } = {}] = await run(ctx, 'select count(*) from audit_entries')
  expect(Number(count)).toBe(5)

  expect(await verify(ctx)).toMatchObject({ findings: [], entries: 5, knownIsOlder: false })
  // The anchor is the last head of what is gone; a head before it proves nothing, and one after it still does.
  expect(await verify(ctx, first)).toMatchObject({ findings: [], knownIsOlder: false })
  expect(await verify(ctx, `6:${randomBytes(32).toString('hex')}`)).toMatchObject({
    findings: [{ kind: 'altered', position: 6 }],
  })
  expect(await verify(ctx, `5:${randomBytes(32).toString('hex')}`)).toMatchObject({
    findings: [],
    knownIsOlder: true,
  })
  expect(await verify(ctx, second)).toMatchObject({ findings: [], knownIsOlder: false })

  const feed = await listEvents(ctx.db, { after: 2, limit: 2 })
  expect(feed.map(({ position }) => position)).toEqual([7, 8])
  await prune()
  expect((await links(ctx)).length).toBe(5)
})

test('it stops at the first entry that is young enough, or gone', async () => {
  const { ctx } = service
  const [{ max } = {}] = await run(ctx, 'select max(position) from audit_chain')
  // What is told late may be old: it stays until everything before it goes.
  const age = (days: number) =>
    run(
      ctx,
      `insert into audit_entries (id, occurred_at, action, actor_kind)
       values ('${newId()}', '${new Date(ctx.now().getTime() - days * DAY).toISOString()}', 'user.password_changed', 'system')`,
    )
  service.advance(40 * DAY)
  for (const days of [35, 1, 35]) {
    await age(days)
    await extendChain(ctx)
  }
  await prune()
  await extendChain(ctx)
  const kept = await links(ctx)
  expect(Number(kept[0]?.position)).toBe(Number(max) + 2)
  expect((await verify(ctx)).findings).toEqual([])

  service.advance(40 * DAY)
  const [, second] = kept
  await tamper(ctx, `delete from audit_entries where id = '${second?.entry_id}'`)
  await prune()
  await extendChain(ctx)
  expect((await verify(ctx)).findings).toEqual([
    expect.objectContaining({ kind: 'missing', entryId: second?.entry_id }),
  ])
  expect(service.logs).toContainEqual(
    expect.objectContaining({ msg: 'an audit entry is missing: nothing after it is pruned' }),
  )
})

test('much is let go of in parts, several nodes may be at it, and nobody who writes waits', async () => {
  const fresh = await startUnwritten({ config: { auditRetentionDays: 30 } })
  try {
    const { ctx } = fresh
    await run(
      ctx,
      `insert into audit_entries (id, occurred_at, action, actor_kind)
       select gen_random_uuid(), now() - interval '31 days', 'user.password_changed', 'system' from generate_series(1, 12000)`,
    )
    await extendChain(ctx)
    await Promise.all([prune(ctx), prune(ctx), writeSome(ctx, 20)])
    await extendChain(ctx)
    const parts = await run(
      ctx,
      "select (details ->> 'count')::int as count from audit_entries where action = 'audit.pruned' order by id",
    )
    expect(parts.map(({ count }) => count).toSorted()).toEqual([2000, 5000, 5000])
    expect(await verify(ctx)).toMatchObject({ findings: [], entries: 23 })
  } finally {
    await fresh.close()
  }
})

test('once a day the log of the service says where the audit log ends', async () => {
  await logAuditHead.run(service.ctx, {})
  const { head } = await verify(service.ctx)
  expect(service.logs).toContainEqual(
    expect.objectContaining({ msg: 'head of the audit log', head, level: 30 }),
  )
})
