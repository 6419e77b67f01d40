import { createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { jobs } from '../../src/app.ts'
import { defineJob } from '../../src/jobs/job.ts'
import { enqueue } from '../../src/jobs/store.ts'
import { startWorker } from '../../src/jobs/worker.ts'
import { queueRenderedMail } from '../../src/mail/outbox.ts'
import { freePort } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'
import { startMailserver } from '../support/smtp.ts'

const MAILS = 8

const open: { close(): Promise<unknown> }[] = []
let port: number
let service: TestService
let probed = false

/** A job that is unrelated to mail. */
const probe = defineJob<object>({
  name: 'probe',
  async run() {
    probed = true
  },
})

beforeEach(async () => {
  probed = false
  port = Number(await freePort())
  // In the quick run the greeting of the mail server is not waited for as long as in production.
  const options = FULL ? '' : '/?greetingTimeout=2000'
  const mail = { smtpUrl: `smtp://127.0.0.1:${port}${options}`, mailbox: false, from: 'a@latchkey.test' }
  service = await startService({ config: { mail } })
  open.push(service)
})
afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource.close()
})

async function startJobs(): Promise<void> {
  const worker = await startWorker(service.ctx, service.connection, [...jobs, probe])
  open.push({ close: worker.stop })
}

async function sendAll(): Promise<void> {
  const { ctx } = service
  for (let number = 0; number < MAILS; number++) {
    const mail = { subject: `Mail ${number}`, text: 'Hello.', html: 'Hello.' }
    await ctx.db.transaction().execute((tx) => queueRenderedMail(ctx, tx, 'ann@example.test', mail))
  }
}

const rowsLeft = async () => (await service.ctx.db.selectFrom('mail_messages').select('id').execute()).length

test('a mail server that never responds delays other jobs by one run only, and gets its mail later', async () => {
  const sockets = new Set<Socket>()
  let connections = 0
  const silent = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => silent.listen(port, '127.0.0.1', resolve))
  const close = () =>
    new Promise((resolve) => {
      silent.close(resolve)
      for (const socket of sockets) socket.destroy()
    })
  await sendAll()
  await startJobs()
  await expect.poll(() => connections).toBe(2)
  await enqueue(service.ctx.db, probe, {})
  await expect.poll(() => probed, { timeout: 60_000 }).toBe(true)
  expect(connections).toBeLessThan(MAILS)

  await close()
  const server = await startMailserver({ port })
  open.push(server)
  await expect.poll(() => server.received.length, { timeout: 100_000 }).toBe(MAILS)
  await expect.poll(rowsLeft).toBe(0)
})

test.runIf(FULL)('a connection to a mail server that never confirms a mail times out after a minute', async () => {
  let isSilent = true
  const server = await startMailserver({ port, isSilent: () => isSilent })
  open.push(server)
  await sendAll()
  await startJobs()
  const failures = () => service.logs.filter(({ job }) => job === 'deliver_mail').length
  await expect.poll(failures, { timeout: 120_000 }).toBeGreaterThan(0)
  expect(server.received).toEqual([])
  expect(await rowsLeft()).toBe(MAILS)
  isSilent = false
  // Running jobs still wait for their timeout.
  await expect.poll(rowsLeft, { timeout: 200_000 }).toBe(0)
  const subjects = server.received.map((message) => /^Subject: (.*)\r$/m.exec(message)?.[1])
  expect(new Set(subjects).size).toBe(MAILS)
})
