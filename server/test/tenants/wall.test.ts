import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Ctx } from '../../src/context.ts'
import { type Db, openDb } from '../../src/db/open.ts'
import { newSomebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startWorld } from '../support/world.ts'
import { employ, pictureOf } from './company.ts'
import {
  ask,
  behindWall,
  CHANGEABLE_TABLES,
  forgetfulRoutes,
  LOG_TABLES,
  newWalled,
  orderToAdd,
  SHARED_TABLES,
  STEADY_TABLES,
  seenIn,
  tryBehindWall,
  WALLED,
  WALLED_TABLES,
  type Walled,
  type WalledTable,
} from './walled-world.ts'

// The second wall: what the database itself keeps apart when a query forgets to say which tenant it means.

let service: TestService
let ours: Walled
let theirs: Walled
beforeAll(async () => {
  service = await startWorld({ routes: forgetfulRoutes })
  ours = await newWalled(service)
  theirs = await newWalled(service)
})
afterAll(() => service?.close())

const OUTSIDE_THE_WALL = ['clients', 'consents', 'grants']

describe('which tables are behind the wall', () => {
  test('every table whose rows belong to a tenant is, or is known not to be', async () => {
    const byName = await ask<{ name: string }>(
      service.ctx.db,
      `select attrelid::regclass::text as name from pg_attribute join pg_class on pg_class.oid = attrelid
       where attname = 'tenant_id' and relkind in ('r', 'p') and not relispartition
         and relnamespace = 'public'::regnamespace`,
    )
    const byReference = await ask<{ name: string }>(
      service.ctx.db,
      `select conrelid::regclass::text as name from pg_constraint
       where contype = 'f' and confrelid = 'tenants'::regclass`,
    )
    const found = new Set([...byName, ...byReference].map(({ name }) => name))
    expect([...found, 'tenants'].sort()).toEqual([...Object.keys(WALLED), ...OUTSIDE_THE_WALL].sort())
  })

  test.each(WALLED_TABLES)('%s is, and its owner does not pass either', async (table) => {
    const [state] = await ask(
      service.ctx.db,
      `select relrowsecurity, relforcerowsecurity,
         (select json_agg(json_build_object('name', polname, 'for', polcmd, 'permissive', polpermissive))
          from pg_policy where polrelid = pg_class.oid) as policies
       from pg_class where oid = $1::regclass`,
      [table],
    )
    // One policy, for every command: a second one would open what this one closes.
    const policies = [{ name: 'wall', for: '*', permissive: true }]
    expect(state).toEqual({ relrowsecurity: true, relforcerowsecurity: true, policies })
  })
})

describe('behind the wall of a tenant', () => {
  test.each(WALLED_TABLES)('whoever reads %s without a filter sees only its rows', async (table) => {
    const own = [ours.company.id]
    expect(await behindWall(service.ctx, ours, (tx) => seenIn(tx, table))).toEqual(own)
    expect(await behindWall(service.ctx, ours, (tx) => seenIn(tx, table), true)).toEqual(own)
    // Outside all are there, also those of no tenant.
    const all = await seenIn(service.ctx.db, table)
    expect(all).toEqual(expect.arrayContaining([ours.company.id, theirs.company.id]))
    expect(all.includes(null)).toBe(SHARED_TABLES.includes(table))
  })

  test.each(WALLED_TABLES)(
    'whoever reads %s with the filter of another sees nothing',
    async (table, column) => {
      const text = `select from ${table} where ${column} = $1`
      const [inside, outside] = [
        await behindWall(service.ctx, ours, (tx) => ask(tx, text, [theirs.company.id])),
        await ask(service.ctx.db, text, [theirs.company.id]),
      ]
      expect(inside).toEqual([])
      expect(outside.length).toBeGreaterThan(0)
    },
  )

  test.each(CHANGEABLE_TABLES)(
    'whoever changes %s without a filter changes only its rows',
    async (table, column) => {
      const expected = await countOwn(table, column)
      const text = `update ${table} set ${column} = ${column} returning ${column} as tenant`
      expect(await tryBehindWall(service.ctx, ours, (tx) => ask(tx, text))).toEqual(expected)
    },
  )

  test.each(CHANGEABLE_TABLES)('whoever empties %s empties only its own', async (table, column) => {
    const expected = await countOwn(table, column)
    const text = `delete from ${table} returning ${column} as tenant`
    expect(await tryBehindWall(service.ctx, ours, (tx) => ask(tx, text))).toEqual(expected)
  })

  test.each(WALLED_TABLES)('nothing is added to %s for another tenant', async (table, column) => {
    const [row] = await ask(service.ctx.db, `select * from ${table} where ${column} = $1 limit 1`, [
      theirs.company.id,
    ])
    const adding = await orderToAdd(service.ctx.db, table)
    await expect(
      behindWall(service.ctx, ours, (tx) => ask(tx, adding, [JSON.stringify(row)])),
    ).rejects.toThrow(`new row violates row-level security policy for table "${table}"`)
  })

  test.each(WALLED_TABLES)('nothing of %s is handed to another tenant', async (table, column) => {
    const handing = `update ${table} set ${column} = $1`
    await expect(
      behindWall(service.ctx, ours, (tx) => ask(tx, handing, [theirs.company.id])),
    ).rejects.toThrow(
      STEADY_TABLES.includes(table)
        ? 'this is another one'
        : LOG_TABLES.includes(table)
          ? 'the audit log only grows'
          : `new row violates row-level security policy for table "${table}"`,
    )
  })

  const countOwn = async (table: WalledTable, column: string) => {
    const rows = await ask<{ tenant: string }>(
      service.ctx.db,
      `select ${column} as tenant from ${table} where ${column} = $1`,
      [ours.company.id],
    )
    expect(rows.length).toBeGreaterThan(0)
    return rows
  }
})

describe('the wall does not outlast the work', () => {
  let db: Db
  let ctx: Ctx
  beforeAll(() => {
    // Whoever comes next uses the very same connection.
    db = openDb(service.connection, 1)
    ctx = { ...service.ctx, db }
  })
  afterAll(() => db.destroy())

  const breaking = async () => {
    throw new Error('the handler broke')
  }
  const endings: [string, () => Promise<unknown>, string | undefined][] = [
    ['is done', () => behindWall(ctx, ours, (tx) => seenIn(tx, 'tenants')), undefined],
    [
      'is done, and changed nothing',
      () => behindWall(ctx, ours, (tx) => seenIn(tx, 'tenants'), true),
      undefined,
    ],
    ['has broken', () => behindWall(ctx, ours, breaking), 'the handler broke'],
    [
      'was broken off by the database',
      () => behindWall(ctx, ours, (tx) => ask(tx, 'select 1 / 0')),
      'division',
    ],
    [
      'was refused when it was to be committed',
      () => behindWall(ctx, ours, (tx) => ask(tx, 'delete from memberships')),
      'last owner',
    ],
    [
      'was not even begun',
      () => behindWall(ctx, { company: ours.company, owner: theirs.owner }, (tx) => seenIn(tx, 'tenants')),
      'Only an owner',
    ],
  ]

  test.each(endings)(
    'when it %s, the next user of the connection sees everything again',
    async (_, work, problem) => {
      const backend = async () => (await ask<{ pid: number }>(db, 'select pg_backend_pid() as pid'))[0]?.pid
      const pid = await backend()
      if (problem === undefined) expect(await work()).toEqual([ours.company.id])
      else await expect(work()).rejects.toThrow(problem)
      expect(await backend()).toBe(pid)
      expect(
        await ask(
          db,
          `select coalesce(current_setting('latchkey.tenant', true), '') as tenant, current_user = session_user as self`,
        ),
      ).toEqual([{ tenant: '', self: true }])
      for (const [table] of WALLED_TABLES) {
        expect(await seenIn(db, table)).toEqual(expect.arrayContaining([ours.company.id, theirs.company.id]))
      }
      // Nor is the next tenant's work done behind the wall of this one.
      expect(await behindWall(ctx, theirs, (tx) => seenIn(tx, 'memberships'))).toEqual([theirs.company.id])
    },
  )
})

describe('what follows from a change looks beyond the wall', () => {
  const guest = async (walled: Walled, email: string) => {
    const { body } = await walled.owner.call('POST', `/api/tenants/${walled.company.id}/invitations`, {
      email,
    })
    const { memberships } = await pictureOf(service, walled.company)
    const person = await findPerson(email)
    return { id: body.id, membershipId: memberships.find(({ user_id }) => user_id === person?.id)?.id }
  }
  const findPerson = (email: string) =>
    service.ctx.db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()

  test('who was invited by two tenants is forgotten only when the second does without them', async () => {
    const email = 'wanted-twice@people.test'
    const [here, there] = [await guest(ours, email), await guest(theirs, email)]
    const remove = ({ company, owner }: Walled, membershipId = '') =>
      owner.call('DELETE', `/api/tenants/${company.id}/members/${membershipId}`)
    expect((await remove(ours, here.membershipId)).status).toBe(200)
    expect(await findPerson(email)).toBeDefined()
    const { memberships, invitations } = await pictureOf(service, theirs.company)
    expect(memberships.find(({ id }) => id === there.membershipId)).toMatchObject({ status: 'INVITED' })
    expect(invitations.find(({ id }) => id === there.id)).toMatchObject({ status: 'PENDING' })
    expect((await remove(theirs, there.membershipId)).status).toBe(200)
    expect(await findPerson(email)).toBeUndefined()
  })

  test('and the work goes on behind it', async () => {
    const someone = await newSomebody(service)
    const membershipId = await employ(service, ours.company, someone)
    const seen = await tryBehindWall(service.ctx, ours, async (tx) => {
      await tx.deleteFrom('memberships').where('id', '=', membershipId).execute()
      await tx.updateTable('memberships').set({ role: 'owner' }).execute()
      return Promise.all(WALLED_TABLES.map(([table]) => seenIn(tx, table)))
    })
    expect(seen).toEqual(WALLED_TABLES.map(() => [ours.company.id]))
  })
})

describe('a door whose handler forgets which tenant it is for', () => {
  test('shows a member nothing of another tenant', async () => {
    for (const { company, owner } of [ours, theirs]) {
      const { status, body } = await owner.call('GET', `/api/tenants/${company.id}/forgetful`)
      expect(status).toBe(200)
      expect(body).toEqual(Object.fromEntries(WALLED_TABLES.map(([table]) => [table, [company.id]])))
    }
  })

  test('changes nothing of another tenant', async () => {
    const before = await pictureOf(service, theirs.company)
    const { status } = await ours.owner.call('POST', `/api/tenants/${ours.company.id}/forgetful`)
    expect(status).toBe(200)
    expect((await pictureOf(service, ours.company)).tenant).toMatchObject([{ name: 'Mine now' }])
    expect(await pictureOf(service, theirs.company)).toEqual(before)
  })
})
