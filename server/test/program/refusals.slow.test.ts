import { createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, TEMPLATES, type TestDatabase } from '../support/database.ts'
import { freePort, run, runToEnd, tempFolder } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'

const KEY = Buffer.alloc(32, 7).toString('base64')

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase('template0')
})
afterAll(() => database.close())

const production = async (more: Record<string, string> = {}) => ({
  PORT: await freePort(),
  HOST: '127.0.0.1',
  DATABASE_URL: database.url,
  LATCHKEY_ENCRYPTION_KEY: KEY,
  LATCHKEY_DATA_DIR: join(tempFolder(), 'data'),
  ...more,
})

/** Expects exit code 1 and a message without a stack trace. */
async function refused(args: string[], env: Record<string, string>): Promise<string> {
  const { code, output } = await runToEnd(args, { env })
  expect(code).toBe(1)
  expect(output).not.toMatch(/\n\s+at /)
  return output.trimEnd()
}

test('all problems of the configuration are listed together', async () => {
  const output = await refused(['serve'], {
    PORT: '99999',
    BASE_URL: 'ftp://x',
    DATABASE_URL: 'mysql://root:hunter2@x',
    SMTP_URL: 'mail.example',
    LOG_LEVEL: 'loud',
    TRUSTED_PROXIES: '10.0.0.0/99',
    LATCHKEY_ENCRYPTION_KEY: 'short',
    MAIL_FROM: 'nobody',
    PASSWORD_HASH_MEMORY_MIB: '18',
  })
  for (const name of [
    'PORT',
    'BASE_URL',
    'DATABASE_URL',
    'SMTP_URL',
    'LOG_LEVEL',
    'TRUSTED_PROXIES',
    'LATCHKEY_ENCRYPTION_KEY',
    'MAIL_FROM',
    'PASSWORD_HASH_MEMORY_MIB',
  ]) {
    expect(output).toContain(`  - ${name} `)
  }
  expect(output).not.toContain('hunter2')
})

describe('production', () => {
  test.runIf(FULL)('is refused without an encryption key and on plain http beyond localhost', async () => {
    const env = await production({ LATCHKEY_ENCRYPTION_KEY: '', BASE_URL: 'http://id.example.com' })
    const output = await refused(['serve'], env)
    expect(output).toContain('LATCHKEY_ENCRYPTION_KEY is missing')
    expect(output).toContain('it must start with https://')
  })

  test.runIf(FULL)('is refused on a database with demo data', async () => {
    const demoDatabase = await createDatabase(TEMPLATES.demo)
    const env = await production({ DATABASE_URL: demoDatabase.url })
    expect(await refused(['serve'], env)).toMatch(/holds the demo, whose passwords and secrets are public/)
    await demoDatabase.close()
  })

  test('starts on an empty database, migrates it, and seeds no users', async () => {
    const env = await production()
    const program = run(['serve'], { env })
    await program.prints('"ready"')
    expect((await fetch(`http://127.0.0.1:${env.PORT}/health/ready`)).status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${env.PORT}/dev/mailbox`)).status).toBe(404)
    program.child.kill('SIGTERM')
    expect(await program.exited).toEqual({ code: 0, signal: null })
    const client = new pg.Client(database.direct)
    await client.connect()
    const { rows } = await client.query('select count(*)::int as users from users')
    await client.end()
    expect(rows).toEqual([{ users: 0 }])
  })
})

test.runIf(FULL)('a port in use gives one clear message', async () => {
  const squatter = createServer()
  await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve))
  const address = squatter.address()
  const port = String(typeof address === 'object' ? address?.port : 0)
  const output = await refused(['serve'], await production({ PORT: port, LOG_LEVEL: 'silent' }))
  squatter.close()
  expect(output).toBe(
    `Latchkey cannot listen on 127.0.0.1:${port}: another program uses that port. Stop it, or choose another with PORT.`,
  )
})

const UNREACHABLE = [
  ['refuses connections', 'postgres://me:hunter2@127.0.0.1:1/x', /ECONNREFUSED/],
  ['has no such name', 'postgres://me:hunter2@nowhere.invalid/x', /ENOTFOUND|EAI_AGAIN/],
] as const

test.each(FULL ? UNREACHABLE : UNREACHABLE.slice(0, 1))(
  'a DATABASE_URL that %s gives one clear message without the password',
  async (_name, url, reason) => {
    const output = await refused(['serve'], await production({ DATABASE_URL: url }))
    expect(output).toMatch(/^The database of DATABASE_URL cannot be used: /)
    expect(output).toMatch(reason)
    expect(output).not.toContain('hunter2')
    expect(output.split('\n')).toHaveLength(1)
  },
)

test.runIf(FULL)('a DATABASE_URL that requires TLS is refused by a server without TLS, not downgraded', async () => {
  const url = `${database.url}&sslmode=verify-full`
  expect(await refused(['serve'], await production({ DATABASE_URL: url }))).toMatch(/SSL/)
})

test.runIf(FULL)('a database newer than the program is refused', async () => {
  const newer = await createDatabase()
  const client = new pg.Client(newer.direct)
  await client.connect()
  await client.query("insert into schema_migrations (version, name, checksum) values (9999, 'from_the_future', 'x')")
  await client.end()
  const output = await refused(['serve'], await production({ DATABASE_URL: newer.url }))
  await newer.close()
  expect(output).toBe(
    'The database is newer than this Latchkey: it holds migration 9999 (from_the_future), ' +
      'with which this release cannot work. Start the release that made it, or a later one.',
  )
})
