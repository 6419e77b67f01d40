import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listVariables, type MailKind } from '../../src/mail/kinds.ts'
import { call, createSignedInUser, listMailTo, type TestUser } from '../account/people.ts'
import { captureEntries, captureEntry } from '../audit/entries.ts'
import { approve } from '../branding/calls.ts'
import { LOGO } from '../branding/images.ts'
import { follow, linkOn } from '../branding/pages.ts'
import { openTab } from '../invitations/browser-tab.ts'
import type { TestService } from '../support/service.ts'
import { authorizeUrl, machineToken, startDemoService } from '../support/world.ts'
import { insertMembership, insertTenant, type TestTenant } from '../tenants/tenant-rows.ts'

let service: TestService
let admin: TestUser
let headers: Record<string, string>
let owner: TestUser
let company: TestTenant
beforeAll(async () => {
  service = await startDemoService({ worker: true })
  admin = await createSignedInUser(service, { is_super_admin: true, email_verified: true })
  headers = { authorization: `Bearer ${await machineToken(service.url, 'demo-ops')}` }
})
afterAll(() => service?.close())
beforeEach(async () => {
  owner = await createSignedInUser(service, { email_verified: true })
  company = await insertTenant(service)
  await insertMembership(service, company, owner, { role: 'owner' })
})

const ofInstance = (method: string, path = '', body?: unknown) =>
  call(`${service.url}/api/admin/mail-templates${path}`, { method, headers, ...(body !== undefined && { body }) })
const ofTenant = (method: string, path = '', body?: unknown) =>
  owner.call(method, `/api/tenants/${company.id}/mail-templates${path}`, body)

async function invitedMail() {
  const email = `guest-of-${company.slug}-${Math.random().toString(36).slice(2)}@people.test`
  const { status } = await owner.call('POST', `/api/tenants/${company.id}/invitations`, { email })
  expect(status).toBe(201)
  const [mail] = await listMailTo(service, email)
  if (!mail) throw new Error('no mail')
  return mail
}

describe('the texts of the instance', () => {
  test('are the default at first, are used once edited, and return to the default', async () => {
    const { body } = await ofInstance('GET')
    const before = (body as { mailTemplates: { kind: string }[] }).mailTemplates.find(
      ({ kind }) => kind === 'invitation',
    )
    expect(before).toMatchObject({
      subject: null,
      variables: ['application', 'email', 'tenant', 'inviter', 'expires'],
      defaults: { subject: 'Join {{tenant}}', button: 'See the invitation' },
      updatedAt: null,
    })
    const edited = await ofInstance('PUT', '/invitation', {
      subject: ' Come to {{tenant}} ',
      text: 'Hello,\r\n\r\n\r\n{{inviter}} waits for you.',
    })
    expect(edited).toMatchObject({
      status: 200,
      body: { subject: 'Come to {{tenant}}', text: 'Hello,\n\n{{inviter}} waits for you.', heading: null },
    })
    expect((await ofInstance('GET', '/invitation')).body).toEqual(edited.body)
    const mail = await invitedMail()
    expect(mail.subject).toBe(`Come to "${company.name}"`)
    expect(mail.text).toContain('\n\nHello,\n\n"')
    expect(mail.text).toContain('waits for you.')
    expect((await ofInstance('DELETE', '/invitation')).body).toEqual({
      success: true,
      message: 'Default texts restored',
    })
    expect((await invitedMail()).subject).toBe(`Join "${company.name}"`)
  })

  test('are shown in a language in the preview and in the test mail, where they are not edited', async () => {
    const draft = { heading: 'Come in', language: 'de' }
    const preview = await ofInstance('POST', '/password-reset/preview', draft)
    expect(preview.body).toMatchObject({
      subject: 'Neues Passwort wählen',
      text: expect.stringContaining('Come in\n\n'),
    })
    expect((await ofInstance('POST', '/password-reset/preview', { language: 'xx' })).status).toBe(422)
    const sent = await owner.call('POST', `/api/tenants/${company.id}/mail-templates/invitation/test`, draft)
    expect(sent.status).toBe(200)
    const [mail] = await listMailTo(service, owner.email)
    expect(mail?.subject).toMatch(/^Test: Treten Sie „.*“ bei$/)
  })

  test('like the default are no edit', async () => {
    const entries = await captureEntries(service, async () => {
      expect((await ofInstance('PUT', '/restored', { subject: 'Your account was restored' })).body).toMatchObject({
        subject: null,
        updatedAt: null,
      })
    })
    expect(entries).toEqual([])
  })

  test('record an audit event with what has changed', async () => {
    const entry = await captureEntry(service, () => ofInstance('PUT', '/enabled', { button: 'Open' }))
    expect(entry).toMatchObject({
      action: 'mail_template.changed',
      details: { kind: 'enabled', before: { button: null }, after: { button: 'Open' } },
    })
    const reset = await captureEntry(service, () => ofInstance('DELETE', '/enabled'))
    expect(reset).toMatchObject({ details: { before: { button: 'Open' }, after: { button: null } } })
  })

  test('of an unknown kind are not found', async () => {
    for (const [method, path] of [
      ['GET', '/toString'],
      ['PUT', '/unknown'],
      ['POST', '/unknown/preview'],
    ] as const) {
      expect((await ofInstance(method, path, method === 'GET' ? undefined : {})).status).toBe(404)
    }
  })
})

describe('an edited text', () => {
  test.each([
    [
      'subject',
      'Hello {{password}}',
      'contains {{password}}, but this mail only has {{application}}, {{email}}, {{tenant}}',
    ],
    ['text', 'Hello {{toString}}', 'contains {{toString}}'],
    ['text', 'Hello {{ tenant', 'contains {{ or }} without a variable'],
    ['text', 'Sign in at https://evil.test', 'must hold no web address'],
    ['text', 'Ends in https://', 'must hold no web address'],
    ['text', 'https:/{{tenant}}/evil', 'must hold no web address'],
    ['heading', 'www.{{tenant}}', 'must hold no web address'],
    ['button', '{{tenant}}.com/login', 'must hold no web address'],
    ['subject', 'One\r\nBcc: eve@evil.test', 'must be one line'],
    ['text', 'Turned \u202e around', 'without control characters'],
    ['button', 'x'.repeat(41), 'must have 1 to 40 characters'],
    ['subject', ' \u2800 ', 'must have 1 to 150 characters'],
  ])('is refused as %s: %s', async (field, text, message) => {
    for (const [method, path] of [
      ['PUT', ''],
      ['POST', '/preview'],
      ['POST', '/test'],
    ] as const) {
      const refused = await ofTenant(method, `/invitation${path}`, { [field]: text })
      expect(refused.status).toBe(422)
      expect(refused.body).toMatchObject({ details: [{ field, message: expect.stringContaining(message) }] })
    }
  })
})

test('a text with thousands of spaces after two braces is refused at once', async () => {
  const text = `{{${' '.repeat(39_000)}x`
  expect((await ofTenant('POST', '/invitation/preview', { text })).status).toBe(422)
  expect((await ofTenant('POST', '/invitation/preview', { text: `x${' '.repeat(39_000)}x` })).status).toBe(422)
})

describe('the mail with a code', () => {
  test('can be edited with its button left empty, and the preview shows a code', async () => {
    const { defaults } = (await ofInstance('GET', '/sign-in-code')).body as { defaults: Record<string, string> }
    const preview = await ofInstance('POST', '/sign-in-code/preview', { ...defaults, text: 'Type it.' })
    expect(preview.body).toMatchObject({ subject: expect.stringContaining('123456') })
  })

  test('must contain the code, and has no button', async () => {
    const refused = await ofInstance('PUT', '/sign-in-code', { heading: 'Hello', text: 'Type it.', button: 'Sign in' })
    expect(refused.body).toMatchObject({
      details: [
        { field: 'text', message: 'must contain {{code}}, unless the heading does' },
        { field: 'button', message: 'must be empty: this mail has no button' },
      ],
    })
  })
})

describe('the texts of a tenant', () => {
  test('are in mails once an operator has approved the branding, and take precedence over those of the instance', async () => {
    await ofInstance('PUT', '/invitation', { subject: 'From the instance', heading: 'Instance heading' })
    const { body } = await ofTenant('PUT', '/invitation', { subject: 'Hello from {{application}}' })
    expect(body).toMatchObject({
      subject: 'Hello from {{application}}',
      defaults: { subject: 'From the instance', heading: 'Instance heading' },
    })
    expect((await invitedMail()).subject).toBe('From the instance')
    await owner.call('PUT', `/api/tenants/${company.id}/branding`, {
      displayName: 'Harbour',
      color: '#b3005e',
      logo: LOGO,
    })
    expect((await invitedMail()).html).not.toContain('#b3005e')
    await approve(service, company.id)
    const mail = await invitedMail()
    expect(mail.subject).toBe('Hello from Harbour')
    expect(mail.text).toContain('Instance heading')
    expect(mail.html).toContain('#b3005e')
    expect(mail.html).toContain('cid:logo')
    await ofInstance('DELETE', '/invitation')
  })

  test('are in mails to its members only, if the request names the tenant', async () => {
    await approve(service, company.id)
    await ofTenant('PUT', '/password-reset', { subject: 'From the tenant' })
    const stranger = await createSignedInUser(service, { email_verified: true })
    const { url } = service
    for (const [{ email }, subject] of [
      [owner, 'From the tenant'],
      [stranger, 'Choose a new password'],
    ] as const) {
      const tab = openTab(url)
      const login = await follow(tab, authorizeUrl('', { tenant: company.slug }))
      await tab.open(linkOn(login.html, 'Forgot your password'))
      await tab.submit({ email })
      await expect.poll(() => listMailTo(service, email)).toMatchObject([{ subject }])
    }
  })

  test('exist for the mails that may belong to a tenant only', async () => {
    const { body } = await ofTenant('GET')
    expect((body as { mailTemplates: { kind: string }[] }).mailTemplates.map(({ kind }) => kind)).toEqual([
      'invitation',
      'password-reset',
      'new-device',
      'device-allowed',
      'webhook-disabled',
    ])
    expect((await ofTenant('PUT', '/tenant-suspended', { subject: 'All is well' })).status).toBe(404)
  })

  test('record an audit event of the tenant', async () => {
    const entry = await captureEntry(service, () => ofTenant('PUT', '/invitation', { subject: 'Hello' }))
    expect(entry).toMatchObject({
      action: 'tenant.mail_template_changed',
      tenant_id: company.id,
      details: { kind: 'invitation', before: { subject: null }, after: { subject: 'Hello' } },
    })
  })
})

describe('a preview', () => {
  test('shows the draft with sample values and the logo, and saves and sends nothing', async () => {
    await owner.call('PUT', `/api/tenants/${company.id}/branding`, { displayName: 'Harbour', logo: LOGO })
    const { status, body } = await ofTenant('POST', '/invitation/preview', { text: 'Draft for {{tenant}} <b>' })
    expect(status).toBe(200)
    const { subject, text, html } = body as Record<string, string>
    expect(subject).toBe(`Join "${company.name}"`)
    expect(text).toContain(`Draft for "${company.name}" <b>`)
    expect(html).toContain('Draft for')
    expect(html).toContain('&lt;b>')
    expect(html).toContain(`src="${LOGO}"`)
    expect((await ofTenant('GET', '/invitation')).body).toMatchObject({ text: null })
    expect(await listMailTo(service, owner.email)).toEqual([])
  })

  test('contains the logo once, even if a text has the address of the logo', async () => {
    await owner.call('PUT', `/api/tenants/${company.id}/branding`, { displayName: 'Harbour', logo: LOGO })
    const { body } = await ofTenant('POST', '/invitation/preview', { text: 'cid:logo cid:logo' })
    expect((body as { html: string }).html.split(LOGO)).toHaveLength(2)
  })

  test('of every kind can be rendered', async () => {
    const { body } = await ofInstance('GET')
    for (const { kind } of (body as { mailTemplates: { kind: MailKind }[] }).mailTemplates) {
      const text = listVariables(kind)
        .map((name) => `${name}=<{{${name}}}>`)
        .join(' ')
      const { status, body: preview } = await ofInstance('POST', `/${kind}/preview`, { text })
      expect([kind, status]).toEqual([kind, 200])
      expect((preview as { text: string }).text).not.toMatch(/[{}]|undefined|=<\W*>/)
    }
  })
})

describe('a test mail', () => {
  test('goes to the address of the caller only, with a limit', async () => {
    const { status, body } = await ofTenant('POST', '/invitation/test', { subject: 'My draft', to: 'eve@evil.test' })
    expect({ status, body }).toMatchObject({ status: 200, body: { message: `Test mail sent to ${owner.email}` } })
    expect((await listMailTo(service, owner.email)).map(({ subject }) => subject)).toEqual(['Test: My draft'])
    expect(await listMailTo(service, 'eve@evil.test')).toEqual([])
    for (let sent = 1; sent < 30; sent++) await ofTenant('POST', '/invitation/test', {})
    expect((await ofTenant('POST', '/invitation/test', {})).status).toBe(429)
  })

  test('is not sent to an unverified address, which may belong to somebody else', async () => {
    await service.ctx.db.updateTable('users').set({ email_verified: false }).where('id', '=', owner.id).execute()
    expect((await ofTenant('POST', '/invitation/test', {})).body).toMatchObject({ error: 'EMAIL_NOT_VERIFIED' })
    expect(await listMailTo(service, owner.email)).toEqual([])
  })

  test('is not sent to a machine client, which has no address', async () => {
    expect((await ofInstance('POST', '/invitation/test', {})).status).toBe(403)
    const sent = await admin.call('POST', '/api/admin/mail-templates/invitation/test', {})
    expect([200, 401]).toContain(sent.status)
  })
})
