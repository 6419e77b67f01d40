import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { jobs } from '../../src/app.ts'
import type { Ctx } from '../../src/context.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { queueMail, queueRenderedMail } from '../../src/mail/outbox.ts'
import { freePort } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import { type Mailserver, startMailserver } from '../support/smtp.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource.close()
})

async function startWith(smtpUrl: string): Promise<TestService> {
  const mail = { smtpUrl, mailbox: false, from: 'Latchkey <no-reply@latchkey.test>' }
  const service = await startService({ config: { mail }, worker: true })
  open.push(service)
  return service
}

async function mailserver(options: Parameters<typeof startMailserver>[0] = {}): Promise<Mailserver> {
  const server = await startMailserver(options)
  open.push(server)
  return server
}

const createMail = (subject: string) => ({ subject, text: 'token=t0p-s3cret', html: '<p>Hello</p>' })
const send = (ctx: Ctx, subject: string) =>
  ctx.db.transaction().execute((tx) => queueRenderedMail(ctx, tx, 'ann@example.test', createMail(subject)))
/** Decodes quoted-printable line breaks. */
const unfold = (message: string) => message.replace(/=\r\n/g, '').replace(/=3D/g, '=')
const rowsLeft = async ({ db }: Ctx) => (await db.selectFrom('mail_messages').select('id').execute()).length
const jobsLeft = async ({ db }: Ctx) => (await sql`select 1 from graphile_worker.jobs`.execute(db)).rows.length

test('mail is sent as text and HTML with links to BASE_URL, and then deleted', async () => {
  const server = await mailserver()
  const { ctx } = await startWith(server.url)
  await ctx.db.transaction().execute((tx) =>
    queueMail(ctx, tx, 'ann@example.test', {
      kind: 'tenant-reactivated',
      values: { tenant: 'Hello <b>you</b> & yours' },
      path: '/verify?token=t0p-s3cret',
    }),
  )
  await expect.poll(() => server.received.length).toBe(1)
  const message = unfold(server.received[0] ?? '')
  expect(message).toMatch(/^From: Latchkey <no-reply@latchkey\.test>\r$/m)
  expect(message).toMatch(/^To: ann@example\.test\r$/m)
  expect(message).toMatch(/^Subject: =\?UTF-8\?Q\?=22Hello.*is_not_suspended_any_more/ms)
  expect(server.received[0]).toMatch(/^Message-ID: <[0-9a-f-]{36}@127\.0\.0\.1>\r$/m)
  expect(message).toContain('Hello <b>you</b> & yours')
  expect(message).toContain('Hello &lt;b>you&lt;/b> &amp; yours')
  expect(message).toContain(`href="${ctx.config.baseUrl}/verify?token=t0p-s3cret"`)
  expect(message).toContain(`Open the console:\r\n${ctx.config.baseUrl}/verify?token=t0p-s3cret\r\n`)
  await expect.poll(() => rowsLeft(ctx)).toBe(0)
})

test('mail of a rolled back transaction is never sent', async () => {
  const server = await mailserver()
  const { ctx } = await startWith(server.url)
  const failed = ctx.db.transaction().execute(async (tx) => {
    await queueRenderedMail(ctx, tx, 'ann@example.test', createMail('Never'))
    throw new Error('changed my mind')
  })
  await expect(failed).rejects.toThrow('changed my mind')
  await send(ctx, 'After')
  await expect.poll(() => server.received.length).toBe(1)
  expect(server.received[0]).toContain('Subject: After')
  await expect.poll(() => jobsLeft(ctx)).toBe(0)
})

test('mail is queued without delay while the mail server is down, and each mail is sent exactly once afterwards', async () => {
  const port = Number(await freePort())
  const service = await startWith(`smtp://127.0.0.1:${port}`)
  const { ctx } = service
  const before = performance.now()
  for (const subject of ['One', 'Two', 'Three']) await send(ctx, subject)
  expect(performance.now() - before).toBeLessThan(15_000)
  // In the quick run at least one attempt for each.
  const failures = () => service.logs.filter(({ job }) => job === 'deliver_mail').length
  await expect.poll(failures).toBeGreaterThan(FULL ? 3 : 2)
  const server = await mailserver({ port })
  await expect.poll(() => server.received.length, { timeout: 40_000 }).toBe(3)
  await expect.poll(() => jobsLeft(ctx)).toBe(0)
  expect(await rowsLeft(ctx)).toBe(0)
  const subjects = server.received.map((message) => /^Subject: (.*)\r$/m.exec(message)?.[1])
  expect(subjects.sort()).toEqual(['One', 'Three', 'Two'])
})

test('mail that the server permanently refuses is not retried', async () => {
  const server = await mailserver({ refuseWith: 550 })
  const service = await startWith(server.url)
  const { ctx } = service
  await send(ctx, 'Unwanted')
  await expect.poll(() => service.logs.some(({ msg }) => msg === 'mail refused by the mail server')).toBe(true)
  await expect.poll(() => jobsLeft(ctx)).toBe(0)
  expect(await rowsLeft(ctx)).toBe(0)
})

test('queued mail is encrypted in the database', async () => {
  const { ctx } = await startWith(`smtp://127.0.0.1:${await freePort()}`)
  await send(ctx, 'Secret')
  const { rows } = await sql<{ row: string }>`
    select m::text || encode(m.sealed, 'escape') as row from mail_messages m
    union all select payload::text from graphile_worker._private_jobs
  `.execute(ctx.db)
  expect(rows).toHaveLength(2)
  expect(JSON.stringify(rows)).not.toMatch(/t0p-s3cret|Hello/)
})

test('a job of a killed service is run by the next one', async () => {
  const server = await mailserver()
  const service = await startService({
    config: { mail: { smtpUrl: server.url, mailbox: false, from: 'a@b.test' } },
  })
  open.push(service)
  await send(service.ctx, 'Interrupted')
  await sql`
    update graphile_worker._private_jobs
    set locked_by = 'worker-that-died', locked_at = now() - interval '6 minutes', attempts = 1
  `.execute(service.ctx.db)
  const worker = await startWorker(service.ctx, service.connection, jobs)
  await expect.poll(() => server.received.length).toBe(1)
  await worker.stop()
})
