import { describe, expect, test } from 'vitest'
import { call, refusal } from '../support/calls.ts'
import { accept, askToInvite, invitationMails, look, newAddress, newcomer } from '../support/invitations.ts'
import { base } from '../support/service.ts'
import { invitationTokenFor, newInsider, newTenant } from '../support/tenants.ts'

/** The names of the elements of a mail, in their order. */
const elementsOf = (html: string) => [...html.matchAll(/<\/?([a-z]+)/g)].map(([tag]) => tag)
const addressesIn = (html: string) => [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url]) => url)

/** What a mail program shows. */
const shown = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

const TRICKS = [
  ['markup', '<img src=x onerror=alert(1)><b>Bold</b>'],
  ['a link', '<a href=evil>Click</a>'],
  ['an end of everything', '</p></div></body></html><script>alert(1)</script>'],
  ['entities', '&lt;script&gt;'],
] as const

const inviteTo = async (name: string, displayName?: string) => {
  const insider = await newInsider()
  if (displayName) await call('PATCH', '/api/users/me', { headers: insider.headers, body: { displayName } })
  const tenant = await newTenant(insider.headers, name)
  const email = newAddress()
  expect((await askToInvite(insider.headers, tenant.id, { email })).status).toBe(201)
  const [mail, ...others] = await invitationMails(email)
  expect(others).toEqual([])
  if (!mail) throw new Error('no mail has come')
  return { ...insider, tenant, email, mail }
}

const plain = elementsOf((await inviteTo('A plain tenant')).mail.html)

describe('what others have written is text in the mail of an invitation', () => {
  test.each(TRICKS)('%s in the name of a tenant', async (_, name) => {
    const { mail, email } = await inviteTo(name)
    expect(mail.to).toBe(email)
    expect(mail.subject).toBe(`Join "${name}"`)
    expect(shown(mail.html)).toContain(name)
    expect(elementsOf(mail.html)).toEqual(plain)
    expect(addressesIn(mail.html)).toEqual([expect.stringContaining(`${base}/invitations/`)])
  })

  test.each(TRICKS)('%s in the name of who invites', async (_, name) => {
    const { mail } = await inviteTo('A plain tenant', name)
    expect(shown(mail.html)).toContain(name)
    expect(elementsOf(mail.html)).toEqual(plain)
    expect(mail.subject).toBe('Join "A plain tenant"')
    expect(addressesIn(mail.html)).toEqual([expect.stringContaining(`${base}/invitations/`)])
  })

  test('T110: a name stands between quotation marks, none of which is its own, and is no link for a mail program', async () => {
    const name = 'Acme" is over. Go to evil.test'
    const { mail } = await inviteTo(name, name)
    const quoted = `"Acme' is over. Go to evil.\u200btest"`
    expect(mail.subject).toBe(`Join ${quoted}`)
    for (const part of [mail.text, shown(mail.html)]) {
      expect(part).toContain(`${quoted} invites you to join ${quoted}.`)
      expect(part).not.toContain('evil.test')
    }
    expect(addressesIn(mail.html)).toEqual([expect.stringContaining(`${base}/invitations/`)])
  })

  test('T110: a long name is cut', async () => {
    const { mail } = await inviteTo('x'.repeat(120), 'y'.repeat(200))
    expect(mail.subject).toBe(`Join "${'x'.repeat(59)}…"`)
    expect(mail.text).toContain(`"${'y'.repeat(59)}…" invites you`)
  })

  test('no host but the configured one stands in the link, whatever the request claims', async () => {
    const insider = await newInsider()
    const tenant = await newTenant(insider.headers)
    const email = newAddress()
    const forwarded = { 'x-forwarded-host': 'evil.test', forwarded: 'host=evil.test' }
    await askToInvite({ ...insider.headers, ...forwarded }, tenant.id, { email })
    const [mail] = await invitationMails(email)
    expect(mail?.text).toContain(`${base}/invitations/`)
    expect(`${mail?.text}${mail?.html}${mail?.subject}`).not.toContain('evil.test')
  })
})

describe('a line break gets into no header', () => {
  test.each(['Acme\r\nBcc: someone@blackbox.test', 'Acme\nX-Header: 1', 'Acme\u0000', 'Acme\u0085next'])(
    'by the name of a tenant: %j',
    async (name) => {
      const { headers } = await newInsider()
      const tenant = await newTenant(headers)
      for (const [method, path] of [
        ['POST', '/api/tenants'],
        ['PATCH', `/api/tenants/${tenant.id}`],
      ] as const) {
        const { status, body } = await call(method, path, { headers, body: { name } })
        expect(status).toBe(422)
        expect(body).toEqual(
          refusal(422, 'VALIDATION_FAILED', { details: [{ field: 'name', message: expect.any(String) }] }),
        )
      }
    },
  )

  test('by the names of somebody who accepts, and the invitation stays open', async () => {
    const { email } = await inviteTo('A plain tenant')
    const token = await invitationTokenFor(email)
    for (const field of ['givenName', 'familyName']) {
      const answer = await accept(token, { ...newcomer(), [field]: 'Nora\r\nBcc: someone@blackbox.test' })
      expect(answer.status).toBe(422)
      expect(answer.body.error).toBe('VALIDATION_FAILED')
    }
    expect((await look(token)).status).toBe(200)
  })
})
