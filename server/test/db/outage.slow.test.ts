import { afterEach, expect, test } from 'vitest'
import { queueRenderedMail } from '../../src/mail/outbox.ts'
import { adminOf } from '../support/database.ts'
import { startService, type TestService } from '../support/service.ts'
import { type Mailserver, startMailserver } from '../support/smtp.ts'

let service: TestService
let server: Mailserver
afterEach(async () => {
  await service.close()
  await server.close()
})

test('after an outage of the database the service and its jobs work again', async () => {
  server = await startMailserver()
  service = await startService({
    config: { mail: { smtpUrl: server.url, mailbox: false, from: 'a@b.test' } },
    worker: true,
  })
  const { name, direct } = service.connection
  const admin = await adminOf(direct.host ?? '')
  const ready = async () => (await fetch(`${service.url}/health/ready`)).status
  const send = () =>
    service.ctx.db
      .transaction()
      .execute((tx) =>
        queueRenderedMail(service.ctx, tx, 'ann@example.test', { subject: 'Back', text: 'x', html: 'x' }),
      )

  await admin.query(`alter database ${name} allow_connections false`)
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  await expect.poll(ready).toBe(503)
  await expect(send()).rejects.toThrow()
  // Long enough for the job worker to lose its connections more than once.
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  await admin.query(`alter database ${name} allow_connections true`)
  await expect.poll(ready).toBe(200)
  await admin.end()
  await send()
  await expect.poll(() => server.received.length).toBe(1)
})
