import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, createSignedInUser, type TestUser } from '../account/people.ts'
import { createBrandedApplication } from '../branding/calls.ts'
import { LOGO } from '../branding/images.ts'
import { follow, linkOn } from '../branding/pages.ts'
import { openTab } from '../invitations/browser-tab.ts'
import type { TestService } from '../support/service.ts'
import { type Mailserver, startMailserver } from '../support/smtp.ts'
import { admin, authorizeUrl, startDemoService } from '../support/world.ts'
import { insertMembership, insertTenant, type TestTenant } from '../tenants/tenant-rows.ts'

let server: Mailserver
let service: TestService
let owner: TestUser
let company: TestTenant
beforeAll(async () => {
  server = await startMailserver()
  const mail = { smtpUrl: server.url, mailbox: false, from: 'Latchkey <no-reply@latchkey.test>' }
  service = await startDemoService({ worker: true, config: { mail } })
  owner = await createSignedInUser(service)
  company = await insertTenant(service)
  await insertMembership(service, company, owner, { role: 'owner' })
})
afterAll(async () => {
  await service?.close()
  await server?.close()
})

/** The message to this address as the mail server got it. */
async function receive(email: string): Promise<{ raw: string; header: string; decoded: string }> {
  const find = () => server.received.find((message) => message.includes(`\r\nTo: ${email}\r\n`))
  await expect.poll(find).toBeDefined()
  const raw = find() ?? ''
  const decoded = raw
    .replace(/=\r\n/g, '')
    .replace(/((?:=[\dA-F]{2})+)/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString())
  return { raw, header: raw.slice(0, raw.indexOf('\r\n\r\n')), decoded }
}

async function invite(email: string) {
  expect((await owner.call('POST', `/api/tenants/${company.id}/invitations`, { email })).status).toBe(201)
  return receive(email)
}

test('an approved tenant has its logo as an attachment of the mail, its color and its name', async () => {
  const branding = { displayName: 'Harbour House', color: '#b3005e', logo: LOGO }
  await owner.call('PUT', `/api/tenants/${company.id}/branding`, branding)
  await admin(service.url, `/api/admin/tenants/${company.id}`, { brandingApproved: true }, 'PATCH')
  const { raw, decoded } = await invite('logo@people.test')
  expect(raw).toMatch(/^Content-ID: <logo>\r$/m)
  expect(raw).toMatch(/^Content-Type: image\/png/m)
  expect(raw.replaceAll('\r\n', '')).toContain(LOGO.split(',')[1])
  expect(decoded).toContain('src="cid:logo"')
  expect(decoded).toContain('background-color:#b3005e')
  expect(decoded).toContain('Sent by Harbour House at ')
})

test('neither a hostile name nor an edited text before it brings a header, a recipient or a link into the mail', async () => {
  const edit = await owner.call('PUT', `/api/tenants/${company.id}/mail-templates/invitation`, {
    subject: 'Hello {{tenant}}',
    text: 'Open h{{tenant}}',
  })
  expect(edit.status).toBe(200)
  const name = 'ttps://evil.test/login\r\nBcc: eve@evil.test\r\n\r\n\u202eevil.test'
  await service.ctx.db.updateTable('tenants').set({ name }).where('id', '=', company.id).execute()
  await service.ctx.db
    .updateTable('brandings')
    .set({ display_name: name })
    .where('tenant_id', '=', company.id)
    .execute()
  const { header, decoded } = await invite('hostile@people.test')
  expect(header).not.toMatch(/^Bcc/im)
  expect(header.match(/^To: /gm)).toHaveLength(1)
  expect(decoded).not.toMatch(/^Bcc/m)
  expect(decoded).not.toContain('\u202e')
  expect(decoded.replaceAll(service.url, '')).not.toMatch(/ttps:\/\/|evil\.test/)
})

test('a reset that an application asks for is in the name of the application', async () => {
  const application = await createBrandedApplication(service)
  const brand = { displayName: 'Quarterly Reports', color: '#0b7285' }
  expect((await application.brand(brand)).status).toBe(200)
  const { email } = await createSignedInUser(service, { email_verified: true })
  const tab = openTab(service.url)
  const login = await follow(tab, authorizeUrl('', { client_id: application.clientId }))
  await tab.open(linkOn(login.html, 'Forgot your password'))
  await tab.submit({ email })
  const { decoded } = await receive(email)
  expect(decoded).toContain('Sent by Quarterly Reports at ')
  expect(decoded).toContain('your account at')
})

test('a notice without an application is in the name of the service', async () => {
  const user = await createSignedInUser(service, { email_verified: true })
  const url = `${service.url}/api/users/me/email`
  const headers = { cookie: user.cookie, origin: service.url }
  await call(url, { method: 'POST', body: { newEmail: `new-${user.email}`, password: 'latchkey-demo-2026' }, headers })
  expect((await receive(user.email)).decoded).toContain('Sent by Latchkey at ')
})
