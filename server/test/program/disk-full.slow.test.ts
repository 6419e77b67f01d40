import { randomBytes } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mountDisk } from '../support/disks.ts'
import { startOwnPostgres } from '../support/own-postgres.ts'
import { freePort, READY, run, tempFolder } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'
import { signIn } from '../support/world.ts'

const MEBIBYTE = 2 ** 20

test.runIf(FULL)(
  'a full disk of the database causes an outage that ends when there is space again',
  async ({ skip }) => {
    const disk = mountDisk(160)
    if (disk === undefined) return skip('only root may mount a small disk')
    const database = await startOwnPostgres(() => ({ min_wal_size: '32MB', max_wal_size: '48MB' }), disk)
    onTestFinished(database.stop)
    const port = await freePort()
    const env = { PORT: port, DATABASE_URL: database.url, LATCHKEY_DATA_DIR: join(tempFolder(), 'data') }
    const program = run(['demo'], { env })
    onTestFinished(async () => {
      program.child.kill('SIGTERM')
      await program.exited
    })
    await program.prints(READY)
    const url = `http://localhost:${port}`
    const cookie = await signIn(url, 'olivia@acme.test')

    const create = async () => {
      const response = await fetch(`${url}/api/tenants`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', cookie, origin: url },
        // A long incompressible name, so that the write-ahead log grows.
        body: JSON.stringify({ name: randomBytes(60).toString('base64url') }),
      })
      return { status: response.status, retryAfter: response.headers.get('retry-after') }
    }
    expect((await create()).status).toBe(201)
    const filler = join(disk, 'filler')
    fill(filler)
    const refused = new Set<string>()
    await expect
      .poll(
        async () => {
          const { status, retryAfter } = await create()
          if (status !== 201) refused.add(`${status} ${retryAfter !== null}`)
          return refused.size
        },
        { timeout: 120_000, interval: 5 },
      )
      .toBeGreaterThan(0)
    expect([...refused]).toEqual(['503 true'])
    expect((await fetch(`${url}/health/live`)).status).toBe(200)

    rmSync(filler)
    await database.start()
    await expect.poll(async () => (await create()).status, { timeout: 60_000 }).toBe(201)
  },
)

function fill(file: string): void {
  const block = Buffer.alloc(MEBIBYTE)
  try {
    for (;;) writeFileSync(file, block, { flag: 'a' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
