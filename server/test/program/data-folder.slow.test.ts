import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  clusterOf,
  initializedFolder,
  isRoot,
  NOBODY,
  newFolder,
  pidFileOf,
  postmasterOf,
  removeAfterTest,
  startDemo,
} from '../support/demo.ts'
import { freePort, runToEnd } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'

/** Root keeps the folder. The PostgreSQL user owns only its cluster, so that it cannot place a symbolic link elsewhere. */
function expectOwnership(home: string): void {
  expect(statSync(home)).toMatchObject({ uid: 0 })
  expect(statSync(home).mode & 0o777).toBe(0o711)
  expect(statSync(join(home, 'cluster'))).toMatchObject({ uid: NOBODY })
  expect(statSync(join(home, 'cluster')).mode & 0o777).toBe(0o700)
  expect(statSync(join(home, 'postgres.log'))).toMatchObject({ uid: 0 })
}

/** Root in a container may lack the permission. */
function canMount(): boolean {
  return isRoot && spawnSync('unshare', ['--mount', 'true']).status === 0
}

describe('the data folder', () => {
  test.runIf(FULL)('of another major version is refused with instructions, and not changed', async () => {
    const folder = await initializedFolder()
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

  test.runIf(FULL && isRoot)('below a 0700 folder of root is moved to where PostgreSQL can access it', async () => {
    const folder = newFolder()
    chmodSync(folder, 0o700)
    await startDemo(folder)
    const link = join(folder, 'data', 'postgres')
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    const home = realpathSync(link)
    removeAfterTest(home)
    expect(home).toMatch(/^\/var\/lib\/latchkey\/db-/)
    expectOwnership(home)
  })

  test.runIf(FULL && isRoot)('of an ordinary user is accessible to that user only', async () => {
    const folder = newFolder()
    chownSync(folder, NOBODY, NOBODY)
    chmodSync(folder, 0o700)
    const program = await startDemo(folder, { uid: NOBODY })
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700)
    expect(statSync(`/proc/${postmasterOf(folder)}`).uid).toBe(NOBODY)
    program.child.kill('SIGTERM')
    expect((await program.exited).code).toBe(0)
  })

  test.runIf(FULL && isRoot)('of one user is refused to another, including root', async () => {
    const ofUser = newFolder()
    chownSync(ofUser, NOBODY, NOBODY)
    const program = await startDemo(ofUser, { uid: NOBODY })
    program.child.kill('SIGTERM')
    await program.exited
    const ofRoot = newFolder()
    const other = await startDemo(ofRoot)
    other.child.kill('SIGTERM')
    await other.exited
    expectOwnership(realpathSync(join(ofRoot, 'data', 'postgres')))
    await expectRefusal(ofUser, undefined, /belongs to another user \(uid 65534\)/)
    await expectRefusal(ofRoot, NOBODY, /belongs to another user \(uid 0\)/)
    expect(existsSync(join(ofUser, 'data', 'encryption.key'))).toBe(true)
    expect(statSync(join(ofUser, 'data', 'encryption.key')).uid).toBe(NOBODY)
  })

  test.runIf(FULL)('with a dangling link is refused with instructions', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'data'))
    symlinkSync('/nowhere/at/all', join(folder, 'data', 'postgres'))
    await expectRefusal(folder, undefined, /is a link to a database that is no longer there/)
  })

  test.runIf(FULL)('with spaces, quotes, commas and accents in its name works', async () => {
    await startDemo(join(newFolder(), 'Ada\'s "own", größer = 100 %'))
  })

  test.runIf(FULL)('of a user with a restrictive umask is not moved', async () => {
    const folder = newFolder()
    await startDemo(folder, { wrap: ['sh', '-c', 'umask 077 && exec "$@"', 'sh'] })
    expect(lstatSync(join(folder, 'data', 'postgres')).isDirectory()).toBe(true)
  })

  test.runIf(FULL)('with a very long path still gets a socket', async () => {
    const folder = join(newFolder(), 'x'.repeat(90))
    await startDemo(folder)
    expect(pidFileOf(folder)[4]).toMatch(/^\/tmp\/latchkey-/)
  })

  const expectRefusal = async (folder: string, uid: number | undefined, reason: RegExp) => {
    const env = { PORT: await freePort(), LATCHKEY_DATA_DIR: join(folder, 'data') }
    const { code, output } = await runToEnd(['demo'], { env, ...(uid !== undefined && { uid }) })
    expect(code).toBe(1)
    expect(output).toMatch(reason)
    expect(output.trimEnd().split('\n')).toHaveLength(1)
  }

  test.runIf(FULL)('without write permission gives one clear message', async () => {
    const folder = newFolder()
    chmodSync(folder, 0o555)
    await expectRefusal(folder, isRoot ? NOBODY : undefined, /data cannot be used: permission denied/)
  })

  test.runIf(FULL && canMount())('on a read-only file system gives one clear message', async () => {
    const folder = newFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', folder])
    await expectRefusal(folder, undefined, /read-only/).finally(() => execFileSync('umount', [folder]))
  })

  test.runIf(canMount())('on a full disk gives one clear message', async () => {
    const folder = newFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=10m,mode=711', 'tmpfs', folder])
    await expectRefusal(folder, undefined, /No space left on device/).finally(() => execFileSync('umount', [folder]))
  })

  test.runIf(FULL && canMount())(
    'on a disk that fills during the first start gives one clear message and leaves no process',
    async () => {
      const folder = newFolder()
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=40m,mode=711', 'tmpfs', folder])
      await expectRefusal(folder, undefined, /No space left on device/).finally(() => execFileSync('umount', [folder]))
    },
  )
})
