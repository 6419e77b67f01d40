import { afterAll, beforeAll, expect, test } from 'vitest'
import { queueMail } from '../../src/mail/outbox.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ worker: true })
})
afterAll(() => service.close())

const send = (subject: string, text: string) =>
  service.ctx.db.transaction().execute((tx) =>
    queueMail(service.ctx, tx, 'ann@example.test', {
      subject,
      paragraphs: [text],
      action: { label: 'Go', path: '/reset?token=abc' },
    }),
  )

test('the mailbox lists mail newest first with exactly the documented fields', async () => {
  await send('First', 'one')
  await send('Second', 'two')
  const response = await fetch(`${service.url}/dev/mailbox/messages`)
  const messages = (await response.json()) as Record<string, string>[]
  expect(messages.map(({ subject }) => subject)).toEqual(['Second', 'First'])
  expect(messages[0]).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    to: 'ann@example.test',
    subject: 'Second',
    text: `two\n\nGo:\n${service.url}/reset?token=abc\n\n--\nSent by Latchkey at ${service.url}\n`,
    html: expect.stringContaining(`<a href="${service.url}/reset?token=abc"`),
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
})

test('the mailbox can be filtered by address', async () => {
  await service.ctx.db
    .transaction()
    .execute((tx) => queueMail(service.ctx, tx, 'bob@example.test', { subject: 'Third', paragraphs: ['three'] }))
  const subjectsTo = async (address: string) => {
    const response = await fetch(`${service.url}/dev/mailbox/messages?to=${encodeURIComponent(address)}`)
    return ((await response.json()) as { subject: string }[]).map(({ subject }) => subject)
  }
  expect(await subjectsTo('bob@example.test')).toEqual(['Third'])
  expect(await subjectsTo('ann@example.test')).toEqual(['Second', 'First'])
  expect(await subjectsTo('nobody@example.test')).toEqual([])
})

test('the mailbox page escapes content and links URLs of the service', async () => {
  await send('<script>alert(1)</script>\r\nBcc: eve@evil.test', '<img src=x onerror=alert(1)>')
  const page = await (await fetch(`${service.url}/dev/mailbox`)).text()
  expect(page).not.toMatch(/<script|<img/)
  expect(page).toContain('&lt;script>alert(1)&lt;/script> Bcc: eve@evil.test')
  expect(page).toContain(`<a href="${service.url}/reset?token=abc">`)
})

test('there is no mailbox when mail is sent', async () => {
  const real = await startService({
    config: { mail: { smtpUrl: 'smtp://127.0.0.1:1', mailbox: false, from: 'a@b.test' } },
  })
  expect((await fetch(`${real.url}/dev/mailbox`)).status).toBe(404)
  expect((await fetch(`${real.url}/dev/mailbox/messages`)).status).toBe(404)
  await real.close()
})
