import { statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { readProcessStart } from '../../src/lib/process-identity.ts'
import {
  beginDemo,
  connectTo,
  initializedFolder,
  isRoot,
  newFolder,
  pidFileOf,
  postmasterOf,
  startDemo,
  waitUntilExited,
} from '../support/demo.ts'
import { freePort, READY, run, runToEnd } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'

type Demo = Awaited<ReturnType<typeof beginDemo>>

const untilItResponds = ({ port }: Demo) =>
  expect
    .poll(
      () =>
        fetch(`http://127.0.0.1:${port}/health/live`).then(
          ({ status }) => status,
          () => undefined,
        ),
      { interval: 2, timeout: 60_000 },
    )
    .toBe(200)

describe('the bundled PostgreSQL', () => {
  test.runIf(FULL)('is durable, has no TCP port and has a private socket', async () => {
    const folder = newFolder()
    await startDemo(folder)
    const client = await connectTo(folder)
    const { rows } = await client.query(
      `select name, setting from pg_settings
       where name in ('listen_addresses', 'fsync', 'synchronous_commit', 'full_page_writes') order by name`,
    )
    await client.end()
    expect(rows).toEqual([
      { name: 'fsync', setting: 'on' },
      { name: 'full_page_writes', setting: 'on' },
      { name: 'listen_addresses', setting: '' },
      { name: 'synchronous_commit', setting: 'on' },
    ])
    expect(statSync(pidFileOf(folder)[4] ?? '').mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'data', 'encryption.key')).mode & 0o777).toBe(0o600)
  })

  test.runIf(FULL)('stops with the service, and keeps its data', async () => {
    const folder = await initializedFolder()
    const first = await startDemo(folder)
    const postmaster = postmasterOf(folder)
    first.child.kill('SIGTERM')
    expect(await first.exited).toEqual({ code: 0, signal: null })
    expect(readProcessStart(postmaster)).toBeUndefined()
    await startDemo(folder)
    const client = await connectTo(folder)
    const { rows } = await client.query('select count(*)::int as users from users')
    await client.end()
    expect(rows).toEqual([{ users: 6 }])
  })

  test.runIf(FULL)('refuses a second service, and the first one continues', async () => {
    const folder = await initializedFolder()
    const first = await startDemo(folder)
    const env = { PORT: await freePort(), LATCHKEY_DATA_DIR: join(folder, 'data') }
    const second = await runToEnd(['demo'], { env })
    expect(second.code).toBe(1)
    expect(second.output).toBe(
      `Another Latchkey (pid ${first.pid}) is already running on the data folder ${join(folder, 'data')}. ` +
        'Stop it first, or choose another folder with LATCHKEY_DATA_DIR.\n',
    )
    expect((await fetch(`http://127.0.0.1:${first.port}/health/ready`)).status).toBe(200)
  })

  test.runIf(FULL)('is used by exactly one of four services that start at the same time', async () => {
    const folder = newFolder()
    const started = await Promise.all(
      Array.from({ length: 4 }, async () =>
        run(['demo'], { env: { PORT: await freePort(), LATCHKEY_DATA_DIR: join(folder, 'data') } }),
      ),
    )
    onTestFinished(async () => {
      for (const program of started) program.child.kill('SIGTERM')
      await Promise.all(started.map((program) => program.exited))
    })
    await expect.poll(() => started.filter((program) => program.child.exitCode === 1).length).toBe(3)
    const winners = started.filter((program) => program.child.exitCode === null)
    expect(winners).toHaveLength(1)
    await winners[0]?.prints(READY)
  })

  test.runIf(FULL)('ends with a service that gets a signal twice, as from npm and the terminal', async () => {
    const folder = await initializedFolder()
    const program = await startDemo(folder)
    const postmaster = postmasterOf(folder)
    program.child.kill('SIGINT')
    program.child.kill('SIGINT')
    expect(await program.exited).toEqual({ code: 0, signal: null })
    await waitUntilExited(postmaster)
  })

  test.runIf(FULL).each(['SIGTERM', 'SIGHUP'] as const)(
    'ends with a service that gets %s while it starts',
    async (signal) => {
      const folder = newFolder()
      const program = await beginDemo(folder)
      await vi.waitFor(() => postmasterOf(folder), { timeout: 30_000, interval: 5 })
      const postmaster = postmasterOf(folder)
      program.child.kill(signal)
      expect(await program.exited).toEqual({ code: 0, signal: null })
      await waitUntilExited(postmaster)
    },
  )

  test.runIf(FULL).each([
    ['is ready', (program: Demo) => program.prints(READY)],
    ['responds, but has not reported that it is ready', untilItResponds],
  ])('is monitored: a service that %s reports it and ends when its database is killed', async (_, waitUntil) => {
    const folder = newFolder()
    const program = await beginDemo(folder)
    await waitUntil(program)
    process.kill(postmasterOf(folder), 'SIGKILL')
    expect((await program.exited).code).toBe(1)
    expect(program.output()).toMatch(/^The bundled PostgreSQL ended unexpectedly; its log says why\.\n/m)
    expect(program.output()).not.toMatch(/\n\s+at /)
  })

  test.runIf(FULL)('runs commands one after the other without a service', async () => {
    const folder = newFolder()
    const env = { LATCHKEY_DATA_DIR: join(folder, 'data') }
    const results = await Promise.all(Array.from({ length: 3 }, () => runToEnd(['migrate'], { env })))
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0])
  })

  test.runIf(FULL && isRoot)(
    'is recognized by root without the right to inspect processes of other users',
    async () => {
      const folder = await initializedFolder()
      const wrap = ['setpriv', '--bounding-set', '-sys_ptrace']
      const program = await startDemo(folder, { wrap })
      const env = { LATCHKEY_DATA_DIR: join(folder, 'data') }
      expect(await runToEnd(['migrate'], { env, wrap })).toEqual({
        code: 0,
        output: 'The database is up to date.\n',
      })
      const second = await runToEnd(['demo'], { env: { ...env, PORT: await freePort() }, wrap })
      expect(second.output).toContain(`Another Latchkey (pid ${program.pid}) is already running`)
      expect((await fetch(`http://127.0.0.1:${program.port}/health/ready`)).status).toBe(200)
    },
  )

  test.runIf(FULL && isRoot)('is recognized from another container on the same volume', async () => {
    const folder = await initializedFolder()
    await startDemo(folder)
    const env = { PORT: await freePort(), LATCHKEY_DATA_DIR: join(folder, 'data') }
    const wrap = ['unshare', '--pid', '--ipc', '--fork', '--mount-proc']
    const { code, output } = await runToEnd(['demo'], { env, wrap })
    expect(code).toBe(1)
    expect(output).toContain('A PostgreSQL that this Latchkey did not start is running on the data folder')
  })

  test.runIf(FULL)('is shared by commands and the running service', async () => {
    const folder = await initializedFolder()
    await startDemo(folder)
    const env = { LATCHKEY_DATA_DIR: join(folder, 'data') }
    expect(await runToEnd(['migrate'], { env })).toEqual({ code: 0, output: 'The database is up to date.\n' })
  })
})
