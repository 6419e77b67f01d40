import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { queueMail } from '../../src/mail/outbox.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ worker: true })
})
afterAll(() => service.close())

const send = (tenant: string, to = 'ann@example.test') =>
  service.ctx.db
    .transaction()
    .execute((tx) =>
      queueMail(service.ctx, tx, to, { kind: 'tenant-reactivated', values: { tenant }, path: '/reset?token=abc' }),
    )

const toSubject = (tenant: string) => `"${tenant}" is not suspended any more`

test('the mailbox lists mail newest first with exactly the documented fields', async () => {
  await send('First')
  await send('Second')
  const response = await fetch(`${service.url}/dev/mailbox/messages`)
  const messages = (await response.json()) as Record<string, string>[]
  expect(messages.map(({ subject }) => subject)).toEqual([toSubject('Second'), toSubject('First')])
  expect(messages[0]).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    to: 'ann@example.test',
    subject: toSubject('Second'),
    text: `"Second" is not suspended any more

The suspension of "Second", of which you are an owner or admin, was
ended. Everything is as it was before.

Open the console:
${service.url}/reset?token=abc

--
Sent by Latchkey at ${service.url}
`,
    html: expect.stringContaining(`<a href="${service.url}/reset?token=abc"`),
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  })
})

test('the mailbox can be filtered by address', async () => {
  await send('Third', 'bob@example.test')
  const subjectsTo = async (address: string) => {
    const response = await fetch(`${service.url}/dev/mailbox/messages?to=${encodeURIComponent(address)}`)
    return ((await response.json()) as { subject: string }[]).map(({ subject }) => subject)
  }
  expect(await subjectsTo('bob@example.test')).toEqual([toSubject('Third')])
  expect(await subjectsTo('ann@example.test')).toEqual([toSubject('Second'), toSubject('First')])
  expect(await subjectsTo('nobody@example.test')).toEqual([])
})

test('the mailbox page escapes content and links URLs of the service', async () => {
  await send('<script>alert(1)</script>\r\nBcc: eve@evil.test<img src=x>')
  const page = await (await fetch(`${service.url}/dev/mailbox`)).text()
  expect(page).not.toMatch(/<script|<img/)
  expect(page).toContain('&lt;script>alert(1)&lt;/script> Bcc: eve@evil.')
  expect(page).toContain(`<a href="${service.url}/reset?token=abc">`)
})

test('the mailbox shows the HTML in a frame without origin, scripts and network, and only with its own styles', async () => {
  const page = await fetch(`${service.url}/dev/mailbox`)
  expect(page.headers.get('content-security-policy')).toContain("frame-src 'self'")
  const [frame = '', path = ''] = /<iframe src="([^"]*)"[\s\S]*?<\/iframe>/.exec(await page.text()) ?? []
  expect(frame).toMatch(/ sandbox="allow-popups allow-popups-to-escape-sandbox"/)
  const response = await fetch(`${service.url}${path}`)
  const html = await response.text()
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(policy).toMatch(/^default-src 'none'; /)
  expect(policy).toContain('; sandbox allow-popups')
  expect(policy).toContain("; frame-ancestors 'self'")
  expect(policy).not.toContain('unsafe-inline')
  expect(response.headers.get('x-frame-options')).toBe('SAMEORIGIN')
  const styles = [...html.matchAll(/ style="([^"]*)"|<style>([^<]*)</g)].map(([, one, other]) => one ?? other ?? '')
  expect(styles.length).toBeGreaterThan(5)
  for (const style of styles) {
    expect(policy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`)
  }
  expect((await fetch(`${service.url}/dev/mailbox/html?id=unknown`)).status).toBe(404)
})

test('there is no mailbox when mail is sent', async () => {
  const real = await startService({
    config: { mail: { smtpUrl: 'smtp://127.0.0.1:1', mailbox: false, from: 'a@b.test' } },
  })
  expect((await fetch(`${real.url}/dev/mailbox`)).status).toBe(404)
  expect((await fetch(`${real.url}/dev/mailbox/messages`)).status).toBe(404)
  await real.close()
})
