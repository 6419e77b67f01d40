import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fixture } from '../imports/migrations.ts'
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

const count = async (text: string) => Number((await pool.query(`select count(*) ${text}`)).rows[0]?.count)

const realm = () => JSON.parse(readFileSync(fixture('keycloak-realm.json'), 'utf8'))

/** A realm with many users, each a member of an organization and with an authenticator app. */
function writeRealm(size: number): string {
  const [template] = realm().users.filter(({ username }: { username: string }) => username === 'totp@acme.test')
  const users = Array.from({ length: size }, (_, index) => ({
    ...template,
    username: `u${index}`,
    email: `u${index}@killed.test`,
  }))
  const members = users.map(({ username }) => ({ username, membershipType: 'UNMANAGED' }))
  const file = join(folder, 'killed.json')
  writeFileSync(file, JSON.stringify({ realm: 'killed', users, organizations: [{ name: 'Killed', members }] }))
  return file
}

test.runIf(FULL)(
  'a killed import that is repeated imports every user, membership and authenticator app once',
  async () => {
    const size = 4_000
    const args = ['import', 'keycloak', writeRealm(size)]
    const program = run(args, { env })
    const users = "from users where email like 'u%@killed.test'"
    await expect.poll(() => count(users), { timeout: TIMEOUT_MS, interval: 5 }).toBeGreaterThan(0)
    program.child.kill('SIGKILL')
    await program.exited
    const again = await runToEnd(args, { env })
    expect(again.output).toMatch(/Users: \d+ imported, 0 updated, \d+ here already, 0 not usable\./)
    expect(await count(users)).toBe(size)
    expect(await count("from memberships where status = 'ACTIVE'")).toBe(size)
    expect(await count('from totp_secrets where confirmed_at is not null')).toBe(size)
    expect(await count("from tenants where slug = 'killed'")).toBe(1)
    for (const action of ['user.imported', 'user.totp_enabled', 'member.added']) {
      expect(await count(`from audit_entries where action = '${action}'`), action).toBe(size)
    }
    const third = await runToEnd(args, { env })
    expect(third.code).toBe(0)
    expect(third.output).toContain('Tenants: 0 imported, 1 here already, 0 not usable.\n')
    expect(third.output).toContain(`Users: 0 imported, 0 updated, ${size} here already, 0 not usable.\n`)
  },
  TIMEOUT_MS,
)

test(
  'the report lists what is left out, and neither it nor the output contains a secret',
  async () => {
    const report = join(folder, 'report.csv')
    const options = ['--map-role', 'team-lead=owner', '--clients', '--application', 'products', '--report', report]
    const args = ['import', 'keycloak', fixture('keycloak-realm.json'), '--dry-run', ...options]
    const { code, output } = await runToEnd(args, { env })
    expect(code).toBe(1)
    const lines = output.split('\n')
    expect(lines[0]).toMatch(/^keycloak-realm\.json, line \d+ \(users\[1\]\): the user has no email address\.$/)
    expect(lines.slice(-6)).toEqual([
      'Nothing was changed. It would be:',
      'Tenants: 1 imported, 0 here already, 0 not usable.',
      'Users: 6 imported, 0 updated, 0 here already, 1 not usable.',
      'Clients: 2 imported, 0 updated, 0 here already, 0 not usable.',
      'Roles and groups without a translation, with their number of users: /staff/berlin (1).',
      '',
    ])
    const text = readFileSync(report, 'utf8')
    expect(text.split('\r\n')[0]).toBe('place,email,result,reason')
    expect(text).toMatch(
      /"keycloak-realm\.json, line \d+ \(users\[1\]\)","",not imported,"the user has no email address"/,
    )
    expect(text).toMatch(/,"temporary@acme\.test",incomplete,"the password is left out/)
    expect(statSync(report).mode & 0o777).toBe(0o600)
    expect(output + text).not.toMatch(/dJ3kQ9mZx2|0123456789abcdef0123|p\/FtEOYqJBD8/)
  },
  TIMEOUT_MS,
)

test.runIf(FULL).each([
  [['keycloak', '/nowhere'], '/nowhere cannot be read: there is no such file or folder.\n'],
  [['keycloak', folder], 'has no file of a Keycloak export, such as <realm>-realm.json.\n'],
  [['keycloak', fixture('keycloak-realm.json'), '--clients'], 'name it with --application.\n'],
  [['okta', fixture('okta-users.json'), '--tenant', 'none'], 'There is no tenant none. Create it first.\n'],
  [['okta', fixture('okta-users.json'), '--map-role', 'x=king'], 'The role must be owner, admin or member.\n'],
  [['okta', fixture('okta-users.json'), '--map-group', 'x'], 'Write it as <name>=<value>.\n'],
  [
    ['auth0', fixture('auth0-users.ndjson'), '--passwords', '/nowhere'],
    '/nowhere cannot be read: there is no such file.\n',
  ],
  [['firebase', fixture('cognito-users.json')], 'No users were found in '],
  [['clerk', fixture('cognito-users.csv')], 'cognito-users.csv: There is no column "id".\n'],
])('latchkey import %j is refused with a clear message', async (args, message) => {
  const { code, output } = await runToEnd(['import', ...args], { env })
  expect(code).toBe(1)
  expect(output).toContain(message)
})
