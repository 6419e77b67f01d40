import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Ctx } from '../../src/context.ts'
import { migrate } from '../../src/db/migrate.ts'
import { type Db, openDb } from '../../src/db/open.ts'
import { ensureRowSecurity } from '../../src/db/row-security.ts'
import { adminOf, type TestDatabase } from '../support/database.ts'
import { FULL } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import { applyDemoWorld } from '../support/templates.ts'
import {
  buildInsert,
  createScopedTenant,
  inTenantScope,
  listTenantIds,
  runSql,
  type ScopedTenant,
  TENANT_TABLES,
  tryInTenantScope,
  unfilteredRoutes,
  WRITABLE_TABLES,
} from './scoped-tenant.ts'
import { readTenantRows } from './tenant-rows.ts'

// Row-level security does not apply to superusers, and trial installations often connect as one.

let first: TestService
const closers: (() => Promise<void>)[] = []
beforeAll(async () => {
  first = await startService()
})
afterAll(async () => {
  for (const close of closers.reverse()) await close()
  await first?.close()
})

/** A database that one role creates and migrates, and that the service uses with another role. */
async function createDatabaseOf(owner: string, user: string): Promise<TestDatabase> {
  const socketDir = inject('socketDir')
  const name = `test_${randomBytes(6).toString('hex')}`
  const runAsAdmin = async (text: string) => {
    const admin = await adminOf(socketDir)
    await admin.query(text)
    await admin.end()
  }
  await runAsAdmin(`create database ${name} owner ${owner}`)
  closers.push(() => runAsAdmin(`drop database if exists ${name} with (force)`))
  await migrate({ host: socketDir, user: owner, database: name })
  const settings = { host: socketDir, user, database: name }
  return {
    name,
    url: `postgres://${user}@/${name}?host=${encodeURIComponent(socketDir)}`,
    pooled: settings,
    direct: settings,
    lost: new Promise(() => {}),
    close: async () => {},
  }
}

/** As the service does at startup. */
async function enableRowSecurity(database: TestDatabase): Promise<void> {
  const db = openDb(database, 1)
  await ensureRowSecurity(db).finally(() => db.destroy())
}

const CURRENT_USER = `select current_user::text as name, current_setting('is_superuser') as super`

// This test comes first, because the role must not exist on the server yet.
test.runIf(FULL)('nodes that start at the same time can all enable row-level security', async () => {
  const database = await createDatabaseOf('postgres', 'postgres')
  await Promise.all(Array.from({ length: 8 }, () => enableRowSecurity(database)))
})

const OWNERS = [
  ['that it owns', 'postgres'],
  // For example a backup that was restored on a new server.
  ['that an ordinary role owns', 'latchkey'],
]

describe.each(FULL ? OWNERS : OWNERS.slice(0, 1))('a superuser in a database %s', (_, owner) => {
  let database: TestDatabase
  let service: TestService
  let ours: ScopedTenant
  let theirs: ScopedTenant
  beforeAll(async () => {
    database = await createDatabaseOf(owner, 'postgres')
    await enableRowSecurity(database)
    service = await startService({
      sameDatabaseAs: { ...first, connection: database },
      routes: unfilteredRoutes,
    })
    await applyDemoWorld(service.ctx)
    ours = await createScopedTenant(service)
    theirs = await createScopedTenant(service)
  })
  afterAll(() => service?.close())

  test('the service is a superuser, but not in a tenant scope', async () => {
    expect(await runSql(service.ctx.db, CURRENT_USER)).toEqual([{ name: 'postgres', super: 'on' }])
    for (const readOnly of [false, true]) {
      const inside = await inTenantScope(service.ctx, ours, (tx) => runSql(tx, CURRENT_USER), readOnly)
      expect(inside).toEqual([{ name: 'latchkey_tenant', super: 'off' }])
    }
  })

  test('the role of the tenant scope cannot log in and has no privileges of its own', async () => {
    const attributes = 'rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb'
    const [role] = await runSql<object>(
      service.ctx.db,
      `select ${attributes} from pg_roles where rolname = 'latchkey_tenant'`,
    )
    expect(role).toBeDefined()
    expect(Object.entries(role ?? {}).filter(([, has]) => has)).toEqual([])
  })

  describe('in a tenant scope a superuser', () => {
    test.each(WRITABLE_TABLES)('reads, updates and deletes only rows of the tenant in %s', async (table, column) => {
      const { db } = service.ctx
      const filter = `where ${column} = $1`
      const own = await runSql(db, `select ${column} as tenant from ${table} ${filter}`, [ours.company.id])
      expect(own.length).toBeGreaterThan(0)
      const statements = [
        `select ${column} as tenant from ${table}`,
        `update ${table} set ${column} = ${column} returning ${column} as tenant`,
        `delete from ${table} returning ${column} as tenant`,
      ]
      for (const statement of statements) {
        expect(await tryInTenantScope(service.ctx, ours, (tx) => runSql(tx, statement))).toEqual(own)
      }
      const outside = await listTenantIds(db, table)
      expect(outside).toEqual(expect.arrayContaining([ours.company.id, theirs.company.id]))
    })

    test.each(TENANT_TABLES)('cannot insert into %s for another tenant', async (table, column) => {
      const text = `select * from ${table} where ${column} = $1 limit 1`
      const [row] = await runSql(service.ctx.db, text, [theirs.company.id])
      const insert = await buildInsert(service.ctx.db, table)
      await expect(inTenantScope(service.ctx, ours, (tx) => runSql(tx, insert, [JSON.stringify(row)]))).rejects.toThrow(
        `new row violates row-level security policy for table "${table}"`,
      )
    })
  })

  describe('the next query on the connection runs as superuser again', () => {
    let db: Db
    let ctx: Ctx
    beforeAll(() => {
      db = openDb(database, 1)
      ctx = { ...service.ctx, db }
    })
    afterAll(() => db.destroy())

    test.each([
      ['the work commits', 'select 1', undefined],
      ['the work fails in a query', 'select 1 / 0', 'division by zero'],
    ])('when %s', async (_, statement, problem) => {
      const work = inTenantScope(ctx, ours, (tx) => runSql(tx, statement))
      if (problem === undefined) await work
      else await expect(work).rejects.toThrow(problem)
      expect(await runSql(db, CURRENT_USER)).toEqual([{ name: 'postgres', super: 'on' }])
      const visible = await listTenantIds(db, 'memberships')
      expect(visible).toEqual(expect.arrayContaining([ours.company.id, theirs.company.id]))
    })
  })

  describe('over HTTP', () => {
    const pathOf = ({ company }: ScopedTenant, rest = '') => `/api/tenants/${company.id}${rest}`

    test('a route whose queries do not filter by tenant reads and changes nothing of another tenant', async () => {
      const read = await ours.owner.call('GET', pathOf(ours, '/unfiltered'))
      const own = TENANT_TABLES.map(([table]) => [table, [ours.company.id]])
      expect(read).toMatchObject({ status: 200, body: Object.fromEntries(own) })
      const before = await readTenantRows(service, theirs.company)
      expect((await ours.owner.call('POST', pathOf(ours, '/unfiltered'))).status).toBe(200)
      expect(await readTenantRows(service, theirs.company)).toEqual(before)
    })

    test.runIf(FULL)(
      'a placeholder account invited by two tenants is deleted only with the second invitation',
      async () => {
        const email = 'invited-twice@people.test'
        const exists = async () =>
          (await service.ctx.db.selectFrom('users').select('id').where('email', '=', email).execute()).length === 1
        const invitations: [ScopedTenant, unknown][] = []
        for (const walled of [ours, theirs]) {
          const { status, body } = await walled.owner.call('POST', pathOf(walled, '/invitations'), { email })
          expect(status).toBe(201)
          invitations.push([walled, body.id])
        }
        for (const [walled, id] of invitations) {
          expect(await exists()).toBe(true)
          const revoked = await walled.owner.call('DELETE', pathOf(walled, `/invitations/${id}`))
          expect(revoked.status).toBe(200)
        }
        expect(await exists()).toBe(false)
      },
    )

    test.runIf(FULL)('all tenant routes work', async () => {
      const { owner } = ours
      expect((await owner.call('GET', pathOf(ours))).body).toMatchObject({
        id: ours.company.id,
        memberCount: 2,
      })
      expect((await owner.call('PATCH', pathOf(ours), { name: 'Renamed' })).status).toBe(200)
      const { body } = await owner.call('GET', pathOf(ours, '/members?role=member&status=ACTIVE'))
      const [member] = body.members as { id: string }[]
      const path = pathOf(ours, `/members/${member?.id}`)
      expect((await owner.call('PATCH', path, { status: 'SUSPENDED' })).status).toBe(200)
      expect((await owner.call('DELETE', path)).status).toBe(200)
      expect((await owner.call('GET', pathOf(ours, '/audit'))).status).toBe(200)
      expect((await owner.call('DELETE', pathOf(ours))).status).toBe(200)
      const { tenant, memberships, invitations } = await readTenantRows(service, ours.company)
      expect([tenant, memberships, invitations]).toEqual([[], [], []])
    })
  })
})

test('a role with BYPASSRLS that cannot create roles is refused with a message for the operator', async () => {
  const role = `passes_${randomBytes(6).toString('hex')}`
  const admin = await adminOf(inject('socketDir'))
  await admin.query(`create role ${role} login bypassrls`)
  closers.push(async () => {
    await admin.query(`drop role ${role}`)
    await admin.end()
  })
  const database = await createDatabaseOf(role, role)
  await expect(enableRowSecurity(database)).rejects.toThrow('bypasses row-level security (BYPASSRLS)')
})
