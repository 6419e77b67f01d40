import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { eraseDueAccounts } from '../../src/account/deletion/erasure.ts'
import { extendChain } from '../../src/audit/chain/service.ts'
import { recordAuditEvent, userActor } from '../../src/audit/record.ts'
import { newId } from '../../src/lib/ids.ts'
import { startService, type TestService } from '../support/service.ts'
import { getLink, recordEntries, runSql, verifyLog } from './log.ts'

let service: TestService
beforeEach(async () => {
  service = await startService()
  await recordEntries(service.ctx, 9)
})
afterEach(() => service.close())

const nth = (index: number) => getLink(service.ctx, index)

describe('personal data', () => {
  const DAY = 86_400_000

  async function addUser(deletionRequestedAt: Date | null) {
    const { ctx } = service
    const id = newId()
    const email = `${id}@people.test`
    const now = ctx.now()
    await ctx.db
      .insertInto('users')
      .values({
        id,
        email,
        email_verified: true,
        password_hash: null,
        is_super_admin: false,
        display_name: null,
        given_name: null,
        family_name: null,
        created_at: now,
        updated_at: now,
        // The insert type excludes this column.
        ...{ deletion_requested_at: deletionRequestedAt },
      })
      .execute()
    return { id, email }
  }

  async function prepareErasure() {
    const { ctx } = service
    const { id, email } = await addUser(new Date(ctx.now().getTime() - 31 * DAY))
    const record = (traits: object) =>
      recordAuditEvent(ctx, ctx.db, {
        action: 'user.email_verified',
        actor: userActor(newId()),
        personal: { email, ipAddress: '203.0.113.7' },
        ...traits,
      })
    await record({ userId: id })
    await record({ actor: userActor(id) })
    // From before the account existed.
    await record({})
    return { email, erase: () => eraseDueAccounts.run(ctx, {}) }
  }

  test('may be missing from entries of an erased user, linked before or after the erasure', async () => {
    const before = await prepareErasure()
    await extendChain(service.ctx)
    const after = await prepareErasure()
    await before.erase()
    expect(await verifyLog(service.ctx)).toMatchObject({ findings: [], waiting: 7 })
    await extendChain(service.ctx)
    expect(await verifyLog(service.ctx)).toMatchObject({ findings: [], waiting: 0 })
    for (const { email } of [before, after]) {
      expect(await runSql(service.ctx, `select 1 from audit_entries where personal ->> 'email' = '${email}'`)).toEqual(
        [],
      )
    }
  })

  test('may not be missing from entries of other users', async () => {
    const { erase } = await prepareErasure()
    await extendChain(service.ctx)
    await erase()
    await extendChain(service.ctx)
    const { position, id } = await nth(3)
    // The database allows this update, because erasure needs it.
    await recordEntries(service.ctx, 1)
    const last = await nth(-1)
    await runSql(service.ctx, `update audit_entries set personal = '{}' where id in ('${id}', '${last.id}')`)
    const { findings } = await verifyLog(service.ctx)
    expect(findings).toContainEqual(
      expect.objectContaining({
        kind: 'altered',
        position: last.position,
        what: expect.stringContaining('erased'),
      }),
    )
    expect(findings.every((finding) => [position, last.position].includes(finding.position ?? 0))).toBe(true)
  })

  test('may not be missing because of a forged erasure entry', async () => {
    const { ctx } = service
    const { id: userId } = await addUser(null)
    const [stolen, other] = [{ ipAddress: '203.0.113.9' }, newId()]
    await recordAuditEvent(ctx, ctx.db, {
      action: 'user.password_changed',
      actor: userActor(userId),
      userId,
      personal: stolen,
    })
    await recordAuditEvent(ctx, ctx.db, {
      action: 'user.password_changed',
      actor: userActor(other),
      personal: stolen,
    })
    await extendChain(ctx)
    const [mine, theirs] = [await nth(-2), await nth(-1)]
    await runSql(
      ctx,
      `insert into audit_entries (id, occurred_at, action, actor_kind, user_id, details) values
         (gen_random_uuid(), now(), 'user.erased', 'system', '${userId}', '{}'),
         (gen_random_uuid(), now(), 'audit.emptied', 'system', '${userId}', '{"entries": ["${theirs.id}"]}')`,
    )
    await runSql(ctx, `update audit_entries set personal = '{}' where id in ('${mine.id}', '${theirs.id}')`)
    await extendChain(ctx)
    const altered = (await verifyLog(ctx)).findings.map(({ position }) => position)
    expect(altered).toEqual(expect.arrayContaining([mine.position, theirs.position]))
  })
})
