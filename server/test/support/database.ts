import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import type { Connection } from '../../src/db/open.ts'

export const TEMPLATE = 'latchkey_template'

/** A superuser's connection, for what only the owner of the server may do. */
export async function adminOf(socketDir: string): Promise<pg.Client> {
  const client = new pg.Client({ host: socketDir, user: 'postgres', database: 'postgres' })
  client.on('error', () => {})
  await client.connect()
  return client
}

export interface TestDatabase extends Connection {
  name: string
  /** The address for DATABASE_URL. */
  url: string
}

/** A database of its own: migrated, or empty when `template` says so. */
export async function createDatabase(template: string | undefined = TEMPLATE): Promise<TestDatabase> {
  const socketDir = inject('socketDir')
  const name = `test_${randomBytes(6).toString('hex')}`
  const admin = await adminOf(socketDir)
  await admin.query(`create database ${name} owner latchkey template ${template}`)
  await admin.end()
  const settings = { host: socketDir, user: 'latchkey', database: name }
  return {
    name,
    url: `postgres://latchkey@/${name}?host=${encodeURIComponent(socketDir)}`,
    pooled: settings,
    direct: settings,
    lost: new Promise(() => {}),
    async close() {
      const owner = await adminOf(socketDir)
      await owner.query(`drop database if exists ${name} with (force)`)
      await owner.end()
    },
  }
}
