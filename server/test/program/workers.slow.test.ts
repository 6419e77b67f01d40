import { execFileSync } from 'node:child_process'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { readProcessStart } from '../../src/lib/process-identity.ts'
import { parseExposition, sumSamples } from '../operator/exposition.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { beginDemo, initializedFolder, postmasterOf, waitUntilExited } from '../support/demo.ts'
import { type Connection, openTwoConnections } from '../support/keep-alive-connection.ts'
import { freePort, type Program, READY, run, runToEnd, tempFolder } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'

const READY_LINE = 'worker ready'
const REPLACED = 'worker ended unexpectedly and is replaced'

interface Line {
  pid: number
  pauseMs: number
}

const linesOf = (program: Program, msg: string): Line[] =>
  program
    .output()
    .split('\n')
    .filter((line) => line.includes(`"msg":"${msg}"`))
    .map((line) => JSON.parse(line))

const pidsOf = (program: Program) => linesOf(program, READY_LINE).map(({ pid }) => pid)

const until = (program: Program, msg: string, count: number) =>
  expect.poll(() => linesOf(program, msg).length, { timeout: TIMEOUT_MS }).toBe(count)

const TIMEOUT_MS = 120_000

/** Log lines appear with a delay. */
async function untilBothServe(program: Program): Promise<void> {
  await program.prints(READY, TIMEOUT_MS)
  await vi.waitFor(() => expect(pidsOf(program)).toHaveLength(2), TIMEOUT_MS)
}

/** Starts the demo with two workers on a test database. */
async function startTwo(database: TestDatabase, wrap: string[] = []): Promise<Program & { port: string }> {
  const port = await freePort()
  const env = { PORT: port, WORKERS: '2', DATABASE_URL: database.url }
  const data = { LATCHKEY_DATA_DIR: join(tempFolder(), 'data') }
  const program = run(['demo'], { env: { ...env, ...data }, wrap })
  await untilBothServe(program)
  return { ...program, port }
}

/** Starts the demo with two workers on a bundled database, and stops it after the test. */
async function startBundled(folder: string): Promise<Program & { port: string; env: Record<string, string> }> {
  const port = await freePort()
  const env = { LATCHKEY_DATA_DIR: join(folder, 'data'), WORKERS: '2', PORT: port }
  const program = await beginDemo(folder, { env })
  await untilBothServe(program)
  return { ...program, port, env }
}

async function openBoth(port: string): Promise<[Connection, Connection]> {
  const both = await openTwoConnections(port)
  onTestFinished(() => {
    for (const connection of both) connection.close()
  })
  return both
}

/** A request with a body in two parts and a pause in between. */
async function slowPost(port: string, pauseMs: number): Promise<number> {
  const body = new ReadableStream({
    async start(controller) {
      controller.enqueue(Buffer.from('a'))
      await sleep(pauseMs)
      controller.close()
    },
  })
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit
  return (await fetch(`http://127.0.0.1:${port}/health/live`, init)).status
}

describe('two processes on one port', () => {
  let database: TestDatabase
  let program: Program & { port: string }
  beforeAll(async () => {
    database = await createDatabase()
    // In their own process group.
    program = await startTwo(database, ['setsid'])
  })
  afterAll(async () => {
    program?.child.kill('SIGTERM')
    await program?.exited
    await database?.close()
  })

  test('see a token revoked by the other process within a second', async () => {
    const [one, other] = await openBoth(program.port)
    const MACHINE = { client_id: 'demo-machine', client_secret: 'demo-machine-secret' }
    const issued = await one.send('/api/oauth/token', { grant_type: 'client_credentials', ...MACHINE })
    const token = (JSON.parse(issued.body) as { access_token: string }).access_token
    const authorization = `Basic ${btoa('demo-ops:demo-ops-secret')}`
    const isActive = async (connection: Connection) =>
      JSON.parse((await connection.send('/api/oauth/introspect', { token }, { authorization })).body).active
    // The second result is cached.
    for (let i = 0; i < 2; i++) expect([await isActive(one), await isActive(other)]).toEqual([true, true])
    expect((await one.send('/api/oauth/revoke', { token, ...MACHINE })).status).toBe(200)
    await sleep(1_000)
    expect([await isActive(one), await isActive(other)]).toEqual([false, false])
  })

  test('export the sum of their metrics, which does not decrease when a worker is killed and replaced', async () => {
    const [one, other] = await openBoth(program.port)
    for (let i = 0; i < 5; i++) await one.send('/docs')
    for (let i = 0; i < 7; i++) await other.send('/docs')
    const docs = { route: '/docs', status: '200' }
    const before = parseExposition((await one.send('/metrics')).body)
    expect(sumSamples(before, 'latchkey_http_requests_total', docs)).toBe(12)
    expect(sumSamples(before, 'latchkey_http_request_seconds_count', { route: '/docs' })).toBe(12)
    expect(sumSamples(before, 'latchkey_workers')).toBe(2)
    expect(sumSamples(before, 'latchkey_database_up')).toBe(1)
    expect(sumSamples(before, 'latchkey_signing_keys', { state: 'signing' })).toBe(1)
    expect(sumSamples(before, 'latchkey_database_connections_max')).toBe(20)

    const [first = 0, second] = pidsOf(program)
    process.kill(first, 'SIGKILL')
    await until(program, REPLACED, 1)
    const statuses = new Set<number>()
    while (pidsOf(program).length < 3) {
      statuses.add((await fetch(`http://127.0.0.1:${program.port}/health/ready`)).status)
      await sleep(20)
    }
    expect([...statuses]).toEqual([200])
    expect([first, second]).not.toContain(pidsOf(program)[2])
    const [again] = await openBoth(program.port)
    const after = async () => {
      const samples = parseExposition((await again.send('/metrics')).body)
      return [sumSamples(samples, 'latchkey_http_requests_total', docs), sumSamples(samples, 'latchkey_workers')]
    }
    await expect.poll(after, { interval: 500 }).toEqual([12, 2])
  })

  test.runIf(FULL)('replace a worker that was stopped with SIGTERM', async () => {
    const before = pidsOf(program).length
    process.kill(pidsOf(program).at(-1) ?? 0, 'SIGTERM')
    await until(program, READY_LINE, before + 1)
    expect(linesOf(program, REPLACED).at(-1)).toMatchObject({ code: 0, signal: null })
    await openBoth(program.port)
  })

  test.runIf(FULL)('finish running requests when the process group is stopped, as with Ctrl-C', async () => {
    const replaced = linesOf(program, REPLACED).length
    const slow = Promise.all([1, 2, 3, 4].map(() => slowPost(program.port, 3_500)))
    await sleep(2_000)
    process.kill(-program.pid, 'SIGINT')
    expect(await slow).toEqual([405, 405, 405, 405])
    expect(await program.exited).toEqual({ code: 0, signal: null })
    expect(pidsOf(program).map(readProcessStart)).toEqual(pidsOf(program).map(() => undefined))
    expect(linesOf(program, REPLACED)).toHaveLength(replaced)
  })
})

describe.runIf(FULL)('two processes on a bundled database', () => {
  test('end when the primary is killed, and the next start works and stops cleanly', async () => {
    const folder = await initializedFolder()
    const killed = await startBundled(folder)
    await openBoth(killed.port)
    const orphans = pidsOf(killed)
    expect(new Set([killed.pid, ...orphans]).size).toBe(3)
    killed.child.kill('SIGKILL')
    for (const pid of orphans) await waitUntilExited(pid)

    const program = await startBundled(folder)
    await openBoth(program.port)
    expect((await runToEnd(['client', 'list'], { env: program.env })).output).toContain('demo-machine')
    const pids = [...pidsOf(program), postmasterOf(folder)]
    program.child.kill('SIGTERM')
    expect(await program.exited).toEqual({ code: 0, signal: null })
    expect(pids.map(readProcessStart)).toEqual([undefined, undefined, undefined])
  })

  test('end when the database is killed, and the primary reports it', async () => {
    const folder = await initializedFolder()
    const program = await startBundled(folder)
    process.kill(postmasterOf(folder), 'SIGKILL')
    expect((await program.exited).code).toBe(1)
    expect(program.output()).toContain('The bundled PostgreSQL ended unexpectedly; its log says why.')
    expect(pidsOf(program).map(readProcessStart)).toEqual([undefined, undefined])
  })
})

test.runIf(FULL)('workers that repeatedly end soon after their start are not replaced forever', async () => {
  const database = await createDatabase()
  onTestFinished(database.close)
  const program = await startTwo(database)
  const killing = setInterval(() => {
    for (const pid of childrenOf(program.pid)) killIfRunning(pid)
  }, 50)
  onTestFinished(() => clearInterval(killing))
  expect((await program.exited).code).toBe(1)
  clearInterval(killing)
  expect(program.output()).toContain('The workers repeatedly end soon after their start')
  const pauses = linesOf(program, REPLACED).map(({ pauseMs }) => pauseMs)
  expect(pauses.slice(0, 2)).toEqual([200, 200])
  expect(pauses).toContain(1_600)
})

function childrenOf(pid: number): number[] {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number)
  } catch {
    return []
  }
}

describe('errors are reported once:', () => {
  test.runIf(FULL)('an invalid number of workers', async () => {
    expect(await runToEnd(['demo'], { env: { WORKERS: '0' } })).toEqual({
      code: 1,
      output: 'The configuration is not valid:\n  - WORKERS is "0": it must be a whole number from 1 to 64.\n',
    })
  })

  test.runIf(FULL)('a port in use', async () => {
    const database = await createDatabase()
    const port = await freePort()
    const squatter = createServer()
    await new Promise<void>((resolve) => squatter.listen(Number(port), '127.0.0.1', resolve))
    const env = { PORT: port, HOST: '127.0.0.1', WORKERS: '2', DATABASE_URL: database.url }
    const quiet = { LOG_LEVEL: 'silent', LATCHKEY_DATA_DIR: join(tempFolder(), 'data') }
    const { code, output } = await runToEnd(['demo'], { env: { ...env, ...quiet } })
    squatter.close()
    await database.close()
    expect(code).toBe(1)
    expect(output).toBe(
      `Latchkey cannot listen on 127.0.0.1:${port}: another program uses that port. ` +
        'Stop it, or choose another with PORT.\n',
    )
  })
})

/** The process may have ended in the meantime. */
function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    expect(error).toMatchObject({ code: 'ESRCH' })
  }
}
