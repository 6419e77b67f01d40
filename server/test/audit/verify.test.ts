import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { recordAuditEvent, userActor } from '../../src/audit/record.ts'
import { newId } from '../../src/lib/ids.ts'
import { createSealer } from '../../src/lib/seal.ts'
import { startService, type TestService } from '../support/service.ts'
import { getLink, listLinks, recordEntries, runSql, tamper, verifyLog } from './log.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
  await recordEntries(service.ctx, 9)
})
afterEach(() => service.close())

const nth = (index: number) => getLink(service.ctx, index)

test('an untouched log verifies without findings and reports its length, period and head', async () => {
  const all = await listLinks(service.ctx)
  const { head, findings, ...result } = await verifyLog(service.ctx)
  expect(findings).toEqual([])
  expect(head).toBe(`${all.length}:${all.at(-1)?.hash.toString('hex')}`)
  expect(result).toMatchObject({ entries: all.length, waiting: 0, knownIsOlder: false })
  expect(new Date(result.first ?? '')).toEqual(all[0]?.occurred_at)
  expect(new Date(result.last ?? '')).toEqual(all.at(-1)?.occurred_at)
})

test('the database refuses to change, delete or truncate entries and links', async () => {
  for (const statement of [
    "update audit_entries set action = 'x'",
    'update audit_entries set personal = \'{"email":"other@people.test"}\'',
    'delete from audit_entries',
    'truncate audit_entries',
    "update audit_chain set hash = ''",
    'delete from audit_chain',
    'truncate audit_chain',
  ]) {
    await expect(runSql(service.ctx, statement), statement).rejects.toThrow('the audit log only grows')
  }
})

describe('verification detects an owner of the database who', () => {
  test.each([
    ['id', `id = '${newId()}'`],
    ['occurred_at', "occurred_at = occurred_at + interval '1 microsecond'"],
    ['action', "action = 'member.left'"],
    ['actor_kind', "actor_kind = 'system'"],
    ['actor_id', "actor_id = 'somebody else'"],
    ['client_id', "client_id = 'demo-spa'"],
    ['user_id', 'user_id = null'],
    ['tenant_id', 'tenant_id = null'],
    ['request_id', "request_id = 'r'"],
    ['details', 'details = details || \'{"more": 1}\''],
    ['personal', 'personal = \'{"email": "another@people.test"}\''],
    ['personal, emptied', "personal = '{}'"],
  ])('alters %s of an entry', async (column, change) => {
    const { position, id } = await nth(-4)
    await tamper(service.ctx, `update audit_entries set ${change} where id = '${id}'`)
    const { findings } = await verifyLog(service.ctx)
    const kinds = findings.map(({ kind }) => kind)
    expect(findings).toContainEqual(expect.objectContaining({ position, entryId: id }))
    // The entry with the new id has no link.
    expect(kinds).toEqual(column === 'id' ? ['missing', 'inserted'] : ['altered'])
  })

  test.each([
    ['tenant_id', `tenant_id = '${newId()}'`],
    ['personal_digest', "personal_digest = sha256('x')"],
    ['hash', "hash = sha256('x')"],
  ])('alters %s of a link', async (_, change) => {
    const { position, id } = await nth(-4)
    await tamper(service.ctx, `update audit_chain set ${change} where position = ${position}`)
    expect((await verifyLog(service.ctx)).findings).toEqual([
      expect.objectContaining({ kind: 'altered', position, entryId: id }),
    ])
  })

  test('deletes an entry, its link, or both', async () => {
    const [entry, link, both] = [await nth(-7), await nth(-5), await nth(-3)]
    await tamper(
      service.ctx,
      `delete from audit_entries where id in ('${entry.id}', '${both.id}')`,
      `delete from audit_chain where position in (${link.position}, ${both.position})`,
    )
    expect((await verifyLog(service.ctx)).findings).toEqual([
      expect.objectContaining({ kind: 'missing', position: entry.position, entryId: entry.id }),
      expect.objectContaining({ kind: 'missing', position: link.position }),
      expect.objectContaining({ kind: 'missing', position: both.position }),
      expect.objectContaining({ kind: 'inserted', entryId: link.id, at: link.at.toISOString() }),
    ])
  })

  test('inserts an entry with a forged link, before the beginning, or without a link', async () => {
    const { position, id } = await nth(-1)
    const copy = (as: string) =>
      `insert into audit_entries (id, occurred_at, action, actor_kind, tenant_id, details, personal)
       select '${as}', occurred_at, action, actor_kind, tenant_id, details, personal from audit_entries where id = '${id}'`
    const [alone, linked, early] = [newId(), newId(), newId()]
    const link = (as: string, at: string) =>
      `insert into audit_chain select ${at}, '${as}', tenant_id, personal_digest, hash from audit_chain where position = ${position}`
    await tamper(
      service.ctx,
      copy(alone),
      copy(linked),
      link(linked, `${position + 1}`),
      copy(early),
      link(early, '-5'),
    )
    const { findings } = await verifyLog(service.ctx)
    expect(findings).toEqual([
      expect.objectContaining({ kind: 'altered', position: position + 1, entryId: linked }),
      expect.objectContaining({ kind: 'head', position: position + 1 }),
      expect.objectContaining({ kind: 'inserted', position: -5, entryId: early }),
      expect.objectContaining({ kind: 'inserted', entryId: alone }),
    ])
  })

  test('swaps two entries', async () => {
    const [one, other] = [await nth(-6), await nth(-2)]
    const swap = (id: string, position: number) =>
      `update audit_chain set (entry_id, tenant_id) = (select id, tenant_id from audit_entries where id = '${id}') where position = ${position}`
    await tamper(
      service.ctx,
      `update audit_chain set entry_id = '${newId()}' where position = ${one.position}`,
      swap(one.id, other.position),
      swap(other.id, one.position),
    )
    expect((await verifyLog(service.ctx)).findings).toEqual([
      expect.objectContaining({ kind: 'altered', position: one.position, entryId: other.id }),
      expect.objectContaining({ kind: 'altered', position: other.position, entryId: one.id }),
    ])
  })

  test('deletes the end, even if the head is reset', async () => {
    const kept = (await verifyLog(service.ctx)).head
    const { position } = await nth(-4)
    await tamper(
      service.ctx,
      `delete from audit_entries where id in (select entry_id from audit_chain where position > ${position})`,
      `delete from audit_chain where position > ${position}`,
    )
    expect((await verifyLog(service.ctx)).findings).toEqual([expect.objectContaining({ kind: 'head', position })])
    await runSql(
      service.ctx,
      `update audit_head set (position, hash) = (select position, hash from audit_chain where position = ${position})`,
    )
    const forged = (await verifyLog(service.ctx)).findings
    expect(forged).toEqual([expect.objectContaining({ kind: 'head', what: expect.stringContaining('by the service') })])
    expect((await verifyLog(service.ctx, kept)).findings).toEqual([
      ...forged,
      expect.objectContaining({ kind: 'missing', what: expect.stringContaining('the end is missing') }),
    ])
  })

  test('restores an earlier state, if the head was kept elsewhere', async () => {
    const [before] = await runSql(service.ctx, 'select * from audit_head')
    const { position } = await nth(-1)
    await recordEntries(service.ctx, 3)
    const kept = (await verifyLog(service.ctx)).head
    await tamper(
      service.ctx,
      `delete from audit_entries where id in (select entry_id from audit_chain where position > ${position})`,
      `delete from audit_chain where position > ${position}`,
    )
    const { hash, head_proof } = before as { hash: Buffer; head_proof: Buffer }
    await service.ctx.db.updateTable('audit_head').set({ position, hash, head_proof }).execute()
    expect((await verifyLog(service.ctx)).findings).toEqual([])
    expect((await verifyLog(service.ctx, kept)).findings).toEqual([expect.objectContaining({ kind: 'missing' })])
    // New entries do not hide it either.
    await recordEntries(service.ctx, 5)
    expect((await verifyLog(service.ctx)).findings).toEqual([])
    expect((await verifyLog(service.ctx, kept)).findings).toEqual([expect.objectContaining({ kind: 'altered' })])
  })

  test('deletes the beginning as if it was pruned', async () => {
    const { position } = await nth(3)
    await tamper(
      service.ctx,
      `update audit_head set (anchor_position, anchor_hash) = (select position, hash from audit_chain where position = ${position})`,
      `delete from audit_entries where id in (select entry_id from audit_chain where position <= ${position})`,
      `delete from audit_chain where position <= ${position}`,
    )
    expect((await verifyLog(service.ctx)).findings).toEqual([
      expect.objectContaining({ kind: 'head', position, what: expect.stringContaining('anchor') }),
    ])
  })

  test('deletes an entry before it is linked', async () => {
    await recordAuditEvent(service.ctx, service.ctx.db, {
      action: 'user.password_changed',
      actor: userActor(newId()),
    })
    const [waiting] = await runSql(service.ctx, 'select entry_id from audit_pending')
    await tamper(service.ctx, `delete from audit_entries where id = '${waiting?.entry_id}'`)
    expect((await verifyLog(service.ctx)).findings).toEqual([
      expect.objectContaining({ kind: 'missing', entryId: waiting?.entry_id }),
    ])
  })
})

describe('the key', () => {
  const under = (...keys: [Buffer, ...Buffer[]]) => ({ ...service.ctx, keys: createSealer(keys) })

  test('is sealed with the new encryption key by the next entry after a rotation', async () => {
    const [old, next] = [randomBytes(32), randomBytes(32)]
    const fresh = await startService()
    try {
      const rotating = { ...fresh.ctx, keys: createSealer([next, old]) }
      await recordEntries({ ...fresh.ctx, keys: createSealer([old]) }, 3)
      expect(await verifyLog(rotating)).toMatchObject({ findings: [] })
      await recordEntries(rotating, 1)
      expect(await verifyLog({ ...fresh.ctx, keys: createSealer([next]) })).toMatchObject({ findings: [] })
    } finally {
      await fresh.close()
    }
  })

  test('must open: verification fails with another encryption key', async () => {
    await expect(verifyLog(under(randomBytes(32)))).rejects.toThrow('The key of the audit log cannot be opened')
  })
})

test('the log can be verified in batches during writes', async () => {
  await runSql(
    service.ctx,
    `insert into audit_entries (id, occurred_at, action, actor_kind)
     select gen_random_uuid(), now(), 'user.password_changed', 'system' from generate_series(1, 3500)`,
  )
  const writing = (async () => {
    for (let round = 0; round < 10; round++) await recordEntries(service.ctx, 5)
  })()
  for (let round = 0; round < 5; round++) expect((await verifyLog(service.ctx)).findings).toEqual([])
  await writing
  const { findings, entries } = await verifyLog(service.ctx)
  expect(findings).toEqual([])
  expect(entries).toBe((await listLinks(service.ctx)).length)
})
