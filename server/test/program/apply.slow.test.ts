import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, openTestPool, type TestDatabase } from '../support/database.ts'
import { run, runToEnd, tempFolder } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'

const TIMEOUT_MS = 240_000
const folder = tempFolder()
const file = join(folder, 'declaration.yaml')
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

const apply = (yaml: string, flags: string[] = [], more: Record<string, string> = {}) => {
  writeFileSync(file, yaml)
  return runToEnd(['apply', '-f', file, ...flags], { env: { ...env, ...more } })
}
const slugs = async () =>
  (await pool.query('select slug from applications where not built_in order by slug')).rows.map(({ slug }) => slug)

test.runIf(FULL)(
  'latchkey apply keeps undeclared resources, and deletes them with --prune',
  async () => {
    await apply('applications: [{ slug: one, name: One }, { slug: two, name: Two }]')
    const kept = await apply('applications: [{ slug: one, name: One }]')
    expect(kept).toEqual({
      code: 0,
      output:
        '  = application two: not declared, kept\nNothing to change.\n' +
        '1 object is not declared and kept. To delete what is not declared: --prune.\n',
    })
    expect(await slugs()).toEqual(['one', 'two'])
    expect((await apply('applications: [{ slug: one, name: One }]', ['--prune'])).output).toBe(
      '  - application two\n0 to create, 0 to change, 1 to delete.\nApplied.\n',
    )
    expect(await slugs()).toEqual(['one'])
  },
  TIMEOUT_MS,
)

test(
  'latchkey apply -f - reads the declaration from standard input, and names it in errors',
  async () => {
    const fromInput = (input: string) => runToEnd(['apply', '-f', '-'], { env, input })
    expect((await fromInput('applications: [{ slug: piped, name: Piped }]')).output).toContain('Applied.')
    expect(await slugs()).toContain('piped')
    const { code, output } = await fromInput('applications: [{ slug: piped }')
    expect({ code, output }).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^Standard input is not valid YAML/),
    })
    if (FULL) expect((await apply('applications: []', ['--prune'])).code).toBe(0)
  },
  TIMEOUT_MS,
)

test.runIf(FULL).each(['SIGINT', 'SIGTERM'] as const)(
  'latchkey apply that is stopped by %s changes nothing',
  async (signal) => {
    const before = await slugs()
    const other = await pool.connect()
    await other.query('begin')
    // The command waits for this lock.
    await other.query('lock table applications in exclusive mode')
    writeFileSync(file, 'applications: [{ slug: one, name: One }, { slug: late, name: Late }]')
    const program = run(['apply', '-f', file], { env })
    const waiting = async () =>
      (await pool.query("select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"))
        .rowCount
    await expect.poll(waiting, { timeout: TIMEOUT_MS, interval: 20 }).toBe(1)
    program.child.kill(signal)
    // The signal must arrive before the lock is released.
    await sleep(1_000)
    await other.query('rollback')
    other.release()
    expect(await program.exited).toMatchObject({ code: 1 })
    expect(program.output()).toMatch(new RegExp(`Stopped by ${signal}\\.\n$`))
    expect(program.output()).not.toContain('Applied.')
    expect(await slugs()).toEqual(before)
  },
  TIMEOUT_MS,
)

const OPS = `
applications: [{ slug: one, name: One }]
clients: [{ clientId: env-ops, application: one, kind: MACHINE, name: Ops, secret: SECRET }]
`

test.runIf(FULL)(
  'in production a secret in the file causes a warning, and one from the environment is never printed',
  async () => {
    const production = { LATCHKEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
    const secret = randomBytes(24).toString('hex')
    const plain = await apply(OPS.replace('SECRET', secret), ['--dry-run'], production)
    expect(plain.output).toContain('Warning: clients.0.secret: the file contains a secret in plain text.')
    const byName = OPS.replace('SECRET', `"\${env:OPS_SECRET}"`)
    const short = await apply(byName, [], { ...production, OPS_SECRET: 'shorter' })
    expect([short.code, short.output]).toEqual([1, expect.stringContaining('secret must have 32 to 256')])
    const done = await apply(byName, [], { ...production, OPS_SECRET: secret })
    expect(done.code).toBe(0)
    expect(done.output).not.toContain('Warning')
    for (const { output } of [plain, short, done]) expect(output).not.toMatch(new RegExp(`${secret}|shorter`))
  },
  TIMEOUT_MS,
)

const LATCHKEY = fileURLToPath(new URL('../../bin/latchkey.js', import.meta.url))

/** Runs the command on a pseudo terminal of `script` and types the answer to its question. */
async function onTerminal(args: string[], answer: string): Promise<string> {
  const command = [process.execPath, LATCHKEY, ...args].join(' ')
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm', ...env },
  })
  let output = ''
  let asked = false
  child.stdout.on('data', (chunk) => {
    output += chunk
    if (!asked && output.includes('[y/N]')) child.stdin.write(answer)
    asked = output.includes('[y/N]')
  })
  await once(child, 'close')
  return output
}

test.runIf(FULL && existsSync('/usr/bin/script'))(
  'latchkey apply on a terminal asks for confirmation, and changes nothing unless the answer is yes',
  async () => {
    writeFileSync(file, 'applications: [{ slug: one, name: One }, { slug: asked, name: Asked }]')
    const no = await onTerminal(['apply', '-f', file], '\n')
    expect(no).toContain('\u001b[32m+ application asked\u001b[0m')
    expect(no).toContain('Make these changes? [y/N]')
    expect(no).toContain('Nothing was changed.')
    expect(await slugs()).toEqual(['one'])
    expect(await onTerminal(['apply', '-f', file], 'yes\n')).toContain('Applied.')
    expect(await slugs()).toEqual(['asked', 'one'])
  },
  TIMEOUT_MS,
)

test.runIf(FULL)(
  'latchkey export writes a file that only its owner can read, and applying it changes nothing',
  async () => {
    const target = join(folder, 'export.yaml')
    const trap = join(folder, 'trap')
    symlinkSync(trap, `${target}.part`)
    expect(await runToEnd(['export', '-f', target, '--sections', 'applications,clients'], { env })).toEqual({
      code: 0,
      output: '',
    })
    expect(statSync(target).mode & 0o777).toBe(0o600)
    expect(existsSync(trap)).toBe(false)
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual(['export.yaml.part'])
    const text = readFileSync(target, 'utf8')
    expect(text).toMatch(/^# The content of this instance[\s\S]*\napplications:\n {2}- slug: asked\n/)
    expect(text).not.toContain('users:')
    expect(await apply(text, ['--prune'])).toEqual({ code: 0, output: 'Nothing to change.\n' })
    expect((await runToEnd(['export', '--sections', 'people'], { env })).output).toContain(
      'There is no section "people".',
    )
    expect((await runToEnd(['export', '-f', '/nowhere/x.yaml'], { env })).output).toBe(
      '/nowhere/x.yaml cannot be written: there is no such folder.\n',
    )
  },
  TIMEOUT_MS,
)
