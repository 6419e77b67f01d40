import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { disableWebhook } from '../../src/events/disabling/service.ts'
import { call, createSignedInUser, listMailTo, type TestUser } from '../account/people.ts'
import { createNamedHost, type Host, unusedAddress } from '../invitations/hosts.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'
import { insertWebhook } from '../tenants/tenant-rows.ts'

/** Existing names, and names from imports and SSO providers, are not validated. */
const MALICIOUS_NAME =
  'Your bank" \r\nBcc: victim@people.test\u202e https://evil.test/login www.evil.test evil.test/x evil.test'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

async function rename({ tenant, user }: Host, name: string) {
  const { db } = service.ctx
  await db.updateTable('tenants').set({ name }).where('id', '=', tenant.id).execute()
  await db.updateTable('users').set({ display_name: name }).where('id', '=', user.id).execute()
}

const invitationFrom = async (host: Host) => {
  const email = unusedAddress()
  await host.invite({ email })
  const [mail] = await listMailTo(service, email)
  if (!mail) throw new Error('no mail was sent')
  return mail
}

const adminTokenOf = async () => {
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'admin' })
  const headers = { authorization: `Basic ${btoa('demo-ops:demo-ops-secret')}` }
  const response = await fetch(`${service.url}/api/oauth/token`, { method: 'POST', body, headers })
  return String(((await response.json()) as { access_token: string }).access_token)
}

async function suspensionMailsOf({ tenant, user }: Host) {
  const headers = { authorization: `Bearer ${await adminTokenOf()}` }
  for (const suspended of [true, false]) {
    await call(`${service.url}/api/admin/tenants/${tenant.id}`, {
      method: 'PATCH',
      body: { suspended },
      headers,
    })
  }
  return (await listMailTo(service, user.email)).filter(({ subject }) => subject.includes('suspended'))
}

async function disabledWebhookMailsOf({ tenant, user }: Host) {
  const { id } = await insertWebhook(service, tenant)
  const { ctx } = service
  await ctx.db.transaction().execute((tx) => disableWebhook(ctx, tx, id, 'GONE'))
  return (await listMailTo(service, user.email)).filter(({ subject }) => subject.includes('webhook'))
}

/** Text that a mail client would turn into a link, except URLs of the service. */
const linksIn = (text: string) =>
  text.replaceAll(service.url, '').match(/\w+:\/\/\S*|www\.\w\S*|\w+\.(?:test|com)\b\S*/g) ?? []

describe('T110: names in mails', () => {
  test('are in quotation marks, also in the subject', async () => {
    const host = await createNamedHost(service, { tenantName: 'Harbour House', display_name: 'Hanna Host' })
    const mail = await invitationFrom(host)
    expect(mail.subject).toBe('Join "Harbour House"')
    expect(mail.text).toContain('"Hanna Host" invites you to join "Harbour House".')
    const [back, away] = await suspensionMailsOf(host)
    expect(away?.subject).toBe('"Harbour House" is suspended')
    expect(back?.subject).toBe('"Harbour House" is not suspended any more')
    for (const mail of [back, away]) expect(mail?.text).toContain(' "Harbour House", of')
    const [ended] = await disabledWebhookMailsOf(host)
    expect(ended?.subject).toBe('A webhook of "Harbour House" was disabled')
    expect(ended?.text).toContain('Events of "Harbour House" are no longer sent')
  })

  test('with malicious content create no link, close no quotation and start no line', async () => {
    const host = await createNamedHost(service, { tenantName: 'Harbour House' })
    await rename(host, MALICIOUS_NAME)
    const mails = [
      await invitationFrom(host),
      ...(await suspensionMailsOf(host)),
      ...(await disabledWebhookMailsOf(host)),
    ]
    expect(mails).toHaveLength(4)
    for (const { subject, text, html } of mails) {
      const shown = [subject, text, html]
      for (const part of shown) {
        expect(linksIn(part.replaceAll(/<[^>]*>/g, ' '))).toEqual([])
        expect(part).not.toMatch(/^Bcc/m)
        expect(part).not.toContain('\u202e')
      }
      expect(subject.match(/"/g)).toHaveLength(2)
      expect(subject).toMatch(/"Your bank' Bcc: victim@people\.\u200btest/)
    }
  })

  test('are shortened', async () => {
    const host = await createNamedHost(service, { tenantName: 'Harbour House' })
    await rename(host, `${'Very '.repeat(30)}long`)
    const { subject, text } = await invitationFrom(host)
    const short = `"${'Very '.repeat(30).slice(0, 59).trim()}…"`
    expect(subject).toBe(`Join ${short}`)
    expect(text.replaceAll('\n', ' ')).toContain(`${short} invites you to join ${short}.`)
  })

  test('that are domains are kept, and create no link', async () => {
    const host = await createNamedHost(service, { tenantName: 'Booking.com' })
    const { subject, text } = await invitationFrom(host)
    expect(subject).toBe('Join "Booking.\u200bcom"')
    expect(linksIn(text)).toEqual([])
  })

  test('of user agents create no link', async () => {
    const somebody = await createSignedInUser(service, { email_verified: true })
    await signInWith(somebody, 'Firefox on Linux')
    await signInWith(somebody, 'Sign in at https://evil.test/login or evil.test')
    await expect
      .poll(async () => (await listMailTo(service, somebody.email)).filter(isNewDevice))
      .toContainEqual(expect.objectContaining({ text: expect.stringContaining('Device: "Sign"') }))
    for (const { text } of (await listMailTo(service, somebody.email)).filter(isNewDevice)) {
      expect(linksIn(text)).toEqual([])
    }
  })
})

const isNewDevice = ({ subject }: { subject: string }) => subject === 'New sign-in to your account'

const signInWith = ({ email }: TestUser, program: string) =>
  call(`${service.url}/api/auth/login`, {
    method: 'POST',
    body: { email, password: PASSWORD },
    headers: { 'user-agent': program },
  })
