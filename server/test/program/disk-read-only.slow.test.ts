import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { initializedFolder, startDemo } from '../support/demo.ts'
import { mountDisk, mountFailingDisk } from '../support/disks.ts'
import { startOwnPostgres } from '../support/own-postgres.ts'
import { freePort, READY, run, runToEnd, tempFolder } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'
import { signIn } from '../support/world.ts'

const LOST = 'The bundled PostgreSQL'
const UNAVAILABLE = { status: 503, retryAfter: true }

/** Creates tenants with long incompressible names, so that the database files grow. */
function createTenants(url: string, cookie: string) {
  return async () => {
    const response = await fetch(`${url}/api/tenants`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', cookie, origin: url },
      body: JSON.stringify({ name: randomBytes(60).toString('base64url') }),
    })
    return { status: response.status, retryAfter: response.headers.has('retry-after') }
  }
}

test.runIf(FULL)(
  'a data folder on a read-only disk is refused with the reason, and accepted afterwards',
  async ({ skip }) => {
    const disk = mountDisk(400)
    if (disk === undefined) return skip('only root may mount a disk')
    const data = join(await initializedFolder(), 'data')
    execFileSync('cp', ['-a', data, disk])
    execFileSync('mount', ['-o', 'remount,ro', disk])
    const env = { PORT: await freePort(), LATCHKEY_DATA_DIR: join(disk, 'data') }
    const { code, output } = await runToEnd(['demo'], { env })
    expect(code).toBe(1)
    expect(output).toContain('read-only')
    // One message without a stack trace.
    expect(output.trim().split('\n')).toHaveLength(1)
    execFileSync('mount', ['-o', 'remount,rw', disk])
    await startDemo(disk)
  },
)

test.runIf(FULL)(
  'a database disk that becomes read-only causes an outage that ends when it is writable again',
  async ({ skip }) => {
    const disk = mountFailingDisk(400)
    if (disk === undefined) return skip('only root may mount a disk, from a file')
    const database = await startOwnPostgres(() => ({}), disk.folder)
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
    const create = createTenants(url, await signIn(url, 'olivia@acme.test'))
    expect((await create()).status).toBe(201)

    disk.fail()
    for (let time = 0; time < 20; time++) expect(await create()).toEqual(UNAVAILABLE)
    expect((await fetch(`${url}/health/live`)).status).toBe(200)

    await database.kill()
    disk.mend()
    await database.start()
    await expect.poll(async () => (await create()).status, { timeout: 60_000 }).toBe(201)
  },
)

test.runIf(FULL)(
  'a disk of the bundled database that becomes read-only ends the service with a message, and the next start works',
  async ({ skip }) => {
    const disk = mountFailingDisk(400)
    if (disk === undefined) return skip('only root may mount a disk, from a file')
    execFileSync('cp', ['-a', join(await initializedFolder(), 'data'), disk.folder])
    const program = await startDemo(disk.folder)
    const url = `http://localhost:${program.port}`
    const create = createTenants(url, await signIn(url, 'olivia@acme.test'))
    expect((await create()).status).toBe(201)

    disk.fail()
    let ended = false
    void program.exited.then(() => {
      ended = true
    })
    /** The service does not listen any more. */
    const refused = () => UNAVAILABLE
    while (!ended) expect(await create().catch(refused)).toEqual(UNAVAILABLE)
    expect(await program.exited).toMatchObject({ code: 1 })
    expect(program.output()).toContain(LOST)
    expect(program.output()).not.toMatch(/^ +at /m)

    disk.mend()
    const again = await startDemo(disk.folder)
    const cookie = await signIn(`http://localhost:${again.port}`, 'olivia@acme.test')
    expect((await createTenants(`http://localhost:${again.port}`, cookie)()).status).toBe(201)
  },
)
