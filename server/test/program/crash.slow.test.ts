import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readProcessStart } from '../../src/lib/process-identity.ts'
import {
  clusterOf,
  connectTo,
  initializedFolder,
  isRoot,
  NOBODY,
  postmasterOf,
  startDemo,
  waitUntilExited,
} from '../support/demo.ts'
import { FULL, rounds } from '../support/rounds.ts'

describe('after a crash', () => {
  test('the next start recovers automatically with every acknowledged write, repeatedly', async () => {
    const folder = await initializedFolder()
    let written = 0
    for (const round of rounds(10)) {
      const program = await startDemo(folder)
      const postmaster = postmasterOf(folder)
      const client = await connectTo(folder)
      await client.query('create table if not exists marks (n int primary key)')
      const { rows } = await client.query<{ count: number; top: number | null }>(
        'select count(*)::int as count, max(n) as top from marks',
      )
      // An unacknowledged write may be lost, an acknowledged one must not.
      expect(rows[0]?.count).toBeGreaterThanOrEqual(written)
      expect(rows[0]?.count).toBe(rows[0]?.top ?? 0)
      written = rows[0]?.count ?? 0
      const crash = () => {
        // Half of the rounds leave an orphaned server, half only a stale pid file.
        program.child.kill('SIGKILL')
        if (round % 2 === 0) process.kill(postmaster, 'SIGKILL')
        else setTimeout(() => client.end(), 50)
      }
      try {
        for (let count = 0; ; count++) {
          await client.query('insert into marks values ($1)', [written + 1])
          written++
          if (count === 1) setTimeout(crash, 50)
        }
      } catch {
        await program.exited
      }
    }
    expect(written).toBeGreaterThan(rounds(10).length)
  })

  test.runIf(FULL)('a stale pid file with the pid of another process is ignored', async () => {
    const folder = await initializedFolder()
    const first = await startDemo(folder)
    const pidFile = join(clusterOf(folder), 'postmaster.pid')
    const content = readFileSync(pidFile, 'utf8')
    first.child.kill('SIGTERM')
    await first.exited
    writeFileSync(pidFile, content.replace(/^\d+/, String(process.pid)))
    if (isRoot) chownSync(pidFile, NOBODY, NOBODY)
    await startDemo(folder)
  })

  test.runIf(FULL)('an incomplete database is created again', async () => {
    const folder = await initializedFolder()
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

  test.runIf(FULL)('an orphaned server is replaced, and a stop after the recovery leaves no process', async () => {
    const folder = await initializedFolder()
    const first = await startDemo(folder)
    const orphan = postmasterOf(folder)
    first.child.kill('SIGKILL')
    await first.exited
    expect(readProcessStart(orphan)).toBeDefined()
    const second = await startDemo(folder)
    await waitUntilExited(orphan)
    const own = postmasterOf(folder)
    second.child.kill('SIGTERM')
    expect(await second.exited).toEqual({ code: 0, signal: null })
    await waitUntilExited(own)
  })
})
