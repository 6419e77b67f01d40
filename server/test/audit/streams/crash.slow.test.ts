import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call } from '../../account/people.ts'
import { DECLARATION } from '../../events/instance.ts'
import { runCommandHere } from '../../support/command.ts'
import { openTestPool } from '../../support/database.ts'
import { freePort, type Program, run, runToEnd } from '../../support/program.ts'
import { FULL } from '../../support/rounds.ts'
import { type PreparedDatabase, prepareDatabase } from '../../support/two-processes.ts'
import { signIn } from '../../support/world.ts'
import { type Certificate, makeCertificate } from './certificates.ts'
import { type OtlpReceiver, startOtlpReceiver } from './otlp-receiver.ts'
import { CREDENTIALS, REGION, type S3Server, startS3Server } from './s3-server.ts'
import { idsOf, withoutRepetitions } from './streams.ts'
import { type SyslogServer, startSyslogServer } from './syslog-server.ts'

// Nothing is missing at any target when the service is killed again and again.

const KILLS = FULL ? 10 : 1
/** Acknowledged changes in each life of the service. */
const CHANGES = 40
const hasOpenssl = spawnSync('openssl', ['version']).status === 0

let prepared: PreparedDatabase
let db: pg.Pool
let certificate: Certificate
let [otlp, s3, syslog] = [] as unknown as [OtlpReceiver, S3Server, SyslogServer]
beforeAll(async () => {
  if (!hasOpenssl) return
  certificate = makeCertificate()
  ;[otlp, s3, syslog] = [await startOtlpReceiver(), await startS3Server(), await startSyslogServer(certificate)]
  prepared = await prepareDatabase(DECLARATION, {
    AUDIT_STREAMS: 'COLLECTOR,ARCHIVE,SYSLOG',
    AUDIT_STREAM_COLLECTOR_TYPE: 'otlp',
    AUDIT_STREAM_COLLECTOR_URL: otlp.url,
    AUDIT_STREAM_COLLECTOR_FROM: 'beginning',
    AUDIT_STREAM_COLLECTOR_DELAY_SECONDS: '0',
    AUDIT_STREAM_ARCHIVE_TYPE: 's3',
    AUDIT_STREAM_ARCHIVE_URL: `${s3.url}/bucket`,
    AUDIT_STREAM_ARCHIVE_FROM: 'beginning',
    AUDIT_STREAM_ARCHIVE_DELAY_SECONDS: '1',
    AUDIT_STREAM_ARCHIVE_REGION: REGION,
    AUDIT_STREAM_ARCHIVE_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AUDIT_STREAM_ARCHIVE_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AUDIT_STREAM_SYSLOG_TYPE: 'syslog',
    AUDIT_STREAM_SYSLOG_URL: syslog.url,
    AUDIT_STREAM_SYSLOG_FROM: 'beginning',
    AUDIT_STREAM_SYSLOG_DELAY_SECONDS: '0',
    AUDIT_STREAM_SYSLOG_CA_FILE: certificate.certFile,
  })
  db = openTestPool({ ...prepared.database.pooled, max: 2 })
})
afterAll(async () => {
  await Promise.all([otlp, s3, syslog].map((target) => target?.close()))
  await db?.end()
  await prepared?.database.close()
})

async function serve(): Promise<{ program: Program; url: string }> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const program = run(['serve'], { env: { ...prepared.env, PORT: port, BASE_URL: url } })
  await program.prints('"msg":"ready"', 120_000)
  return { program, url }
}

async function kill({ child, exited }: Program): Promise<void> {
  child.kill('SIGKILL')
  await exited
}

/** Changes tenants until the service is killed. Calls `onChange` for every acknowledged change. */
async function causeEvents(url: string, onChange = () => {}): Promise<void> {
  const cookie = await signIn(url, 'owner@events.test')
  const { rows } = await db.query<{ id: string }>('select id from tenants')
  const changeTenant = async (id: string) => {
    for (;;) {
      const change = { method: 'PATCH', headers: { cookie, origin: url }, body: { name: randomUUID() } }
      if ((await call(`${url}/api/tenants/${id}`, change)).status === 200) onChange()
    }
  }
  await Promise.allSettled(rows.map(({ id }) => changeTenant(id)))
}

/** One life of the service. It ends while changes are made and sent; in every other life, without an answer. */
async function serveAndKill(round: number): Promise<number> {
  const { program, url } = await serve()
  let changes = 0
  const events = causeEvents(url, () => {
    changes += 1
  }).catch(() => {})
  await expect.poll(() => changes, { timeout: 120_000, interval: 5 }).toBeGreaterThan(CHANGES)
  const before = { otlp: otlp.records.length, s3: s3.puts.length }
  const isSilent = round % 2 === 0
  for (const target of [otlp, s3]) target.setBehavior({ isSilent })
  const hasSent = () => otlp.records.length > before.otlp && s3.puts.length > before.s3
  await expect.poll(hasSent, { timeout: 60_000, interval: 5 }).toBe(true)
  await sleep(round * 23)
  await kill(program)
  await events
  for (const target of [otlp, s3]) target.setBehavior({})
  return changes
}

/** The audit log in the order of the chain, after all entries were linked. */
async function readLog(): Promise<string[]> {
  await expect
    .poll(async () => (await db.query('select from audit_pending limit 1')).rowCount, { timeout: 60_000 })
    .toBe(0)
  const { rows } = await db.query<{ id: string }>('select entry_id as id from audit_chain order by position')
  return idsOf(rows)
}

test.skipIf(!hasOpenssl)(
  'after kill -9 of the service every event is at every target, first in the order of the log',
  async () => {
    let changes = 0
    for (let round = 0; round < KILLS; round++) changes += await serveAndKill(round)
    const { program } = await serve()
    try {
      const log = await readLog()
      expect(log.length).toBeGreaterThan(changes)
      const targets = { otlp, s3, syslog }
      for (const [name, target] of Object.entries(targets)) {
        await expect
          .poll(() => new Set(idsOf(target.events())).size, { timeout: 60_000, interval: 200 })
          .toBeGreaterThanOrEqual(log.length)
        const ids = idsOf(target.events())
        expect(withoutRepetitions(ids), name).toEqual(log)
      }
      // Batches without an answer were repeated. In the archive this overwrites the object.
      expect(otlp.records.length).toBeGreaterThan(log.length)
      expect(s3.puts.length).toBeGreaterThan(new Set(s3.puts).size)
      expect(idsOf(s3.events())).toEqual(log)
      expect(syslog.problems).toEqual([])
      expect(program.output()).not.toContain(CREDENTIALS.secretAccessKey)
    } finally {
      await kill(program)
    }
  },
)

test.runIf(FULL && hasOpenssl)('another node continues within seconds when the node that sends is killed', async () => {
  const [one, two] = [await serve(), await serve()]
  try {
    const events = causeEvents(two.url).catch(() => {})
    const { rows } = await db.query<{ log: string }>('select position as log from audit_head')
    await expect.poll(() => otlp.records.length, { timeout: 60_000 }).toBeGreaterThan(Number(rows[0]?.log))
    await kill(one.program)
    const before = otlp.records.length
    const { rows: longClaims } = await db.query(
      `select name, locked_until from audit_streams where locked_until > now() + interval '7 seconds'`,
    )
    expect(longClaims).toEqual([])
    await expect.poll(() => otlp.records.length, { timeout: 60_000, interval: 50 }).toBeGreaterThan(before + 50)
    await kill(two.program)
    await events
  } finally {
    await Promise.all([kill(one.program), kill(two.program)])
  }
})

test.skipIf(!hasOpenssl)('latchkey doctor reaches every target, and names the one that cannot be used', async () => {
  const { env } = prepared
  const good = await runToEnd(['doctor'], { env: { ...env, BASE_URL: 'http://localhost:3000' } })
  expect(good.output).toContain('Audit stream COLLECTOR: reached')
  expect(good.output).toContain('Audit stream ARCHIVE: reached')
  expect(good.output).toContain('Audit stream SYSLOG: reached')
  expect(good.code).toBe(0)
  const broken = {
    ...env,
    BASE_URL: 'http://localhost:3000',
    AUDIT_STREAM_ARCHIVE_SECRET_ACCESS_KEY: 's3cret',
    AUDIT_STREAM_SYSLOG_CA_FILE: '',
    AUDIT_STREAM_COLLECTOR_URL: `http://127.0.0.1:${await freePort()}/v1/logs`,
  }
  const { code, output } = await runToEnd(['doctor'], { env: broken })
  expect(code).toBe(1)
  expect(output).toContain('The audit stream COLLECTOR cannot be used: no connection: ECONNREFUSED')
  expect(output).toMatch(/The audit stream ARCHIVE cannot be used: status 403: .*SignatureDoesNotMatch/)
  expect(output).toContain('The audit stream SYSLOG cannot be used: no connection: DEPTH_ZERO_SELF_SIGNED_CERT')
  expect(output).not.toContain('s3cret')
})

test.skipIf(!hasOpenssl)('latchkey audit streams shows the position of each target, and forgets one', async () => {
  const { env } = prepared
  const list = () => runCommandHere(['audit', 'streams'], env)
  const forget = () => runToEnd(['audit', 'streams', '--forget', 'ARCHIVE'], { env })
  expect((await list()).output).toMatch(/^ARCHIVE {2}position \d+ of \d+, \d+ waiting, last confirmed 2/m)
  expect(await forget()).toMatchObject({ code: 0, output: expect.stringContaining('ARCHIVE was deleted') })
  expect((await list()).output).not.toContain('ARCHIVE')
  if (FULL)
    expect(await forget()).toMatchObject({
      code: 1,
      output: expect.stringContaining('There is no audit stream ARCHIVE'),
    })
})
