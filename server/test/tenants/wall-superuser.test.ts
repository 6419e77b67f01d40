import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Ctx } from '../../src/context.ts'
import { migrate } from '../../src/db/migrate.ts'
import { type Db, openDb } from '../../src/db/open.ts'
import { raiseWall } from '../../src/db/wall.ts'
import { adminOf, type TestDatabase } from '../support/database.ts'
import { FULL } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import { applyDemoWorld } from '../support/templates.ts'
import { pictureOf } from './company.ts'
import {
  ask,
  behindWall,
  CHANGEABLE_TABLES,
  forgetfulRoutes,
  newWalled,
  orderToAdd,
  seenIn,
  tryBehindWall,
  WALLED_TABLES,
  type Walled,
} from './walled-world.ts'

// No policy holds back a superuser, and whoever tries the service out often lets it be one.

let first: TestService
const closers: (() => Promise<void>)[] = []
beforeAll(async () => {
  first = await startService()
})
afterAll(async () => {
  for (const close of closers.reverse()) await close()
  await first?.close()
})

/** A database that one role has made and migrated, and another one works in. */
async function createDatabaseOf(maker: string, user: string): Promise<TestDatabase> {
  const socketDir = inject('socketDir')
  const name = `test_${randomBytes(6).toString('hex')}`
  const order = async (text: string) => {
    const admin = await adminOf(socketDir)
    await admin.query(text)
    await admin.end()
  }
  await order(`create database ${name} owner ${maker}`)
  closers.push(() => order(`drop database if exists ${name} with (force)`))
  await migrate({ host: socketDir, user: maker, database: name })
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

/** Does what the program does before it serves anybody. */
async function raiseWallOf(database: TestDatabase): Promise<void> {
  const db = openDb(database, 1)
  await raiseWall(db).finally(() => db.destroy())
}

const WHO = `select current_user::text as name, current_setting('is_superuser') as super`

// First, for only whoever comes first to a server finds no role there.
test.runIf(FULL)('many nodes that start at once raise the wall together', async () => {
  const database = await createDatabaseOf('postgres', 'postgres')
  await Promise.all(Array.from({ length: 8 }, () => raiseWallOf(database)))
})

const MAKERS = [
  ['that it has made itself', 'postgres'],
  // Such as one that was restored from a copy, on a server that has never seen the service.
  ['that an ordinary role has made', 'latchkey'],
]

describe.each(FULL ? MAKERS : MAKERS.slice(0, 1))('a superuser in a database %s', (_, maker) => {
  let database: TestDatabase
  let service: TestService
  let ours: Walled
  let theirs: Walled
  beforeAll(async () => {
    database = await createDatabaseOf(maker, 'postgres')
    await raiseWallOf(database)
    service = await startService({ beside: { ...first, connection: database }, routes: forgetfulRoutes })
    await applyDemoWorld(service.ctx)
    ours = await newWalled(service)
    theirs = await newWalled(service)
  })
  afterAll(() => service?.close())

  test('the service is a superuser here, but not behind the wall', async () => {
    expect(await ask(service.ctx.db, WHO)).toEqual([{ name: 'postgres', super: 'on' }])
    for (const readOnly of [false, true]) {
      const inside = await behindWall(service.ctx, ours, (tx) => ask(tx, WHO), readOnly)
      expect(inside).toEqual([{ name: 'latchkey_tenant', super: 'off' }])
    }
  })

  test('nobody can sign in to the database in the role of whoever works for a tenant', async () => {
    const traits = 'rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb'
    const [role] = await ask<object>(
      service.ctx.db,
      `select ${traits} from pg_roles where rolname = 'latchkey_tenant'`,
    )
    expect(role).toBeDefined()
    expect(Object.entries(role ?? {}).filter(([, has]) => has)).toEqual([])
  })

  describe('behind the wall of a tenant a superuser', () => {
    test.each(CHANGEABLE_TABLES)('sees, changes and empties only its rows of %s', async (table, column) => {
      const { db } = service.ctx
      const filter = `where ${column} = $1`
      const own = await ask(db, `select ${column} as tenant from ${table} ${filter}`, [ours.company.id])
      expect(own.length).toBeGreaterThan(0)
      const orders = [
        `select ${column} as tenant from ${table}`,
        `update ${table} set ${column} = ${column} returning ${column} as tenant`,
        `delete from ${table} returning ${column} as tenant`,
      ]
      for (const order of orders) {
        expect(await tryBehindWall(service.ctx, ours, (tx) => ask(tx, order))).toEqual(own)
      }
      const outside = await seenIn(db, table)
      expect(outside).toEqual(expect.arrayContaining([ours.company.id, theirs.company.id]))
    })

    test.each(WALLED_TABLES)('adds nothing to %s for another tenant', async (table, column) => {
      const text = `select * from ${table} where ${column} = $1 limit 1`
      const [row] = await ask(service.ctx.db, text, [theirs.company.id])
      const adding = await orderToAdd(service.ctx.db, table)
      await expect(
        behindWall(service.ctx, ours, (tx) => ask(tx, adding, [JSON.stringify(row)])),
      ).rejects.toThrow(`new row violates row-level security policy for table "${table}"`)
    })
  })

  describe('the next user of the connection is a superuser again', () => {
    let db: Db
    let ctx: Ctx
    beforeAll(() => {
      db = openDb(database, 1)
      ctx = { ...service.ctx, db }
    })
    afterAll(() => db.destroy())

    test.each([
      ['it is done', 'select 1', undefined],
      ['the database broke it off', 'select 1 / 0', 'division by zero'],
    ])('when %s', async (_, order, problem) => {
      const work = behindWall(ctx, ours, (tx) => ask(tx, order))
      if (problem === undefined) await work
      else await expect(work).rejects.toThrow(problem)
      expect(await ask(db, WHO)).toEqual([{ name: 'postgres', super: 'on' }])
      const seen = await seenIn(db, 'memberships')
      expect(seen).toEqual(expect.arrayContaining([ours.company.id, theirs.company.id]))
    })
  })

  describe('over HTTP', () => {
    const pathOf = ({ company }: Walled, rest = '') => `/api/tenants/${company.id}${rest}`

    test('a door whose handler forgets which tenant it is for shows and changes nothing of another', async () => {
      const shown = await ours.owner.call('GET', pathOf(ours, '/forgetful'))
      const own = WALLED_TABLES.map(([table]) => [table, [ours.company.id]])
      expect(shown).toMatchObject({ status: 200, body: Object.fromEntries(own) })
      const before = await pictureOf(service, theirs.company)
      expect((await ours.owner.call('POST', pathOf(ours, '/forgetful'))).status).toBe(200)
      expect(await pictureOf(service, theirs.company)).toEqual(before)
    })

    test.runIf(FULL)(
      'who was invited by two tenants is forgotten only when the second does without them',
      async () => {
        const email = 'wanted-twice@people.test'
        const isKnown = async () =>
          (await service.ctx.db.selectFrom('users').select('id').where('email', '=', email).execute())
            .length === 1
        const invitations: [Walled, unknown][] = []
        for (const walled of [ours, theirs]) {
          const { status, body } = await walled.owner.call('POST', pathOf(walled, '/invitations'), { email })
          expect(status).toBe(201)
          invitations.push([walled, body.id])
        }
        for (const [walled, id] of invitations) {
          expect(await isKnown()).toBe(true)
          const revoked = await walled.owner.call('DELETE', pathOf(walled, `/invitations/${id}`))
          expect(revoked.status).toBe(200)
        }
        expect(await isKnown()).toBe(false)
      },
    )

    test.runIf(FULL)('all that members do works as it does for anybody else', async () => {
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
      const { tenant, memberships, invitations } = await pictureOf(service, ours.company)
      expect([tenant, memberships, invitations]).toEqual([[], [], []])
    })
  })
})

test('a role that passes every policy and may make no other is refused, with words for the operator', async () => {
  const role = `passes_${randomBytes(6).toString('hex')}`
  const admin = await adminOf(inject('socketDir'))
  await admin.query(`create role ${role} login bypassrls`)
  closers.push(async () => {
    await admin.query(`drop role ${role}`)
    await admin.end()
  })
  const database = await createDatabaseOf(role, role)
  await expect(raiseWallOf(database)).rejects.toThrow('passes row-level security (BYPASSRLS)')
})
