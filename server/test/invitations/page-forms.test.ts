import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSignedInUser, findLinkToken, insertUser, listMailTo, logIn } from '../account/people.ts'
import { linkOn, linkTo, submitSignUp } from '../sessions/sign-up-steps.ts'
import type { TestService } from '../support/service.ts'
import { cookieOf, PASSWORD, signIn, startDemoService } from '../support/world.ts'
import { csrfOf, openTab } from './browser-tab.ts'
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

describe('a form without a valid CSRF token', () => {
  const CHOICES = ['accept', 'join', 'switch', 'confirm']
  const cases: [string, Record<string, string>, Record<string, string>][] = [
    ['without the token of the form', { csrf: '' }, {}],
    ['with a token that nobody made', { csrf: 'A'.repeat(80) }, {}],
    ['from another site', {}, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }],
    ['from another site, in a browser that does not say so', {}, { origin: 'https://evil.test' }],
  ]

  test.each(cases)('%s has no effect', async (_name, fields, headers) => {
    const { person, invited } = await inviteUser()
    const other = await insertUser(service)
    const visits = [
      { email: person.email, invited },
      { email: other.email, invited: await host.invite() },
    ]
    for (const { email, invited } of visits) {
      const browser = await tabOf(email)
      for (const choice of CHOICES) {
        await browser.open(invited.path)
        const { status, text } = await browser.submit({ ...NEW_USER, ...fields, choice }, { headers })
        expect([choice, status]).toEqual([choice, 403])
        expect(text).toContain('This form is too old, or did not come from this page.')
      }
      expect(await outcome(invited)).toMatchObject(OPEN)
      expect((await browser.open('/account')).text).toContain(email)
    }
  })

  test('the CSRF token of another browser has no effect', async () => {
    const { person, invited } = await inviteUser()
    const csrf = csrfOf(await tab().open('/login'))
    expect(csrf).not.toBe('')
    const browser = await tabOf(person.email)
    await browser.open(invited.path)
    expect((await browser.submit({ csrf })).status).toBe(403)
    expect(await outcome(invited)).toMatchObject(OPEN)
  })

  test('an unknown choice is refused on the page', async () => {
    const { person, invited } = await inviteUser()
    const browser = await tabOf(person.email)
    await browser.open(invited.path)
    for (const choice of ['', 'constructor']) expect((await browser.submit({ choice })).status).toBe(400)
    expect(await outcome(invited)).toMatchObject(OPEN)
  })
})

describe('the wrong person', () => {
  test('cannot submit the form of the invited person, and the invitation stays open', async () => {
    const { invited } = await inviteUser()
    const browser = await tabOf('mia@acme.test')
    await browser.open(invited.path)
    const refused = await browser.submit({ choice: 'accept' })
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('This invitation is for another email address.')
    expect(refused.text).toContain('You are signed in with another address: mia@acme.test.')
    expect(await outcome(invited)).toMatchObject(OPEN)
    expect((await outcome({ ...invited, email: 'mia@acme.test' })).member).toBeUndefined()
  })

  test('without a session is sent to the sign-in', async () => {
    const { invited } = await inviteUser()
    const browser = tab()
    // The page has no form, so the CSRF token of another page is used.
    await browser.open('/login')
    const refused = await browser.submit({ ...NEW_USER, choice: 'accept' }, { to: invited.path })
    expect(refused.status).toBe(401)
    expect(refused.text).toContain('Sign in to accept')
    expect(await outcome(invited)).toMatchObject(OPEN)
  })

  test('who switches to an existing account signs in again, and keeps the session until then', async () => {
    const { person, invited } = await inviteUser()
    const browser = await tabOf('mia@acme.test')
    await browser.open(invited.path)
    const { status, location } = await browser.submit()
    expect([status, location.split('=')[0]]).toEqual([303, '/login?journey'])
    expect((await browser.open('/account')).text).toContain('mia@acme.test')
    const login = await browser.open(location)
    expect(login.status).toBe(200)
    expect(login.html).toContain(`value="${person.email}"`)
    const signedIn = await browser.submit({ email: person.email, password: PASSWORD })
    expect(signedIn.location.split('?')[0]).toBe(invited.path)
    await browser.open(signedIn.location)
    expect((await browser.submit()).status).toBe(200)
    expect(await outcome(invited)).toMatchObject(JOINED)
    expect((await outcome({ ...invited, email: 'mia@acme.test' })).member).toBeUndefined()
  })

  test('who switches to a new account is signed out, and can create it', async () => {
    const invited = await host.invite()
    const other = await createSignedInUser(service)
    const browser = tab(other.cookie)
    await browser.open(invited.path)
    expect(await browser.submit()).toMatchObject({ status: 303, location: invited.path })
    expect((await tab(other.cookie).open('/account')).location).toMatch(/^\/login/)
    expect(await outcome(invited)).toMatchObject(OPEN)
    await browser.open(invited.path)
    expect((await browser.submit(NEW_USER)).status).toBe(200)
    expect(await outcome(invited)).toMatchObject(JOINED)
    expect((await browser.open('/account')).text).toContain(invited.email)
  })
})

describe('a person with an unverified address', () => {
  test('cannot accept, can have the mail resent, and can accept after verification', async () => {
    const { person, invited } = await inviteUser({ email_verified: false })
    const { email } = person
    const browser = tab(cookieOf(await logIn(service.url, email, PASSWORD)))
    const shown = await browser.open(invited.path)
    expect(shown.text).toContain('This address is not confirmed yet')
    expect(await browser.submit({ choice: 'accept' })).toMatchObject({ status: 403 })
    expect(await outcome(invited)).toMatchObject(OPEN)
    const mailed = await browser.submit({ choice: 'confirm' })
    expect(mailed.status).toBe(200)
    expect(mailed.text).toContain('A mail with a link is on its way.')
    const [mail] = await listMailTo(service, email)
    expect(mail?.subject).toBe('Confirm your email address')
    await browser.open(`/verify-email?token=${findLinkToken(mail)}`)
    expect(await browser.submit()).toMatchObject({ status: 303, location: expect.stringContaining(invited.path) })
    await browser.open(invited.path)
    expect((await browser.submit()).text).toContain('You are now a member')
    expect(await outcome(invited)).toMatchObject(JOINED)
  })

  test('who signs up on the way returns to the invitation with the link of the mail', async () => {
    const { person, invited } = await inviteUser({ email_verified: false })
    const { email } = person
    const browser = tab()
    const shown = await browser.open(invited.path)
    const login = await browser.open(linkOn(shown.html, 'Sign in to accept'))
    await browser.open(linkOn(login.html, 'Create an account'))
    expect((await submitSignUp(browser, { email, ...NEW_USER })).text).toContain(`We have sent a mail to ${email}`)
    await browser.open(await linkTo(service, email))
    expect(await browser.submit()).toMatchObject({ status: 303, location: expect.stringContaining(invited.path) })
    await browser.open(invited.path)
    expect((await browser.submit()).text).toContain('You are now a member')
    expect(await outcome(invited)).toMatchObject(JOINED)
  })
})
