import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { call } from '../account/people.ts'
import { createInstanceHook, DECLARATION } from '../events/instance.ts'
import { tenantNamesIn } from '../events/world.ts'
import { startOwnPostgres } from '../support/own-postgres.ts'
import { freePort, run, runToEnd, tempFolder } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { FULL, rounds } from '../support/rounds.ts'
import { startMailserver } from '../support/smtp.ts'
import { signIn } from '../support/world.ts'

// The service survives a killed database: no process ends, and all acknowledged work is done.

const HAPROXY_ENV = { PATH: `${process.env.PATH}:/usr/sbin` }
const hasHaproxy = spawnSync('haproxy', ['-v'], { env: HAPROXY_ENV }).status === 0
const OUTAGE_MS = FULL ? 4_000 : 1_500
// Each kill interrupts all of the work at another moment.
const KILLS = rounds(5)
const CLIENTS = 4
const PAUSE_MS = 40

interface Setup {
  name: string
  WORKERS: string
  /** The service reaches its database through haproxy. */
  isBehindProxy?: boolean
}

const SETUPS: Setup[] = [
  { name: 'one process', WORKERS: '1' },
  { name: 'two processes', WORKERS: '2' },
  ...(hasHaproxy ? [{ name: 'one process behind haproxy', WORKERS: '1', isBehindProxy: true }] : []),
]

if (FULL && !hasHaproxy) test.skip('one process behind haproxy: haproxy is not installed')

test.runIf(FULL).each(SETUPS)(
  'no process ends when PostgreSQL is killed during jobs, webhooks and mail, and all of them complete: $name',
  async ({ WORKERS, isBehindProxy = false }) => {
    const database = await startOwnPostgres()
    onTestFinished(database.stop)
    const databaseUrl = isBehindProxy ? await startHaproxy(database.url) : database.url
    const [mailserver, receiver] = [await startMailserver(), await startReceiver()]
    onTestFinished(mailserver.close)
    onTestFinished(receiver.close)
    const folder = tempFolder()
    const PORT = await freePort()
    const url = `http://127.0.0.1:${PORT}`
    const env = {
      HOST: '127.0.0.1',
      PORT,
      BASE_URL: url,
      WORKERS,
      DATABASE_URL: databaseUrl,
      SMTP_URL: mailserver.url,
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      LATCHKEY_DATA_DIR: join(folder, 'data'),
      LATCHKEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    }
    const declaration = join(folder, 'declaration.yaml')
    writeFileSync(declaration, DECLARATION)
    expect(await runToEnd(['apply', '-f', declaration], { env })).toMatchObject({ code: 0 })
    const program = run(['serve'], { env })
    onTestFinished(async () => {
      program.child.kill('SIGTERM')
      await program.exited
    })
    let ended = false
    void program.exited.then(() => {
      ended = true
    })
    await program.prints('"msg":"ready"')
    const cookie = await signIn(url, 'owner@events.test')
    await createInstanceHook(url, receiver.url)
    const tenants = await inDatabase(database.url, 'select id from tenants order by id')

    const [invited, renamed] = [[] as string[], [] as string[]]
    let working = true
    let count = 0
    const work = async () => {
      while (working) {
        const number = count++
        const tenant = `${url}/api/tenants/${tenants[number % tenants.length]?.id}`
        const asOwner = { headers: { cookie, origin: url } }
        const email = `guest-${number}@people.test`
        const invitation = { ...asOwner, method: 'POST', body: { email, role: 'member' } }
        const name = `Name ${number}`
        const change = { ...asOwner, method: 'PATCH', body: { name } }
        if ((await statusOf(`${tenant}/invitations`, invitation)) === 201) invited.push(email)
        if ((await statusOf(tenant, change)) === 200) renamed.push(name)
        await sleep(PAUSE_MS)
      }
    }
    const statuses = new Set<number>()
    const statusOf = async (...request: Parameters<typeof call>) => {
      const { status } = await call(...request)
      statuses.add(status)
      return status
    }
    const clients = Array.from({ length: CLIENTS }, work)
    for (const _kill of KILLS) {
      const before = invited.length
      await expect.poll(() => invited.length, { timeout: 60_000 }).toBeGreaterThan(before + 10)
      await database.kill()
      await sleep(OUTAGE_MS)
      await database.start()
      expect(ended, program.output().slice(-1_000)).toBe(false)
    }
    await expect.poll(async () => (await fetch(`${url}/health/ready`)).status).toBe(200)
    working = false
    await Promise.all(clients)

    const lines = program.output().split('\n')
    // A stack trace of a library, or a worker that had to be replaced.
    expect(lines.filter((line) => !/^(?:\{.*\})?$/.test(line) || line.includes('ended unexpectedly'))).toEqual([])
    expect([...statuses].sort()).toEqual([200, 201, 503])
    const recipients = () => mailserver.received.map((mail) => /^To: (.*)\r$/m.exec(mail)?.[1] ?? '')
    const missing = () => invited.filter((email) => !recipients().includes(email))
    await expect.poll(missing, { timeout: 120_000, interval: 500 }).toEqual([])
    const duplicates = recipients().length - new Set(recipients()).size
    // A mail in progress may be sent again, so at most one for each concurrent job.
    expect(duplicates).toBeLessThanOrEqual(KILLS.length * Number(WORKERS) * 2)
    const undelivered = () => {
      const delivered = new Set(tenantNamesIn(receiver.accepted()))
      return renamed.filter((name) => !delivered.has(name))
    }
    await expect.poll(undelivered, { timeout: 120_000, interval: 500 }).toEqual([])
    await expect
      .poll(() => inDatabase(database.url, 'select task_identifier, last_error from graphile_worker.jobs'), {
        timeout: 120_000,
        interval: 500,
      })
      .toEqual([])
  },
  900_000,
)

/** Starts haproxy with a minimal configuration and returns the URL of the database behind it. */
async function startHaproxy(databaseUrl: string): Promise<string> {
  const address = new URL(databaseUrl)
  const port = await freePort()
  const file = join(tempFolder(), 'haproxy.conf')
  writeFileSync(
    file,
    `defaults
  mode tcp
  timeout connect 5s
  timeout client 1h
  timeout server 1h
listen database
  bind 127.0.0.1:${port}
  server primary 127.0.0.1:${address.port}
`,
  )
  const haproxy = spawn('haproxy', ['-db', '-f', file], { env: HAPROXY_ENV, stdio: 'ignore' })
  onTestFinished(async () => {
    const ended = once(haproxy, 'exit')
    if (haproxy.kill()) await ended
  })
  address.port = port
  await expect.poll(() => inDatabase(address.href, 'select 1 as one'), { timeout: 30_000 }).toHaveLength(1)
  return address.href
}

async function inDatabase(url: string, query: string): Promise<Record<string, string>[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query(query)
  await client.end()
  return rows
}
