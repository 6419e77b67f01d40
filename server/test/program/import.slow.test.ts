import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, openTestPool, type TestDatabase } from '../support/database.ts'
import { run, runToEnd, tempFolder } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'

const TIMEOUT_MS = 240_000
const folder = tempFolder()
let database: TestDatabase
let pool: pg.Pool
let env: Record<string, string>
beforeAll(async () => {
  database = await createDatabase()
  pool = openTestPool(database.direct)
  env = { DATABASE_URL: database.url, LATCHKEY_DATA_DIR: join(folder, 'data') }
}, TIMEOUT_MS)
afterAll(async () => {
  await pool.end()
  await database.close()
})

const write = (name: string, text: string | Buffer) => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}
const count = async (text: string) => Number((await pool.query(`select count(*) ${text}`)).rows[0]?.count)

/** The number of other connections. */
const countBackends = () =>
  count(
    "from pg_stat_activity where datname = current_database() and application_name = 'latchkey' and state is not null",
  )

const ROWS = 5_000
const DECLARATION = `
users: [{ email: owner@mass.test }]
tenants: [{ slug: mass, name: Mass, members: [{ email: owner@mass.test, role: owner }] }]
`
const HASH = `$2b$10$${'C'.repeat(53)}`

test.runIf(FULL)(
  'a killed import that is repeated imports every user once',
  async () => {
    await runToEnd(['apply', '-f', write('mass.yaml', DECLARATION)], { env })
    const rows = Array.from({ length: ROWS }, (_, i) => `p${i}@mass.test;"Name; ${i}";${HASH}`)
    rows[2_500] = 'not an address;x;x'
    const file = write('mass.csv', `email;name;passwordHash\n${rows.join('\n')}\n`)
    const args = ['import', 'users', file, '--tenant', 'mass', '--role', 'admin']
    const program = run(args, { env })
    await expect
      .poll(() => count("from users where email like 'p%@mass.test'"), { timeout: TIMEOUT_MS, interval: 5 })
      .toBeGreaterThan(0)
    program.child.kill('SIGKILL')
    await program.exited
    // Wait until the database has finished the last transaction of the killed process.
    await expect.poll(() => countBackends(), { timeout: TIMEOUT_MS }).toBe(0)
    const first = await count("from users where email like 'p%@mass.test'")
    expect(first % 500).toBe(0)
    writeFileSync(join(folder, 'errors.csv'), 'of another time', { mode: 0o644 })
    const again = await runToEnd([...args, '--errors', join(folder, 'errors.csv')], { env })
    expect(again.code).toBe(1)
    expect(again.output).toContain('Line 2502: email is not a valid email address.\n')
    expect(again.output).toContain(`${ROWS - 1 - first} imported, 0 updated, ${first} here already, 1 not usable.\n`)
    expect(await count("from users where email like 'p%@mass.test' and email_verified")).toBe(ROWS - 1)
    expect(await count("from memberships where role = 'admin' and status = 'ACTIVE'")).toBe(ROWS - 1)
    const entries = "from audit_entries where action = 'user.imported'"
    expect(await count(entries)).toBe(ROWS - 1)
    expect(await count(`from (select distinct user_id ${entries}) as people`)).toBe(ROWS - 1)
    expect(await count("from audit_entries where action = 'member.added'")).toBe(ROWS)
    expect(readFileSync(join(folder, 'errors.csv'), 'utf8')).toBe(
      'line,email,reason\r\n2502,"","email is not a valid email address"\r\n',
    )
    expect(statSync(join(folder, 'errors.csv')).mode & 0o777).toBe(0o600)
    expect(JSON.stringify((await pool.query('select * from audit_entries')).rows)).not.toContain('CCCC')
  },
  TIMEOUT_MS,
)

test.runIf(FULL).each([
  [['/nowhere.csv'], '/nowhere.csv cannot be read: there is no such file.\n'],
  [['--format', 'csv', '.'], '. cannot be read: it is not a file.\n'],
  [[join(folder, 'mass.yaml')], 'is not clear from its name: use --format csv or --format jsonl.\n'],
  [[join(folder, 'mass.csv'), '--role', 'owner'], '--role needs a tenant: name it with --tenant.\n'],
  [[join(folder, 'mass.csv'), '--tenant', 'none'], 'There is no tenant none.\n'],
])('latchkey import users %j is refused with a clear message', async (args, message) => {
  const { code, output } = await runToEnd(['import', 'users', ...args], { env })
  expect(code).toBe(1)
  expect(output).toContain(message)
})

test(
  'the delimiter is detected, and a dry run changes nothing',
  async () => {
    const file = write('tabs.tsv', '\ufeff"email"\t"displayName"\nt@tabs.test\t"a, b; c"\n')
    expect(await runToEnd(['import', 'users', file, '--dry-run'], { env })).toEqual({
      code: 0,
      output: 'Nothing was changed. It would be: 1 imported, 0 updated, 0 here already, 0 not usable.\n',
    })
    const wide = write('wide.csv', Buffer.from('\ufeffemail\n', 'utf16le'))
    expect((await runToEnd(['import', 'users', wide], { env })).output).toContain('UTF-16')
  },
  TIMEOUT_MS,
)
