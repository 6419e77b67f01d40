import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { erasePeople } from '../../src/account/deletion/erasure.ts'
import { extendChain } from '../../src/audit/chain/service.ts'
import { person, record } from '../../src/audit/record.ts'
import { newId } from '../../src/lib/ids.ts'
import { createSealer } from '../../src/lib/seal.ts'
import { startService, type TestService } from '../support/service.ts'
import { links, run, tamper, verify, writeSome } from './log.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
  await writeSome(service.ctx, 9)
})
afterEach(() => service.close())

const nth = async (index: number) => {
  const link = (await links(service.ctx)).at(index)
  if (!link) throw new Error('the chain is too short')
  const { position, entry_id: id, occurred_at: at } = link
  return { position: Number(position), id, at }
}

test('a log that nobody touched is whole: how long, from when to when, and where it ends', async () => {
  const all = await links(service.ctx)
  const { head, findings, ...verdict } = await verify(service.ctx)
  expect(findings).toEqual([])
  expect(head).toBe(`${all.length}:${all.at(-1)?.hash.toString('hex')}`)
  expect(verdict).toMatchObject({ entries: all.length, waiting: 0, knownIsOlder: false })
  expect(new Date(verdict.first ?? '')).toEqual(all[0]?.occurred_at)
  expect(new Date(verdict.last ?? '')).toEqual(all.at(-1)?.occurred_at)
})

test('the database itself refuses to change, delete or truncate what is written or linked', async () => {
  for (const statement of [
    "update audit_entries set action = 'x'",
    'update audit_entries set personal = \'{"email":"other@people.test"}\'',
    'delete from audit_entries',
    'truncate audit_entries',
    "update audit_chain set hash = ''",
    'delete from audit_chain',
    'truncate audit_chain',
  ]) {
    await expect(run(service.ctx, statement), statement).rejects.toThrow('the audit log only grows')
  }
})

describe('somebody who owns the database is found out who', () => {
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
    const { findings } = await verify(service.ctx)
    const kinds = findings.map(({ kind }) => kind)
    expect(findings).toContainEqual(expect.objectContaining({ position, entryId: id }))
    // The one under another id is an entry that nobody linked.
    expect(kinds).toEqual(column === 'id' ? ['missing', 'inserted'] : ['altered'])
  })

  test.each([
    ['tenant_id', `tenant_id = '${newId()}'`],
    ['personal_digest', "personal_digest = sha256('x')"],
    ['hash', "hash = sha256('x')"],
  ])('alters %s of a link', async (_, change) => {
    const { position, id } = await nth(-4)
    await tamper(service.ctx, `update audit_chain set ${change} where position = ${position}`)
    expect((await verify(service.ctx)).findings).toEqual([
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
    expect((await verify(service.ctx)).findings).toEqual([
      expect.objectContaining({ kind: 'missing', position: entry.position, entryId: entry.id }),
      expect.objectContaining({ kind: 'missing', position: link.position }),
      expect.objectContaining({ kind: 'missing', position: both.position }),
      expect.objectContaining({ kind: 'inserted', entryId: link.id, at: link.at.toISOString() }),
    ])
  })

  test('puts an entry in, with a link of its own making, before the beginning, or without one', async () => {
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
    const { findings } = await verify(service.ctx)
    expect(findings).toEqual([
      expect.objectContaining({ kind: 'altered', position: position + 1, entryId: linked }),
      expect.objectContaining({ kind: 'head', position: position + 1 }),
      expect.objectContaining({ kind: 'inserted', position: -5, entryId: early }),
      expect.objectContaining({ kind: 'inserted', entryId: alone }),
    ])
  })

  test('makes two change places', async () => {
    const [one, other] = [await nth(-6), await nth(-2)]
    const swap = (id: string, position: number) =>
      `update audit_chain set (entry_id, tenant_id) = (select id, tenant_id from audit_entries where id = '${id}') where position = ${position}`
    await tamper(
      service.ctx,
      `update audit_chain set entry_id = '${newId()}' where position = ${one.position}`,
      swap(one.id, other.position),
      swap(other.id, one.position),
    )
    expect((await verify(service.ctx)).findings).toEqual([
      expect.objectContaining({ kind: 'altered', position: one.position, entryId: other.id }),
      expect.objectContaining({ kind: 'altered', position: other.position, entryId: one.id }),
    ])
  })

  test('cuts off the end, even if the head is led back', async () => {
    const kept = (await verify(service.ctx)).head
    const { position } = await nth(-4)
    await tamper(
      service.ctx,
      `delete from audit_entries where id in (select entry_id from audit_chain where position > ${position})`,
      `delete from audit_chain where position > ${position}`,
    )
    expect((await verify(service.ctx)).findings).toEqual([
      expect.objectContaining({ kind: 'head', position }),
    ])
    await run(
      service.ctx,
      `update audit_head set (position, hash) = (select position, hash from audit_chain where position = ${position})`,
    )
    const forged = (await verify(service.ctx)).findings
    expect(forged).toEqual([
      expect.objectContaining({ kind: 'head', what: expect.stringContaining('by the service') }),
    ])
    expect((await verify(service.ctx, kept)).findings).toEqual([
      ...forged,
      expect.objectContaining({ kind: 'missing', what: expect.stringContaining('the end is missing') }),
    ])
  })

  test('goes back to a state that he has kept, if the head was kept elsewhere', async () => {
    const [before] = await run(service.ctx, 'select * from audit_head')
    const { position } = await nth(-1)
    await writeSome(service.ctx, 3)
    const kept = (await verify(service.ctx)).head
    await tamper(
      service.ctx,
      `delete from audit_entries where id in (select entry_id from audit_chain where position > ${position})`,
      `delete from audit_chain where position > ${position}`,
    )
    const { hash, head_proof } = before as { hash: Buffer; head_proof: Buffer }
    await service.ctx.db.updateTable('audit_head').set({ position, hash, head_proof }).execute()
    expect((await verify(service.ctx)).findings).toEqual([])
    expect((await verify(service.ctx, kept)).findings).toEqual([expect.objectContaining({ kind: 'missing' })])
    // Nor does it help to write something else instead.
    await writeSome(service.ctx, 5)
    expect((await verify(service.ctx)).findings).toEqual([])
    expect((await verify(service.ctx, kept)).findings).toEqual([expect.objectContaining({ kind: 'altered' })])
  })

  test('takes the beginning for too old', async () => {
    const { position } = await nth(3)
    await tamper(
      service.ctx,
      `update audit_head set (anchor_position, anchor_hash) = (select position, hash from audit_chain where position = ${position})`,
      `delete from audit_entries where id in (select entry_id from audit_chain where position <= ${position})`,
      `delete from audit_chain where position <= ${position}`,
    )
    expect((await verify(service.ctx)).findings).toEqual([
      expect.objectContaining({ kind: 'head', position, what: expect.stringContaining('anchor') }),
    ])
  })

  test('takes an entry away before it is linked', async () => {
    await record(service.ctx, service.ctx.db, { action: 'user.password_changed', actor: person(newId()) })
    const [waiting] = await run(service.ctx, 'select entry_id from audit_pending')
    await tamper(service.ctx, `delete from audit_entries where id = '${waiting?.entry_id}'`)
    expect((await verify(service.ctx)).findings).toEqual([
      expect.objectContaining({ kind: 'missing', entryId: waiting?.entry_id }),
    ])
  })
})

describe('what told who somebody was', () => {
  const DAY = 86_400_000

  async function addUser(deletionRequestedAt: Date | null) {
    const { ctx } = service
    const id = newId()
    const email = `${id}@people.test`
    const now = ctx.now()
    await ctx.db
      .insertInto('users')
      .values({
        ...{ id, email, email_verified: true, password_hash: null, is_super_admin: false },
        ...{ display_name: null, given_name: null, family_name: null },
        ...{ created_at: now, updated_at: now, deletion_requested_at: deletionRequestedAt },
      })
      .execute()
    return { id, email }
  }

  async function eraseSomebody() {
    const { ctx } = service
    const { id, email } = await addUser(new Date(ctx.now().getTime() - 31 * DAY))
    const note = (traits: object) =>
      record(ctx, ctx.db, {
        ...{
          action: 'user.email_verified',
          actor: person(newId()),
          personal: { email, ipAddress: '203.0.113.7' },
        },
        ...traits,
      })
    await note({ userId: id })
    await note({ actor: person(id) })
    // Before they had a record of their own.
    await note({})
    return { email, erase: () => erasePeople.run(ctx, {}) }
  }

  test('may be gone from the entries of somebody who was erased, be they linked before or after', async () => {
    const before = await eraseSomebody()
    await extendChain(service.ctx)
    const after = await eraseSomebody()
    await before.erase()
    expect(await verify(service.ctx)).toMatchObject({ findings: [], waiting: 7 })
    await extendChain(service.ctx)
    expect(await verify(service.ctx)).toMatchObject({ findings: [], waiting: 0 })
    for (const { email } of [before, after]) {
      expect(
        await run(service.ctx, `select 1 from audit_entries where personal ->> 'email' = '${email}'`),
      ).toEqual([])
    }
  })

  test('may not be gone from those of anybody else', async () => {
    const { erase } = await eraseSomebody()
    await extendChain(service.ctx)
    await erase()
    await extendChain(service.ctx)
    const { position, id } = await nth(3)
    // This the database lets pass, as it must.
    await writeSome(service.ctx, 1)
    const last = await nth(-1)
    await run(service.ctx, `update audit_entries set personal = '{}' where id in ('${id}', '${last.id}')`)
    const { findings } = await verify(service.ctx)
    expect(findings).toContainEqual(
      expect.objectContaining({
        kind: 'altered',
        position: last.position,
        what: expect.stringContaining('erased'),
      }),
    )
    expect(findings.every((finding) => [position, last.position].includes(finding.position ?? 0))).toBe(true)
  })

  test('is not excused by an erasure that somebody made up', async () => {
    const { ctx } = service
    const { id: userId } = await addUser(null)
    const [stolen, other] = [{ ipAddress: '203.0.113.9' }, newId()]
    await record(ctx, ctx.db, {
      action: 'user.password_changed',
      actor: person(userId),
      userId,
      personal: stolen,
    })
    await record(ctx, ctx.db, { action: 'user.password_changed', actor: person(other), personal: stolen })
    await extendChain(ctx)
    const [mine, theirs] = [await nth(-2), await nth(-1)]
    await run(
      ctx,
      `insert into audit_entries (id, occurred_at, action, actor_kind, user_id, details) values
         (gen_random_uuid(), now(), 'user.erased', 'system', '${userId}', '{}'),
         (gen_random_uuid(), now(), 'audit.emptied', 'system', '${userId}', '{"entries": ["${theirs.id}"]}')`,
    )
    await run(ctx, `update audit_entries set personal = '{}' where id in ('${mine.id}', '${theirs.id}')`)
    await extendChain(ctx)
    const altered = (await verify(ctx)).findings.map(({ position }) => position)
    expect(altered).toEqual(expect.arrayContaining([mine.position, theirs.position]))
  })
})

describe('the key', () => {
  const under = (...keys: [Buffer, ...Buffer[]]) => ({ ...service.ctx, keys: createSealer(keys) })

  test('may be sealed with another encryption key, and is so with the next entry', async () => {
    const [old, next] = [randomBytes(32), randomBytes(32)]
    const fresh = await startService()
    try {
      const rotating = { ...fresh.ctx, keys: createSealer([next, old]) }
      await writeSome({ ...fresh.ctx, keys: createSealer([old]) }, 3)
      expect(await verify(rotating)).toMatchObject({ findings: [] })
      await writeSome(rotating, 1)
      expect(await verify({ ...fresh.ctx, keys: createSealer([next]) })).toMatchObject({ findings: [] })
    } finally {
      await fresh.close()
    }
  })

  test('must be there: with another nothing can be said', async () => {
    await expect(verify(under(randomBytes(32)))).rejects.toThrow('The key of the audit log cannot be opened')
  })
})

test('it can be verified while it is written, in as many parts as it takes', async () => {
  await run(
    service.ctx,
    `insert into audit_entries (id, occurred_at, action, actor_kind)
     select gen_random_uuid(), now(), 'user.password_changed', 'system' from generate_series(1, 3500)`,
  )
  const writing = (async () => {
    for (let round = 0; round < 10; round++) await writeSome(service.ctx, 5)
  })()
  for (let round = 0; round < 5; round++) expect((await verify(service.ctx)).findings).toEqual([])
  await writing
  const { findings, entries } = await verify(service.ctx)
  expect(findings).toEqual([])
  expect(entries).toBe((await links(service.ctx)).length)
})
