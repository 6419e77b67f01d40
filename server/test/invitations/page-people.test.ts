import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addPerson, logIn, mailTo, newSomebody, tokenIn } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { cookieOf, PASSWORD, signIn, startWorld } from '../support/world.ts'
import { type Host, type Invited, JOINED, NEWCOMER, newHost, OPEN, outcomeOf } from './guests.ts'
import { csrfOf, openTab } from './tab.ts'

let service: TestService
let host: Host
beforeAll(async () => {
  service = await startWorld()
  host = await newHost(service, { given_name: 'Hanna', family_name: 'Host', tenantName: 'Harbour House' })
})
afterAll(() => service.close())

const outcome = (invited: Invited) => outcomeOf(service, host, invited)
const tab = (cookie?: string) => openTab(service.url, cookie)
const tabOf = async (email: string) => tab(await signIn(service.url, email))
const inviteSomebody = async (traits: object = {}) => {
  const person = await addPerson(service, traits)
  return { person, invited: await host.invite({ email: person.email }) }
}

describe('a form that is not ours, or not of this browser', () => {
  const CHOICES = ['accept', 'join', 'switch', 'confirm']
  const cases: [string, Record<string, string>, Record<string, string>][] = [
    ['without the token of the form', { csrf: '' }, {}],
    ['with a token that nobody made', { csrf: 'A'.repeat(80) }, {}],
    ['from another site', {}, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }],
    ['from another site, in a browser that does not say so', {}, { origin: 'https://evil.test' }],
  ]

  test.each(cases)('%s does nothing', async (_name, fields, headers) => {
    const { person, invited } = await inviteSomebody()
    const other = await addPerson(service)
    const visits = [
      { email: person.email, invited },
      { email: other.email, invited: await host.invite() },
    ]
    for (const { email, invited } of visits) {
      const browser = await tabOf(email)
      for (const choice of CHOICES) {
        await browser.open(invited.path)
        const { status, text } = await browser.press({ ...NEWCOMER, ...fields, choice }, { headers })
        expect([choice, status]).toEqual([choice, 403])
        expect(text).toContain('This form is too old, or did not come from this page.')
      }
      expect(await outcome(invited)).toMatchObject(OPEN)
      expect((await browser.open('/account')).text).toContain(email)
    }
  })

  test('with the token of another browser it does nothing', async () => {
    const { person, invited } = await inviteSomebody()
    const csrf = csrfOf(await tab().open('/login'))
    expect(csrf).not.toBe('')
    const browser = await tabOf(person.email)
    await browser.open(invited.path)
    expect((await browser.press({ csrf })).status).toBe(403)
    expect(await outcome(invited)).toMatchObject(OPEN)
  })

  test('a form that wants nothing we know is refused on the page', async () => {
    const { person, invited } = await inviteSomebody()
    const browser = await tabOf(person.email)
    await browser.open(invited.path)
    for (const choice of ['', 'constructor']) expect((await browser.press({ choice })).status).toBe(400)
    expect(await outcome(invited)).toMatchObject(OPEN)
  })
})

describe('the wrong person', () => {
  test('who sends the right one’s form is refused, and the invitation stays open', async () => {
    const { invited } = await inviteSomebody()
    const browser = await tabOf('mia@acme.test')
    await browser.open(invited.path)
    const refused = await browser.press({ choice: 'accept' })
    expect(refused.status).toBe(403)
    expect(refused.text).toContain('This invitation is for another e-mail address.')
    expect(refused.text).toContain('You are signed in with another address: mia@acme.test.')
    expect(await outcome(invited)).toMatchObject(OPEN)
    expect((await outcome({ ...invited, email: 'mia@acme.test' })).member).toBeUndefined()
  })

  test('who is nobody at all is sent to the sign-in', async () => {
    const { invited } = await inviteSomebody()
    const browser = tab()
    // The page shows them no form: they bring the token of another.
    await browser.open('/login')
    const refused = await browser.press({ ...NEWCOMER, choice: 'accept' }, { to: invited.path })
    expect(refused.status).toBe(401)
    expect(refused.text).toContain('Sign in to accept')
    expect(await outcome(invited)).toMatchObject(OPEN)
  })

  test('who switches to an account that exists signs in anew, and stays who they are until then', async () => {
    const { person, invited } = await inviteSomebody()
    const browser = await tabOf('mia@acme.test')
    await browser.open(invited.path)
    const { status, location } = await browser.press()
    expect([status, location.split('=')[0]]).toEqual([303, '/login?journey'])
    expect((await browser.open('/account')).text).toContain('mia@acme.test')
    const login = await browser.open(location)
    expect(login.status).toBe(200)
    expect(login.html).toContain(`value="${person.email}"`)
    const signedIn = await browser.press({ email: person.email, password: PASSWORD })
    expect(signedIn.location.split('?')[0]).toBe(invited.path)
    await browser.open(signedIn.location)
    expect((await browser.press()).status).toBe(200)
    expect(await outcome(invited)).toMatchObject(JOINED)
    expect((await outcome({ ...invited, email: 'mia@acme.test' })).member).toBeUndefined()
  })

  test('who switches to an account that does not exist yet is signed out, and can make it', async () => {
    const invited = await host.invite()
    const other = await newSomebody(service)
    const browser = tab(other.cookie)
    await browser.open(invited.path)
    expect(await browser.press()).toMatchObject({ status: 303, location: invited.path })
    expect((await tab(other.cookie).open('/account')).location).toMatch(/^\/login/)
    expect(await outcome(invited)).toMatchObject(OPEN)
    await browser.open(invited.path)
    expect((await browser.press(NEWCOMER)).status).toBe(200)
    expect(await outcome(invited)).toMatchObject(JOINED)
    expect((await browser.open('/account')).text).toContain(invited.email)
  })
})

describe('who has not confirmed the address', () => {
  test('cannot accept, can have the mail sent again, and accepts once it is confirmed', async () => {
    const { person, invited } = await inviteSomebody({ email_verified: false })
    const { email } = person
    const browser = tab(cookieOf(await logIn(service.url, email, PASSWORD)))
    const shown = await browser.open(invited.path)
    expect(shown.text).toContain('This address is not confirmed yet')
    expect(await browser.press({ choice: 'accept' })).toMatchObject({ status: 403 })
    expect(await outcome(invited)).toMatchObject(OPEN)
    const mailed = await browser.press({ choice: 'confirm' })
    expect(mailed.status).toBe(200)
    expect(mailed.text).toContain('A mail with a link is on its way.')
    const [mail] = await mailTo(service, email)
    expect(mail?.subject).toBe('Confirm your e-mail address')
    await browser.open(`/verify-email?token=${tokenIn(mail)}`)
    expect((await browser.press()).status).toBe(200)
    await browser.open(invited.path)
    expect((await browser.press()).text).toContain('You are now a member')
    expect(await outcome(invited)).toMatchObject(JOINED)
  })
})
