import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readProcessStart } from '../../src/lib/process-identity.ts'
import { createDatabase, TEMPLATES } from '../support/database.ts'
import { initializedFolder, startDemo } from '../support/demo.ts'
import { eventually } from '../support/eventually.ts'
import { freePort, type Program, run, runToEnd, tempFolder } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'
import { listTestFolders, startTestMode, type TestMode, testModeEnv } from '../support/test-mode.ts'

const ROUTES = [
  ['GET', '/test/clock'],
  ['POST', '/test/clock'],
  ['DELETE', '/test/clock'],
  ['GET', '/test/faults'],
  ['POST', '/test/faults'],
  ['DELETE', '/test/faults'],
  ['POST', '/test/seed'],
  ['POST', '/test/reset'],
] as const

/** Variables that somebody could hope to enable test mode with. */
const HOPEFUL = { LATCHKEY_TEST: '1', LATCHKEY_TEST_MODE: 'true', TEST: 'true', NODE_ENV: 'test' }

async function statusesAt(url: string): Promise<number[]> {
  const headers = { 'Content-Type': 'application/json' }
  const responses = ROUTES.map(([method, path]) =>
    fetch(url + path, method === 'POST' ? { method, headers, body: '{}' } : { method }),
  )
  return (await Promise.all(responses)).map(({ status }) => status)
}

/** The folders of a program. */
const foldersOf = ({ pid }: Program) => {
  const own = new RegExp(`^run-\\d*-${pid}-`)
  return listTestFolders().filter((name) => own.test(name))
}

describe('a start after a killed one, with the environment of a production instance', () => {
  const dataDir = join(tempFolder(), 'data')
  const PRODUCTION = {
    DATABASE_URL: 'postgres://127.0.0.1:1/production',
    SMTP_URL: 'smtp://127.0.0.1:1',
    LATCHKEY_DATA_DIR: dataDir,
    LATCHKEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  }
  let left: { folder: string; postmaster: number }
  let testMode: TestMode
  let stdout = ''
  beforeAll(async () => {
    const killed = await startTestMode()
    const [folder = ''] = foldersOf(killed.program)
    const root = join(testModeEnv().TMPDIR, `latchkey-test-${process.getuid?.() ?? 0}`)
    const pidFile = readFileSync(join(root, folder, 'postgres/cluster/postmaster.pid'), 'utf8')
    left = { folder, postmaster: Number.parseInt(pidFile, 10) }
    killed.program.child.kill('SIGKILL')
    await killed.program.exited
    testMode = await startTestMode([], PRODUCTION, (program) => {
      program.child.stdout?.on('data', (chunk) => {
        stdout += chunk
      })
    })
  })
  afterAll(() => testMode?.stop())

  test('removes what the killed one has left', () => {
    expect(left.folder).not.toBe('')
    expect(listTestFolders()).not.toContain(left.folder)
    expect(readProcessStart(left.postmaster)).toBeUndefined()
  })

  test('does not use the database, the mail server and the data folder of the environment', async () => {
    await testMode.post('/api/auth/register', { email: 'new@x.test', password: 'correct horse battery' })
    expect(await testMode.get('/dev/mailbox/messages?to=new@x.test')).toHaveLength(1)
    expect(() => readdirSync(dataDir)).toThrow('ENOENT')
  })

  test('prints the address as the first line of the output, and its end removes the data', async () => {
    const { program } = testMode
    const { baseUrl } = JSON.parse(stdout) as { baseUrl: string }
    expect(baseUrl).toMatch(/^http:\/\/localhost:\d+$/)
    const discovery = await fetch(`${baseUrl}/.well-known/openid-configuration`)
    expect(await discovery.json()).toMatchObject({ issuer: baseUrl })
    expect(foldersOf(program)).toHaveLength(1)
    program.child.kill('SIGTERM')
    expect(await program.exited).toEqual({ code: 0, signal: null })
    expect(foldersOf(program)).toEqual([])
    expect(stdout.split('\n')).toHaveLength(2)
  })
})

test.runIf(FULL)('without --json the first line is a sentence with the address', async () => {
  const program = run(['demo', '--test'], { env: testModeEnv() })
  await program.prints('latchkey-demo-2026')
  expect(program.output().split('\n')[0]).toMatch(/^Latchkey is ready at http:\/\/localhost:\d+$/)
  program.child.kill('SIGTERM')
  await program.exited
})

test.runIf(FULL)('several instances run at the same time, from one prepared folder', async () => {
  const [one, other] = await Promise.all([startTestMode(), startTestMode()])
  expect(one.url).not.toBe(other.url)
  expect(listTestFolders().filter((name) => /^prepared-\w+$/.test(name))).toHaveLength(1)
  await one.post('/test/clock', { now: '2027-01-01T00:00:00Z', frozen: true })
  expect(await other.get('/test/clock')).toMatchObject({ frozen: false })
  await Promise.all([one.stop(), other.stop()])
})

test.runIf(FULL)('PORT and BASE_URL are used if they are set', async () => {
  const port = await freePort()
  const { url, get, stop } = await startTestMode([], { PORT: port, BASE_URL: `http://127.0.0.1:${port}` })
  expect(url).toBe(`http://127.0.0.1:${port}`)
  expect(await get('/health/ready')).toEqual({ status: 'ok' })
  const second = await runToEnd(['demo', '--test'], { env: { ...testModeEnv(), PORT: port } })
  expect(second).toEqual({ code: 1, output: expect.stringContaining('another program uses that port') })
  await stop()
})

test('a request that arrives during the start is answered when the service is ready', async () => {
  const port = await freePort()
  const program = run(['demo', '--test'], { env: { ...testModeEnv(), PORT: port } })
  const health = `http://127.0.0.1:${port}/health/ready`
  const askOnce = () => fetch(health, { signal: AbortSignal.timeout(60_000) }).catch(() => undefined)
  expect((await eventually(askOnce)).status).toBe(200)
  program.child.kill('SIGTERM')
  await program.exited
})

test.runIf(FULL)('resets do not use up memory', async () => {
  const { post, stop, program } = await startTestMode([], { NODE_OPTIONS: '--max-old-space-size=128' })
  for (let round = 0; round < 100; round++) await post('/test/reset')
  expect(program.output()).not.toContain('FATAL ERROR')
  await stop()
})

test('serve refuses --test, and the demo refuses its options without it', async () => {
  const production = { LATCHKEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'), PORT: await freePort() }
  const refusal = await runToEnd(['serve', '--test'], { env: production })
  expect(refusal).toEqual({
    code: 1,
    output:
      'Test mode is not for production: anybody can move its clock and delete its data. ' +
      'For tests, run: latchkey demo --test\n',
  })
  const seed = await runToEnd(['demo', '--seed', '42'])
  expect(seed).toEqual({ code: 1, output: '--seed and --json are for test mode: add --test.\n' })
  const notANumber = await runToEnd(['demo', '--test', '--seed', 'x'])
  expect(notANumber.code).toBe(1)
  expect(notANumber.output).toContain('It must be a whole number from 0 to 2147483647.')
})

test.runIf(FULL)('the plain demo has no route of test mode, whatever the environment says', async () => {
  const folder = await initializedFolder()
  const port = await freePort()
  const env = { ...HOPEFUL, PORT: port, LATCHKEY_DATA_DIR: join(folder, 'data'), PASSWORD_HASH_MEMORY_MIB: '1' }
  await startDemo(folder, { env })
  expect(await statusesAt(`http://localhost:${port}`)).toEqual(ROUTES.map(() => 404))
})

test('serve has no route of test mode, whatever the environment says', async () => {
  const database = await createDatabase(TEMPLATES.migrated)
  const port = await freePort()
  const env = {
    ...HOPEFUL,
    PORT: port,
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    LATCHKEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    LATCHKEY_DATA_DIR: join(tempFolder(), 'data'),
  }
  const program = run(['serve'], { env })
  await program.prints('"ready"')
  expect(await statusesAt(`http://127.0.0.1:${port}`)).toEqual(ROUTES.map(() => 404))
  program.child.kill('SIGTERM')
  await program.exited
  await database.close()
})

test('only the command "demo --test" leads to test mode', () => {
  const root = fileURLToPath(new URL('../../src/', import.meta.url))
  const importing = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith('test-mode/'))
    .filter((file) => /['/]test-mode[/.]/.test(readFileSync(join(root, file), 'utf8')))
  expect(importing.sort()).toEqual(['cli/demo.ts', 'cli/test-mode.ts'])
})
