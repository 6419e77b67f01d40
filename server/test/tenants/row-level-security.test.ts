import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Ctx } from '../../src/context.ts'
import { type Db, openDb } from '../../src/db/open.ts'
import { createSignedInUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { startDemoService } from '../support/world.ts'
import {
  AUDIT_TABLES,
  buildInsert,
  createScopedTenant,
  FIXED_TENANT_TABLES,
  inTenantScope,
  listTenantIds,
  runSql,
  type ScopedTenant,
  SHARED_TABLES,
  TENANT_COLUMNS,
  TENANT_TABLES,
  type TenantTable,
  tryInTenantScope,
  unfilteredRoutes,
  WRITABLE_TABLES,
} from './scoped-tenant.ts'
import { insertMembership, readTenantRows } from './tenant-rows.ts'

// Row-level security is the second line of defense: it isolates tenants even when a query does not filter by tenant.

let service: TestService
let ours: ScopedTenant
let theirs: ScopedTenant
beforeAll(async () => {
  service = await startDemoService({ routes: unfilteredRoutes })
  ours = await createScopedTenant(service)
  theirs = await createScopedTenant(service)
})
afterAll(() => service?.close())

const WITHOUT_ROW_SECURITY = ['clients', 'consents', 'grants', 'support_sessions']

describe('tables with row-level security', () => {
  test('every table with rows of tenants has it, or is listed as an exception', async () => {
    const byName = await runSql<{ name: string }>(
      service.ctx.db,
      `select attrelid::regclass::text as name from pg_attribute join pg_class on pg_class.oid = attrelid
       where attname = 'tenant_id' and relkind in ('r', 'p') and not relispartition
         and relnamespace = 'public'::regnamespace`,
    )
    const byReference = await runSql<{ name: string }>(
      service.ctx.db,
      `select conrelid::regclass::text as name from pg_constraint
       where contype = 'f' and confrelid = 'tenants'::regclass`,
    )
    const found = new Set([...byName, ...byReference].map(({ name }) => name))
    expect([...found, 'tenants'].sort()).toEqual([...Object.keys(TENANT_COLUMNS), ...WITHOUT_ROW_SECURITY].sort())
  })

  test.each(TENANT_TABLES)('%s has exactly one policy, which also applies to the owner of the table', async (table) => {
    const [state] = await runSql(
      service.ctx.db,
      `select relrowsecurity, relforcerowsecurity,
         (select json_agg(json_build_object('name', polname, 'for', polcmd, 'permissive', polpermissive))
          from pg_policy where polrelid = pg_class.oid) as policies
       from pg_class where oid = $1::regclass`,
      [table],
    )
    // A second permissive policy would widen access, because policies are combined with OR.
    const policies = [{ name: 'wall', for: '*', permissive: true }]
    expect(state).toEqual({ relrowsecurity: true, relforcerowsecurity: true, policies })
  })
})

describe('in a tenant scope', () => {
  test.each(TENANT_TABLES)('an unfiltered read of %s returns only rows of the tenant', async (table) => {
    const own = [ours.company.id]
    expect(await inTenantScope(service.ctx, ours, (tx) => listTenantIds(tx, table))).toEqual(own)
    expect(await inTenantScope(service.ctx, ours, (tx) => listTenantIds(tx, table), true)).toEqual(own)
    // Outside a tenant scope all rows are visible, also those without a tenant.
    const all = await listTenantIds(service.ctx.db, table)
    expect(all).toEqual(expect.arrayContaining([ours.company.id, theirs.company.id]))
    expect(all.includes(null)).toBe(SHARED_TABLES.includes(table))
  })

  test.each(TENANT_TABLES)('a read of %s with the id of another tenant returns nothing', async (table, column) => {
    const text = `select from ${table} where ${column} = $1`
    const [inside, outside] = [
      await inTenantScope(service.ctx, ours, (tx) => runSql(tx, text, [theirs.company.id])),
      await runSql(service.ctx.db, text, [theirs.company.id]),
    ]
    expect(inside).toEqual([])
    expect(outside.length).toBeGreaterThan(0)
  })

  test.each(WRITABLE_TABLES)('an unfiltered update of %s changes only rows of the tenant', async (table, column) => {
    const expected = await countOwn(table, column)
    const text = `update ${table} set ${column} = ${column} returning ${column} as tenant`
    expect(await tryInTenantScope(service.ctx, ours, (tx) => runSql(tx, text))).toEqual(expected)
  })

  test.each(WRITABLE_TABLES)('an unfiltered delete from %s deletes only rows of the tenant', async (table, column) => {
    const expected = await countOwn(table, column)
    const text = `delete from ${table} returning ${column} as tenant`
    expect(await tryInTenantScope(service.ctx, ours, (tx) => runSql(tx, text))).toEqual(expected)
  })

  test.each(TENANT_TABLES)('an insert into %s for another tenant is refused', async (table, column) => {
    const [row] = await runSql(service.ctx.db, `select * from ${table} where ${column} = $1 limit 1`, [
      theirs.company.id,
    ])
    const insert = await buildInsert(service.ctx.db, table)
    await expect(inTenantScope(service.ctx, ours, (tx) => runSql(tx, insert, [JSON.stringify(row)]))).rejects.toThrow(
      `new row violates row-level security policy for table "${table}"`,
    )
  })

  test.each(TENANT_TABLES)('a row of %s cannot be moved to another tenant', async (table, column) => {
    const update = `update ${table} set ${column} = $1`
    await expect(inTenantScope(service.ctx, ours, (tx) => runSql(tx, update, [theirs.company.id]))).rejects.toThrow(
      FIXED_TENANT_TABLES.includes(table)
        ? 'this is another one'
        : AUDIT_TABLES.includes(table)
          ? 'the audit log only grows'
          : `new row violates row-level security policy for table "${table}"`,
    )
  })

  const countOwn = async (table: TenantTable, column: string) => {
    const rows = await runSql<{ tenant: string }>(
      service.ctx.db,
      `select ${column} as tenant from ${table} where ${column} = $1`,
      [ours.company.id],
    )
    expect(rows.length).toBeGreaterThan(0)
    return rows
  }
})

describe('the tenant scope ends with the transaction', () => {
  let db: Db
  let ctx: Ctx
  beforeAll(() => {
    // A pool of one, so that the next query uses the same connection.
    db = openDb(service.connection, 1)
    ctx = { ...service.ctx, db }
  })
  afterAll(() => db.destroy())

  const fail = async () => {
    throw new Error('the handler failed')
  }
  const endings: [string, () => Promise<unknown>, string | undefined][] = [
    ['commits', () => inTenantScope(ctx, ours, (tx) => listTenantIds(tx, 'tenants')), undefined],
    ['is read-only and commits', () => inTenantScope(ctx, ours, (tx) => listTenantIds(tx, 'tenants'), true), undefined],
    ['throws', () => inTenantScope(ctx, ours, fail), 'the handler failed'],
    ['fails in a query', () => inTenantScope(ctx, ours, (tx) => runSql(tx, 'select 1 / 0')), 'division'],
    ['fails at commit', () => inTenantScope(ctx, ours, (tx) => runSql(tx, 'delete from memberships')), 'last owner'],
    [
      'is refused before it begins',
      () => inTenantScope(ctx, { company: ours.company, owner: theirs.owner }, (tx) => listTenantIds(tx, 'tenants')),
      'Only an owner',
    ],
  ]

  test.each(endings)(
    'when the work %s, the next query on the connection sees all tenants again',
    async (_, work, problem) => {
      const backend = async () => (await runSql<{ pid: number }>(db, 'select pg_backend_pid() as pid'))[0]?.pid
      const pid = await backend()
      if (problem === undefined) expect(await work()).toEqual([ours.company.id])
      else await expect(work()).rejects.toThrow(problem)
      expect(await backend()).toBe(pid)
      expect(
        await runSql(
          db,
          `select coalesce(current_setting('latchkey.tenant', true), '') as tenant, current_user = session_user as self`,
        ),
      ).toEqual([{ tenant: '', self: true }])
      for (const [table] of TENANT_TABLES) {
        expect(await listTenantIds(db, table)).toEqual(expect.arrayContaining([ours.company.id, theirs.company.id]))
      }
      // The scope of the next tenant is not affected either.
      expect(await inTenantScope(ctx, theirs, (tx) => listTenantIds(tx, 'memberships'))).toEqual([theirs.company.id])
    },
  )
})

describe('triggers see the rows of all tenants', () => {
  const invite = async (walled: ScopedTenant, email: string) => {
    const { body } = await walled.owner.call('POST', `/api/tenants/${walled.company.id}/invitations`, {
      email,
    })
    const { memberships } = await readTenantRows(service, walled.company)
    const person = await findPerson(email)
    return { id: body.id, membershipId: memberships.find(({ user_id }) => user_id === person?.id)?.id }
  }
  const findPerson = (email: string) =>
    service.ctx.db.selectFrom('users').select('id').where('email', '=', email).executeTakeFirst()

  test('a placeholder account invited by two tenants is deleted only with the second invitation', async () => {
    const email = 'invited-twice@people.test'
    const [first, second] = [await invite(ours, email), await invite(theirs, email)]
    const remove = ({ company, owner }: ScopedTenant, membershipId = '') =>
      owner.call('DELETE', `/api/tenants/${company.id}/members/${membershipId}`)
    expect((await remove(ours, first.membershipId)).status).toBe(200)
    expect(await findPerson(email)).toBeDefined()
    const { memberships, invitations } = await readTenantRows(service, theirs.company)
    expect(memberships.find(({ id }) => id === second.membershipId)).toMatchObject({ status: 'INVITED' })
    expect(invitations.find(({ id }) => id === second.id)).toMatchObject({ status: 'PENDING' })
    expect((await remove(theirs, second.membershipId)).status).toBe(200)
    expect(await findPerson(email)).toBeUndefined()
  })

  test('a trigger does not end the tenant scope of the statements after it', async () => {
    const user = await createSignedInUser(service)
    const membershipId = await insertMembership(service, ours.company, user)
    const visible = await tryInTenantScope(service.ctx, ours, async (tx) => {
      await tx.deleteFrom('memberships').where('id', '=', membershipId).execute()
      await tx.updateTable('memberships').set({ role: 'owner' }).execute()
      return Promise.all(TENANT_TABLES.map(([table]) => listTenantIds(tx, table)))
    })
    expect(visible).toEqual(TENANT_TABLES.map(() => [ours.company.id]))
  })
})

describe('a route whose queries do not filter by tenant', () => {
  test('returns nothing of another tenant', async () => {
    for (const { company, owner } of [ours, theirs]) {
      const { status, body } = await owner.call('GET', `/api/tenants/${company.id}/unfiltered`)
      expect(status).toBe(200)
      expect(body).toEqual(Object.fromEntries(TENANT_TABLES.map(([table]) => [table, [company.id]])))
    }
  })

  test('changes nothing of another tenant', async () => {
    const before = await readTenantRows(service, theirs.company)
    const { status } = await ours.owner.call('POST', `/api/tenants/${ours.company.id}/unfiltered`)
    expect(status).toBe(200)
    expect((await readTenantRows(service, ours.company)).tenant).toMatchObject([{ name: 'Mine now' }])
    expect(await readTenantRows(service, theirs.company)).toEqual(before)
  })
})
