import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import type { Connection } from '../../src/db/open.ts'

/** Databases that are created once per run and copied for each test file. */
export const TEMPLATES = {
  /** Only the schema. */
  migrated: 'template_migrated',
  /** The schema and a signing key. */
  service: 'template_service',
  /** Also the demo data: users, tenants, application and clients. */
  demo: 'template_demo',
} as const

/** A superuser connection to the server. */
export async function adminOf(socketDir: string): Promise<pg.Client> {
  const client = new pg.Client({ host: socketDir, user: 'postgres', database: 'postgres' })
  client.on('error', () => {})
  await client.connect()
  return client
}

let sharedAdmin: { socketDir: string; client: Promise<pg.Client> } | undefined

/** A superuser connection for all databases of this process: each new one costs the server as much as a small database. */
function openSharedAdmin(socketDir: string): Promise<pg.Client> {
  if (sharedAdmin?.socketDir !== socketDir) {
    const client = adminOf(socketDir).then((opened) => {
      opened.once('end', () => {
        sharedAdmin = undefined
      })
      return opened
    })
    sharedAdmin = { socketDir, client }
  }
  return sharedAdmin.client
}

/** A pool that bypasses the service. It ignores errors when the database is dropped. */
export function openTestPool(settings: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(settings)
  pool.on('error', () => {})
  return pool
}

export interface TestDatabase extends Connection {
  name: string
  /** The value for DATABASE_URL. */
  url: string
}

/** A separate database, copied from a template. By default it has the schema and no rows. */
export async function createDatabase(template: string = TEMPLATES.migrated): Promise<TestDatabase> {
  const socketDir = inject('socketDir')
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = await openSharedAdmin(socketDir)
  await admin.query(`create database ${name} owner latchkey template ${template} strategy file_copy`)
  const settings = { host: socketDir, user: 'latchkey', database: name }
  return {
    name,
    url: `postgres://latchkey@/${name}?host=${encodeURIComponent(socketDir)}`,
    pooled: settings,
    direct: settings,
    lost: new Promise(() => {}),
    async close() {
      await (await openSharedAdmin(socketDir)).query(`drop database if exists ${name} with (force)`)
    },
  }
}
