import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSignedInUser } from '../account/people.ts'
import { openTab, type PageView, type Tab } from '../invitations/browser-tab.ts'
import { collide } from '../support/locks.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD as DEMO_PASSWORD, obtainTokens, startDemoService } from '../support/world.ts'
import {
  arriveFrom,
  BACK,
  confirmElsewhere,
  fieldOf,
  isSignedIn,
  linkOn,
  linkTo,
  NAMES,
  newAddress,
  PASSWORD,
  signUp,
  signUpFor,
} from './sign-up-steps.ts'

let service: TestService
beforeAll(async () => {
  service = await startDemoService()
})
afterAll(() => service.close())

const tab = () => openTab(service.url)

const userOf = (email: string) =>
  service.ctx.db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirstOrThrow()

describe('the link of a sign-up', () => {
  test('signs in and returns to the application in the browser that signed up', async () => {
    const [browser, email] = [tab(), newAddress()]
    await signUpFor(service, browser, email)
    expect(await isSignedIn(browser)).toBe(false)
    const shown = await browser.open(await linkTo(service, email))
    expect(shown.html).toContain('data-continue')
    expect(await isSignedIn(browser)).toBe(false)
    await browser.open(await linkTo(service, email))
    const confirmed = await browser.submit()
    expect(confirmed.status).toBe(303)
    expect(await arriveFrom(browser, confirmed.location)).toMatch(BACK)
    expect(await userOf(email)).toMatchObject({ email_verified: true })
  })

  test('in another browser confirms, signs nobody in, and lets the first browser continue', async () => {
    const [first, other, email] = [tab(), tab(), newAddress()]
    await signUpFor(service, first, email)
    const early = await first.submit()
    expect(early).toMatchObject({ status: 422 })
    expect(early.text).toContain('not confirmed yet')
    const shown = await other.open(await linkTo(service, email))
    expect(shown.html).not.toContain('data-continue')
    const confirmed = await other.submit()
    expect(confirmed.status).toBe(200)
    expect(confirmed.text).toContain('go back to the browser in which you have signed up')
    expect(await isSignedIn(other)).toBe(false)
    const waiting = await first.open('/signup/waiting')
    expect(waiting.text).toContain('Your address is confirmed')
    expect(waiting.html).toContain('data-continue')
    expect(await arriveFrom(first, (await first.submit()).location)).toMatch(BACK)
  })

  test('does not sign in a browser that waits for the link of another person', async () => {
    const [victim, attacker] = [tab(), tab()]
    const [own, foreign] = [newAddress(), newAddress()]
    await signUp(victim, own)
    await signUp(attacker, foreign)
    const shown = await victim.open(await linkTo(service, foreign))
    expect(shown.html).not.toContain('data-continue')
    expect((await victim.submit()).status).toBe(200)
    expect(await isSignedIn(victim)).toBe(false)
    expect((await victim.open('/signup/waiting')).text).toContain(`We have sent a mail to ${own}`)
  })

  test('signs in once, also if it is confirmed several times at once', async () => {
    const [browser, email] = [tab(), newAddress()]
    await signUp(browser, email)
    await confirmElsewhere(service, email)
    await browser.open('/signup/waiting')
    const copies = Array.from({ length: 5 }, () => openTab(service.url, browser.cookies()))
    for (const copy of copies) await copy.open('/signup/waiting')
    const answers = await Promise.all(copies.map((copy) => copy.submit()))
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(303))
    const sessions = await service.ctx.db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select('sessions.id')
      .where('users.email', '=', email)
      .execute()
    expect(sessions).toHaveLength(1)
  })

  test('does not let the browser in after the password was changed elsewhere', async () => {
    const [browser, email] = [tab(), newAddress()]
    await signUp(browser, email)
    await service.ctx.db
      .updateTable('users')
      .set({ email_verified: true, password_hash: 'another' })
      .where('email', '=', email)
      .execute()
    expect((await browser.open('/signup/waiting')).text).toContain('Check your mailbox')
    expect((await browser.submit()).status).toBe(422)
    expect(await isSignedIn(browser)).toBe(false)
  })

  test('needs no password in the browser that chose it, if several people claim the address', async () => {
    const [first, second, email] = [tab(), tab(), newAddress()]
    await signUp(first, email, 'the password of the first')
    await signUp(second, email, 'the password of the second')
    const link = await linkTo(service, email)
    await first.open(link)
    expect((await first.submit()).text).toContain('Somebody else has signed up with this address')
    await second.open(link)
    expect((await second.submit()).status).toBe(303)
    expect(await isSignedIn(second)).toBe(true)
    expect((await first.open('/signup/waiting')).text).toContain('Check your mailbox')
    expect(await isSignedIn(first)).toBe(false)
  })

  const waysOut: [string, (browser: Tab) => Promise<PageView>][] = [
    ['in the account', (browser) => browser.submit({}, { to: '/logout' })],
    [
      'through an application',
      async (browser) => {
        const { id_token } = await obtainTokens(service.url, browser.cookies())
        return browser.open(`/api/oauth/logout?id_token_hint=${id_token}`)
      },
    ],
    [
      'by deleting the account',
      async (browser) => {
        await browser.open('/account/delete')
        return browser.submit({ confirmation: 'DELETE MY ACCOUNT', password: DEMO_PASSWORD })
      },
    ],
  ]
  test.each(waysOut)('is forgotten when somebody signs out in the browser %s', async (_, signOut) => {
    const person = await createSignedInUser(service)
    const browser = openTab(service.url, `${person.cookie}; latchkey_code=a-code-was-asked-for`)
    const email = newAddress()
    await signUp(browser, email)
    await browser.open('/account')
    expect((await signOut(browser)).status).toBeLessThan(400)
    expect(browser.cookies()).not.toMatch(/latchkey_(session|sign_up|code)=/)
    await confirmElsewhere(service, email)
    expect((await browser.open('/signup/waiting')).location).toBe('/login')
  })

  test('can be rejected by a person who has not signed up', async () => {
    const [browser, other, email] = [tab(), tab(), newAddress()]
    await signUp(browser, email)
    const link = await linkTo(service, email)
    await other.open(link)
    expect((await other.submit({ choice: 'reject' })).text).toContain('does not work any more')
    expect((await browser.open(link)).status).toBe(400)
    expect(await userOf(email)).toMatchObject({ email_verified: false })
  })
})

describe('an application that limits the age of the sign-in', () => {
  /** Signs up for the application, and returns the page after a link that was followed so many seconds later. */
  async function continueAfter(seconds: number, parameters: Record<string, string>) {
    const [browser, email] = [tab(), newAddress()]
    await signUpFor(service, browser, email, parameters)
    service.advance(seconds * 1000)
    await confirmElsewhere(service, email)
    await browser.open('/signup/waiting')
    return { browser, email, location: (await browser.submit()).location }
  }

  test('gets a new sign-in if the link of the sign-up is followed later than that', async () => {
    const { browser, email, location } = await continueAfter(601, { max_age: '600' })
    expect(location).toMatch(/^\/login\?journey=/)
    expect(await isSignedIn(browser)).toBe(false)
    expect(fieldOf((await browser.open(location)).html, 'email')).toBe(email)
    expect(await arriveFrom(browser, (await browser.submit({ email, password: PASSWORD })).location)).toMatch(BACK)
  })

  test.each([
    ['the link is followed in time', 599, { max_age: '600' }],
    ['it asked for a new sign-in, which a sign-up is', 601, { prompt: 'login' }],
  ])('gets the sign-up if %s', async (_, seconds, parameters) => {
    const { browser, location } = await continueAfter(seconds, parameters as unknown as Record<string, string>)
    expect(await arriveFrom(browser, location)).toMatch(BACK)
  })
})

describe('a link that is mailed again while somebody else claims the address', () => {
  /** Sends the mail while the sign-up of the other person waits for the row of the user. */
  async function resendDuringSignUp(email: string, resend: () => Promise<unknown>) {
    const other = tab()
    await other.open('/signup')
    const hold = { statement: 'select from users where email = $1 for update', values: [email] }
    await collide(service, hold, [() => other.submit({ email, password: 'another password', ...NAMES }), resend])
  }

  const linksWithoutPassword = (email: string) =>
    service.ctx.db
      .selectFrom('mailed_links')
      .select('hash')
      .where('email', '=', email)
      .where('password_hash', 'is', null)
      .execute()

  test('requires the password if the page mails it', async () => {
    const [browser, email] = [tab(), newAddress()]
    await signUp(browser, email)
    service.advance(60_000)
    await browser.open('/signup/waiting')
    await resendDuringSignUp(email, () => browser.submit({ choice: 'resend' }))
    expect(await linksWithoutPassword(email)).toEqual([])
  })

  test('requires the password if the account mails it', async () => {
    const { email, call } = await createSignedInUser(service, { email_verified: false })
    await resendDuringSignUp(email, () => call('POST', '/api/users/me/email/verification'))
    expect(await linksWithoutPassword(email)).toEqual([])
  })
})

describe('a link that was used or is old', () => {
  test('leads to the sign-in in a foreign browser, and to the account where the person is signed in', async () => {
    const [browser, other, email] = [tab(), tab(), newAddress()]
    await signUp(browser, email)
    const link = await linkTo(service, email)
    await browser.open(link)
    await browser.submit()
    const foreign = await other.open(link)
    expect(foreign).toMatchObject({ status: 400 })
    expect(linkOn(foreign.html, 'Sign in')).toBe('/login')
    const own = await browser.open(link)
    expect(own.text).toContain('Your address is confirmed')
    expect(linkOn(own.html, 'Continue')).toBe('/account')
  })

  test('leads on in the browser that waits, if the address was confirmed elsewhere', async () => {
    const [browser, other, email] = [tab(), tab(), newAddress()]
    await signUp(browser, email)
    const link = await linkTo(service, email)
    await other.open(link)
    await other.submit()
    expect((await browser.open(link)).location).toBe('/signup/waiting')
  })
})
