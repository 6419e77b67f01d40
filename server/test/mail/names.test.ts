import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { disableWebhook } from '../../src/events/ending/service.ts'
import { call, mailTo, newSomebody, type Somebody } from '../account/people.ts'
import { type Host, newHost, unusedAddress } from '../invitations/guests.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startWorld } from '../support/world.ts'
import { hookUp } from '../tenants/company.ts'

/** Names that are here already, or came with an import or from a provider, are whatever they are. */
const WORST =
  'Your bank" \r\nBcc: victim@people.test\u202e https://evil.test/login www.evil.test evil.test/x evil.test'

let service: TestService
beforeAll(async () => {
  service = await startWorld()
})
afterAll(() => service.close())

async function rename({ tenant, somebody }: Host, name: string) {
  const { db } = service.ctx
  await db.updateTable('tenants').set({ name }).where('id', '=', tenant.id).execute()
  await db.updateTable('users').set({ display_name: name }).where('id', '=', somebody.id).execute()
}

const invitationFrom = async (host: Host) => {
  const email = unusedAddress()
  await host.invite({ email })
  const [mail] = await mailTo(service, email)
  if (!mail) throw new Error('no mail has come')
  return mail
}

const adminTokenOf = async () => {
  const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'admin' })
  const headers = { authorization: `Basic ${btoa('demo-ops:demo-ops-secret')}` }
  const response = await fetch(`${service.url}/api/oauth/token`, { method: 'POST', body, headers })
  return String(((await response.json()) as { access_token: string }).access_token)
}

async function suspensionOf({ tenant, somebody }: Host) {
  const headers = { authorization: `Bearer ${await adminTokenOf()}` }
  for (const suspended of [true, false]) {
    await call(`${service.url}/api/admin/tenants/${tenant.id}`, {
      ...{ method: 'PATCH', body: { suspended }, headers },
    })
  }
  return (await mailTo(service, somebody.email)).filter(({ subject }) => subject.includes('suspended'))
}

async function endingOf({ tenant, somebody }: Host) {
  const { id } = await hookUp(service, tenant)
  const { ctx } = service
  await ctx.db.transaction().execute((tx) => disableWebhook(ctx, tx, id, 'GONE'))
  return (await mailTo(service, somebody.email)).filter(({ subject }) => subject.includes('webhook'))
}

/** What a mail program would make a link of, beside our own address. */
const linksIn = (text: string) =>
  text.replaceAll(service.url, '').match(/\w+:\/\/\S*|www\.\w\S*|\w+\.(?:test|com)\b\S*/g) ?? []

describe('T110: names in the mails that we send', () => {
  test('stand between quotation marks, in the subject too', async () => {
    const host = await newHost(service, { tenantName: 'Harbour House', display_name: 'Hanna Host' })
    const mail = await invitationFrom(host)
    expect(mail.subject).toBe('Join "Harbour House"')
    expect(mail.text).toContain('"Hanna Host" invites you to join "Harbour House".')
    const [back, away] = await suspensionOf(host)
    expect(away?.subject).toBe('"Harbour House" is suspended')
    expect(back?.subject).toBe('"Harbour House" is not suspended any more')
    for (const told of [back, away]) expect(told?.text).toContain(' "Harbour House", of which')
    const [ended] = await endingOf(host)
    expect(ended?.subject).toBe('A webhook of "Harbour House" was disabled')
    expect(ended?.text).toContain('Events of "Harbour House" are not sent')
  })

  test('become no link, end no quotation and start no line, whatever they hold', async () => {
    const host = await newHost(service, { tenantName: 'Harbour House' })
    await rename(host, WORST)
    const mails = [await invitationFrom(host), ...(await suspensionOf(host)), ...(await endingOf(host))]
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
    const host = await newHost(service, { tenantName: 'Harbour House' })
    await rename(host, `${'Very '.repeat(30)}long`)
    const { subject, text } = await invitationFrom(host)
    const short = `"${'Very '.repeat(30).slice(0, 59).trim()}…"`
    expect(subject).toBe(`Join ${short}`)
    expect(text).toContain(`${short} invites you to join ${short}.`)
  })

  test('a company that is called like its domain keeps its name, and is no link', async () => {
    const host = await newHost(service, { tenantName: 'Booking.com' })
    const { subject, text } = await invitationFrom(host)
    expect(subject).toBe('Join "Booking.\u200bcom"')
    expect(linksIn(text)).toEqual([])
  })

  test('so do the names that programs give themselves', async () => {
    const somebody = await newSomebody(service, { email_verified: true })
    await signInWith(somebody, 'Firefox on Linux')
    await signInWith(somebody, 'Sign in at https://evil.test/login or evil.test')
    await expect
      .poll(async () => (await mailTo(service, somebody.email)).filter(isNewDevice))
      .toContainEqual(
        expect.objectContaining({ text: expect.stringContaining('Device: "Sign in at https:') }),
      )
    for (const { text } of (await mailTo(service, somebody.email)).filter(isNewDevice)) {
      expect(linksIn(text)).toEqual([])
    }
  })
})

const isNewDevice = ({ subject }: { subject: string }) => subject === 'New sign-in to your account'

const signInWith = ({ email }: Somebody, program: string) =>
  call(`${service.url}/api/auth/login`, {
    method: 'POST',
    body: { email, password: PASSWORD },
    headers: { 'user-agent': program },
  })
