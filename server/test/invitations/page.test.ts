import { CompiledQuery } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, signIn, startDemoService } from '../support/world.ts'
import { openTab } from './browser-tab.ts'
import { createNamedHost, type Host, JOINED, NEW_USER, OPEN, outcomeOf, type SentInvitation } from './hosts.ts'

let service: TestService
let host: Host
beforeAll(async () => {
  service = await startDemoService()
  host = await createNamedHost(service, {
    given_name: 'Hanna',
    family_name: 'Host',
    tenantName: 'Harbour House',
  })
})
afterAll(() => service.close())

const outcome = (invited: SentInvitation) => outcomeOf(service, host, invited)
const tab = (cookie?: string) => openTab(service.url, cookie)
const tabOf = async (email: string) => tab(await signIn(service.url, email))
const inviteUser = async (traits: object = {}) => {
  const person = await insertUser(service, traits)
  return { person, invited: await host.invite({ email: person.email }) }
}

describe('opening the link', () => {
  const facts = (email: string, role = '') =>
    `Join Harbour House Hanna Host invites you to join Harbour House${role}. The invitation is for ${email}. It is good until ${inAWeek()}.`
  const inAWeek = () =>
    new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(
      service.ctx.now().getTime() + 7 * 86_400_000,
    )

  test.each([
    ['member', ''],
    ['admin', ' as an admin'],
    ['owner', ' as an owner'],
  ] as const)('for the role %s it shows the inviter, the tenant and the expiry', async (role, named) => {
    const { email, path } = await host.invite({ role })
    const shown = await tab().open(path)
    expect(shown.status).toBe(200)
    expect(shown.text).toContain(facts(email, named))
  })

  test('without an account it shows the form to create one', async () => {
    const { email, path } = await host.invite()
    const { html } = await tab().open(path)
    const [given, family, address, password] = ['givenName', 'familyName', 'email', 'password'].map(
      (id) => new RegExp(`<input[^>]* id="${id}"[^>]*>|<input id="${id}"[^>]*>`).exec(html)?.[0] ?? '',
    )
    expect(given).toContain('autocomplete="given-name"')
    expect(family).toContain('autocomplete="family-name"')
    expect(address).toMatch(/autocomplete="username".*readonly/)
    expect(address).toContain(`value="${email}"`)
    expect(password).toMatch(/type="password".*autocomplete="new-password"/)
    for (const id of ['givenName', 'familyName', 'email', 'password']) expect(html).toContain(`for="${id}"`)
    expect(html).toContain('<button type="submit">Join Harbour House</button>')
    expect(html).not.toContain('Continue with')
  })

  test('with an account it leads to the sign-in with the address filled in, and back', async () => {
    const { person, invited } = await inviteUser()
    const browser = tab()
    const shown = await browser.open(invited.path)
    const [, way = ''] = /<a class="button" href="([^"]*)">Sign in to accept</.exec(shown.html) ?? []
    expect(way).toMatch(/^\/login\?journey=/)
    expect((await browser.open(way)).html).toContain(`value="${person.email}"`)
    const { status, location } = await browser.submit({ email: person.email, password: PASSWORD })
    expect([status, location.split('?')[0]]).toEqual([303, invited.path])
    expect((await browser.open(location)).text).toContain('Accept')
    expect(await outcome(invited)).toMatchObject(OPEN)
    expect((await browser.submit()).text).toContain('You are now a member of Harbour House')
    expect(await outcome(invited)).toMatchObject(JOINED)
  })

  test('with a session of another person it shows both addresses', async () => {
    const invited = await host.invite()
    const { text, html } = await (await tabOf('mia@acme.test')).open(invited.path)
    expect(text).toContain('You are signed in with another address: mia@acme.test.')
    expect(html).not.toContain('value="accept"')
    expect(html).not.toContain('type="password"')
  })

  test('it changes nothing, for any visitor and any number of times', async () => {
    const { person, invited } = await inviteUser()
    const browsers = [tab(), await tabOf(person.email), await tabOf('mia@acme.test')]
    for (const browser of browsers) {
      expect((await browser.open(invited.path)).status).toBe(200)
      // A choice in the query has no effect.
      expect((await browser.open(`${invited.path}?choice=accept`)).status).toBe(200)
      await fetch(service.url + invited.path, { method: 'HEAD', headers: { cookie: browser.cookies() } })
    }
    expect(await outcome(invited)).toMatchObject(OPEN)
    expect((await browsers[2]?.open('/account'))?.text).toContain('mia@acme.test')
  })

  test('an invitation whose sender was erased is shown without a sender', async () => {
    const { id, path } = await host.invite()
    const gone = CompiledQuery.raw('update invitations set invited_by = null where id = $1', [id])
    await service.ctx.db.executeQuery(gone)
    expect((await tab().open(path)).text).toContain('You are invited to join Harbour House.')
  })

  test('names are escaped', async () => {
    const name = '<img src=x onerror=alert(1)>"&amp;'
    const hostile = await createNamedHost(service, { tenantName: name, display_name: `<script>${name}` })
    const { path } = await hostile.invite()
    const { html } = await tab().open(path)
    expect(html).not.toMatch(/<img|<script>/)
    expect(html).toContain('&lt;img src=x onerror=alert(1)>')
  })

  test('the URL of the page is not sent as referrer, not cached and not logged', async () => {
    const { path, token } = await host.invite()
    const { headers, html } = await tab().open(path)
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(html).not.toMatch(/https?:\/\//)
    await tab().open(path.slice(0, -1))
    const logged = JSON.stringify(service.logs)
    expect(logged).toContain('/invitations/:token')
    expect(logged).not.toContain(token.slice(0, -1))
  })
})

describe('an unusable link', () => {
  const cases: [string, number, string, (invited: SentInvitation) => Promise<void>][] = [
    [
      'one that was sent again since',
      404,
      'There is no such invitation It may have been sent again since: use the link in the latest mail.',
      ({ id }) => host.call('POST', `/invitations/${id}/resend`),
    ],
    [
      'one that was withdrawn',
      410,
      'This invitation was withdrawn If you think that this is a mistake, ask whoever invited you.',
      ({ id }) => host.call('DELETE', `/invitations/${id}`),
    ],
    [
      'one that was accepted',
      409,
      'This invitation has been accepted There is nothing left to do here.',
      async ({ path }) => {
        const browser = tab()
        await browser.open(path)
        expect((await browser.submit(NEW_USER)).status).toBe(200)
      },
    ],
    [
      'one that is overdue',
      410,
      'This invitation has expired Ask whoever invited you for a new one.',
      async () => service.advance(8 * 86_400_000),
    ],
  ]

  test.each(cases)('%s shows the reason, on GET and POST', async (_name, status, words, end) => {
    const invited = await host.invite()
    const stale = tab()
    await stale.open(invited.path)
    await end(invited)
    const before = await outcome(invited)
    const answers = [await stale.submit(NEW_USER), await stale.open(invited.path)]
    for (const shown of answers) {
      expect([shown.status, shown.text]).toEqual([status, `${words} Sign in`])
      expect(shown.html).toContain('href="/login"')
      expect(shown.html).not.toContain(invited.email)
    }
    expect(await outcome(invited)).toEqual(before)
    const signedIn = await (await tabOf('mia@acme.test')).open(invited.path)
    expect([signedIn.status, signedIn.text]).toEqual([status, `${words} Go to your account`])
  })

  test.each(['nothing', 'A'.repeat(43), 'x'.repeat(4000), '%22%3E%3Cscript%3E'])(
    'an unknown token looks like a replaced one: %s',
    async (made) => {
      const shown = await tab().open(`/invitations/${made}`)
      expect([shown.status, shown.text.slice(0, 27)]).toEqual([404, 'There is no such invitation'])
      expect(shown.html).not.toContain('<script')
    },
  )
})
