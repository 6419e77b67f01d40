import { describe, expect, test } from 'vitest'
import { call, errorBody } from '../support/calls.ts'
import {
  acceptInvitation,
  getInvitation,
  listInvitationMails,
  newAccountFields,
  newAddress,
  requestInvitation,
} from '../support/invitations.ts'
import { baseUrl } from '../support/service.ts'
import { newCaller, newTenant, waitForInvitationToken } from '../support/tenants.ts'

/** The element names of a mail, in order. */
const elementsOf = (html: string) => [...html.matchAll(/<\/?([a-z]+)/g)].map(([tag]) => tag)
const addressesIn = (html: string) => [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url]) => url)

/** The visible text of a mail. */
const toVisibleText = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

/** A text part without its line breaks. */
const unwrap = (text: string) => text.replaceAll(/\s+/g, ' ')

const MARKUP = [
  ['markup', '<img src=x onerror=alert(1)><b>Bold</b>'],
  ['a link', '<a href=evil>Click</a>'],
  ['closing tags', '</p></div></body></html><script>alert(1)</script>'],
  ['entities', '&lt;script&gt;'],
] as const

const inviteFrom = async (name: string, displayName?: string) => {
  const caller = await newCaller()
  if (displayName) await call('PATCH', '/api/users/me', { headers: caller.headers, body: { displayName } })
  const tenant = await newTenant(caller.headers, name)
  const email = newAddress()
  expect((await requestInvitation(caller.headers, tenant.id, { email })).status).toBe(201)
  const [mail, ...others] = await listInvitationMails(email)
  expect(others).toEqual([])
  if (!mail) throw new Error('no mail has come')
  return { ...caller, tenant, email, mail }
}

const plain = elementsOf((await inviteFrom('A plain tenant')).mail.html)

describe('user input is escaped in the invitation mail', () => {
  test.each(MARKUP)('%s in the name of a tenant', async (_, name) => {
    const { mail, email } = await inviteFrom(name)
    expect(mail.to).toBe(email)
    expect(mail.subject).toBe(`Join "${name}"`)
    expect(toVisibleText(mail.html)).toContain(name)
    expect(elementsOf(mail.html)).toEqual(plain)
    expect(addressesIn(mail.html)).toEqual([expect.stringContaining(`${baseUrl}/invitations/`)])
  })

  test.each(MARKUP)('%s in the name of the sender', async (_, name) => {
    const { mail } = await inviteFrom('A plain tenant', name)
    expect(toVisibleText(mail.html)).toContain(name)
    expect(elementsOf(mail.html)).toEqual(plain)
    expect(mail.subject).toBe('Join "A plain tenant"')
    expect(addressesIn(mail.html)).toEqual([expect.stringContaining(`${baseUrl}/invitations/`)])
  })

  test('T110: a name is in quotation marks, contains none, and is not turned into a link by mail clients', async () => {
    const name = 'Acme" is over. Go to evil.test'
    const { mail } = await inviteFrom(name, name)
    const quoted = `"Acme' is over. Go to evil.\u200btest"`
    expect(mail.subject).toBe(`Join ${quoted}`)
    for (const part of [unwrap(mail.text), toVisibleText(mail.html)]) {
      expect(part).toContain(`${quoted} invites you to join ${quoted}.`)
      expect(part).not.toContain('evil.test')
    }
    expect(addressesIn(mail.html)).toEqual([expect.stringContaining(`${baseUrl}/invitations/`)])
  })

  test('T110: a long name is truncated', async () => {
    const { mail } = await inviteFrom('x'.repeat(120), 'y'.repeat(200))
    expect(mail.subject).toBe(`Join "${'x'.repeat(59)}…"`)
    expect(unwrap(mail.text)).toContain(`"${'y'.repeat(59)}…" invites you`)
  })

  test('the link has the configured host, independent of the request', async () => {
    const caller = await newCaller()
    const tenant = await newTenant(caller.headers)
    const email = newAddress()
    const forwarded = { 'x-forwarded-host': 'evil.test', forwarded: 'host=evil.test' }
    await requestInvitation({ ...caller.headers, ...forwarded }, tenant.id, { email })
    const [mail] = await listInvitationMails(email)
    expect(mail?.text).toContain(`${baseUrl}/invitations/`)
    expect(`${mail?.text}${mail?.html}${mail?.subject}`).not.toContain('evil.test')
  })
})

describe('a line break cannot inject a mail header', () => {
  test.each(['Acme\r\nBcc: someone@blackbox.test', 'Acme\nX-Header: 1', 'Acme\u0000', 'Acme\u0085next'])(
    'by the name of a tenant: %j',
    async (name) => {
      const { headers } = await newCaller()
      const tenant = await newTenant(headers)
      for (const [method, path] of [
        ['POST', '/api/tenants'],
        ['PATCH', `/api/tenants/${tenant.id}`],
      ] as const) {
        const { status, body } = await call(method, path, { headers, body: { name } })
        expect(status).toBe(422)
        expect(body).toEqual(
          errorBody(422, 'VALIDATION_FAILED', { details: [{ field: 'name', message: expect.any(String) }] }),
        )
      }
    },
  )

  test('through the names of a person who accepts, and the invitation stays open', async () => {
    const { email } = await inviteFrom('A plain tenant')
    const token = await waitForInvitationToken(email)
    for (const field of ['givenName', 'familyName']) {
      const response = await acceptInvitation(token, {
        ...newAccountFields(),
        [field]: 'Nora\r\nBcc: someone@blackbox.test',
      })
      expect(response.status).toBe(422)
      expect(response.body.error).toBe('VALIDATION_FAILED')
    }
    expect((await getInvitation(token)).status).toBe(200)
  })
})
