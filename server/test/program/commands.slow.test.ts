import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verify } from '@node-rs/argon2'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { runToEnd, tempFolder } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'

let database: TestDatabase
let env: Record<string, string>
const folder = tempFolder()

beforeAll(async () => {
  database = await createDatabase()
  env = { DATABASE_URL: database.url, LATCHKEY_DATA_DIR: join(folder, 'data') }
})
afterAll(() => database.close())

async function query<T extends pg.QueryResultRow>(text: string): Promise<T[]> {
  const client = new pg.Client(database.direct)
  await client.connect()
  const { rows } = await client.query<T>(text)
  await client.end()
  return rows
}

describe('latchkey apply', () => {
  const apply = (yaml: string, ...flags: string[]) => {
    const file = join(folder, 'declaration.yaml')
    writeFileSync(file, yaml)
    return runToEnd(['apply', '-f', file, ...flags], { env })
  }

  test('plans, applies, and then finds nothing to change', async () => {
    const first = 'users:\n  - { email: Ann@Example.test, password: correct-horse-1, givenName: Ann }\n'
    const plan =
      '  + user ann@example.test\n      givenName: "Ann"\n      password: (hidden)\n' +
      '1 to create, 0 to change, 0 to delete.\n'
    expect(await apply(first, '--dry-run')).toEqual({ code: 0, output: plan })
    expect(await query('select email from users')).toEqual([])
    expect(await apply(first)).toEqual({ code: 0, output: `${plan}Applied.\n` })
    expect(await apply(first)).toEqual({ code: 0, output: 'Nothing to change.\n' })
    if (!FULL) return
    const second = first.replace('Ann }', 'Anna, superAdmin: true }')
    expect(await apply(second)).toEqual({
      code: 0,
      output:
        '  ~ user ann@example.test\n      givenName: "Ann" → "Anna"\n      superAdmin: false → true\n' +
        '0 to create, 1 to change, 0 to delete.\nApplied.\n',
    })
    expect(await query('select email, given_name, is_super_admin from users')).toEqual([
      { email: 'ann@example.test', given_name: 'Anna', is_super_admin: true },
    ])
  })

  test.runIf(FULL)('reports changes with its exit code on request', async () => {
    const nobody = 'applications: [{ slug: by-code, name: By Code }]'
    expect(await apply(nobody, '--dry-run', '--exit-code')).toMatchObject({ code: 2 })
    expect(await apply('users: []', '--dry-run', '--exit-code')).toEqual({
      code: 0,
      output: 'Nothing to change.\n',
    })
  })

  test.runIf(FULL)('is all or nothing', async () => {
    const yaml =
      'users:\n  - { email: bo@example.test, password: long-enough-1 }\n  - { email: cy@example.test, password: short }\n'
    expect(await apply(yaml)).toMatchObject({
      code: 1,
      output: expect.stringContaining('at least 8 characters'),
    })
    expect(await query("select email from users where email like 'bo@%'")).toEqual([])
  })

  test.runIf(FULL).each([
    ['broken YAML', 'users: [', /not valid YAML/],
    ['an unknown section', 'usres: []', /must NOT have additional properties \("usres"\)/],
    ['an unknown field', 'users:\n  - { email: a@b.test, passwd: x }', /users\.0 .*"passwd"/],
    ['a missing field', 'users:\n  - { givenName: A }', /users\.0 must have required property 'email'/],
    ['a bad address', 'users:\n  - { email: nope }', /"nope": that is no address/],
    [
      'a person listed twice',
      'users:\n  - { email: a@b.test }\n  - { email: A@b.test }',
      /lists the user a@b.test twice/,
    ],
  ])('refuses %s with a clear message', async (_name, yaml, message) => {
    const { code, output } = await apply(yaml)
    expect(code).toBe(1)
    expect(output).toMatch(message)
    expect(output).not.toMatch(/\n\s+at /)
  })

  test.runIf(FULL)('refuses a missing file', async () => {
    expect(await runToEnd(['apply', '-f', '/nowhere.yaml'], { env })).toEqual({
      code: 1,
      output: '/nowhere.yaml cannot be read: there is no such file.\n',
    })
  })
})

describe('latchkey admin create', () => {
  const create = (email: string, input: string) => runToEnd(['admin', 'create', '--email', email], { env, input })

  test('creates a Super Admin with an argon2id password hash and notifies them', async () => {
    expect(await create('Root@Example.test', 'a-long-enough-password\n')).toEqual({
      code: 0,
      output: 'root@example.test is now a Super Admin.\n',
    })
    const [user] = await query<{ password_hash: string; is_super_admin: boolean }>(
      "select password_hash, is_super_admin from users where email = 'root@example.test'",
    )
    expect(user?.is_super_admin).toBe(true)
    expect(user?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await verify(user?.password_hash ?? '', 'a-long-enough-password')).toBe(true)
    expect(
      await query("select count(*)::int as mails from mail_messages where recipient = 'root@example.test'"),
    ).toEqual([{ mails: 1 }])
    expect(await create('root@example.test', 'another-password-1\n')).toEqual({
      code: 0,
      output: 'root@example.test is a Super Admin already.\n',
    })
  })

  test.runIf(FULL)('promotes an existing user without changing the password', async () => {
    const file = join(folder, 'person.yaml')
    writeFileSync(file, 'users:\n  - { email: dee@example.test, password: long-enough-1 }\n')
    await runToEnd(['apply', '-f', file], { env })
    const [before] = await query("select password_hash from users where email = 'dee@example.test'")
    expect((await create('dee@example.test', 'a-long-enough-password\n')).output).toContain(
      'the password stays as it was',
    )
    const [after] = await query("select password_hash from users where email = 'dee@example.test'")
    expect(after).toEqual(before)
  })

  test.runIf(FULL).each([
    ['not-an-address', 'a-long-enough-password\n', '"not-an-address" is not an email address.\n'],
    ['x@example.test', 'too-short\n', 'The password must have at least 15 characters.\n'],
    ['x@example.test', '', 'No password was given.\n'],
  ])('refuses %s with %j', async (email, input, output) => {
    expect(await create(email, input)).toEqual({ code: 1, output })
  })
})

describe('latchkey doctor', () => {
  test('shows the configuration with masked secrets, and no problems', async () => {
    const { code, output } = await runToEnd(['doctor', '--demo'], { env: { ...env, PORT: '4321' } })
    expect(output).toMatch(/^ {2}PORT +4321$/m)
    expect(output).toContain('Database: reached')
    expect(output).toContain('All is well.')
    expect(code).toBe(0)
  })

  test.runIf(FULL)('lists all problems without secrets', async () => {
    const { code, output } = await runToEnd(['doctor'], {
      env: {
        DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/x',
        SMTP_URL: 'smtp://me@example.test:hunter@3@127.0.0.1:1',
        LATCHKEY_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('hex'),
        LATCHKEY_DATADIR: '/typo',
      },
    })
    expect(code).toBe(1)
    expect(output).toContain('postgres://me:***@127.0.0.1:1/x')
    expect(output).toContain('Problem: The database of DATABASE_URL cannot be used')
    expect(output).toContain('Problem: The mail server of SMTP_URL does not answer')
    expect(output).toContain('Warning: LATCHKEY_DATADIR is set, but Latchkey knows no such variable.')
    expect(output).toContain('There are 2 problems to fix.')
    expect(output).not.toMatch(/hunter|0909/)
  })
})

describe('latchkey application create', () => {
  const create = (...flags: string[]) => runToEnd(['application', 'create', ...flags], { env })

  test('with a name that is taken says so, and creates another one only when it is told to', async () => {
    expect(await create('--name', 'Reports')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^Application reports is created\./),
    })
    expect(await create('--name', ' reports ')).toEqual({
      code: 1,
      output:
        'There is an application "Reports" (reports) already. Choose another --name, give a --slug, or add --yes.\n',
    })
    expect(await query("select slug from applications where name ilike '%reports%'")).toEqual([{ slug: 'reports' }])
    if (!FULL) return
    expect(await create('--name', 'Reports', '--yes')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^Application reports-[0-9a-f]{6} is created\./),
    })
  })
})

test.runIf(FULL)('latchkey --help lists the commands, and each command has its own help', async () => {
  const { output } = await runToEnd(['--help'])
  for (const name of ['serve', 'demo', 'migrate', 'apply', 'export', 'import', 'admin', 'doctor']) {
    expect(output).toMatch(new RegExp(`^  ${name}\\b`, 'm'))
    expect((await runToEnd([name, '--help'])).output).toContain('Usage: latchkey')
  }
})
