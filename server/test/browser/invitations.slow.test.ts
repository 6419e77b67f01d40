import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addPerson, newSomebody } from '../account/people.ts'
import { type Host, type Invited, JOINED, newHost, OPEN, outcomeOf } from '../invitations/guests.ts'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { PASSWORD, startWorld } from '../support/world.ts'

/** Set to look at the pages: every step is kept as a picture. */
const pictures = process.env.SCREENSHOTS

const CHOSEN = 'a harbour full of boats'

describe.runIf(FULL && browserPath)('an invitation in a browser', () => {
  let service: TestService
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let host: Host
  const complaints: string[] = []

  beforeAll(async () => {
    service = await startWorld()
    host = await newHost(service, { given_name: 'Hanna', family_name: 'Host', tenantName: 'Harbour House' })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })
  beforeEach(async () => {
    complaints.length = 0
    // Without script: every page must do without.
    context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 780 } })
    page = await context.newPage()
    page.setDefaultTimeout(45_000)
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      const isOurs = origin === service.url || protocol === 'data:'
      // What the browser would tell other pages about this one.
      if (!isOurs || request.headers().referer)
        complaints.push(`${request.url()} ${request.headers().referer}`)
    })
  })
  afterEach(async () => {
    await context.close()
    // What a refused form answers is no mistake of the page.
    expect(complaints.filter((text) => !/the server responded with a status of 4\d\d/.test(text))).toEqual([])
  })

  const go = (path: string) => page.goto(service.url + path)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  const field = (label: string) => page.getByLabel(label, { exact: true })
  const heading = () => page.getByRole('heading', { level: 1 }).textContent()
  const alert = () => page.getByRole('alert').textContent()
  const pathNow = () => new URL(page.url()).pathname
  const outcome = (invited: Invited) => outcomeOf(service, host, invited)

  /** Opens the mail in the mailbox and follows its link. */
  async function openMail({ email, path }: Invited) {
    await go('/dev/mailbox')
    const mail = page.locator('article', { hasText: email })
    await mail.first().getByRole('link').click()
    expect(pathNow()).toBe(path)
  }

  async function signIn(email: string, password = PASSWORD) {
    await field('E-mail address').fill(email)
    await field('Password').fill(password)
    await button('Sign in').click()
  }

  async function picture(name: string) {
    if (!pictures) return
    for (const [size, width] of [
      ['phone', 390],
      ['desktop', 1280],
    ] as const) {
      await page.setViewportSize({ width, height: 780 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const path = join(pictures, `invitation-${name}-${size}-${colorScheme}.png`)
        await page.screenshot({ path, fullPage: true })
      }
    }
  }

  test('somebody new follows the mail, chooses a password and is a member', async () => {
    const invited = await host.invite({ role: 'admin' })
    await openMail(invited)
    expect(await heading()).toBe('Join Harbour House')
    const text = await page.locator('main').textContent()
    expect(text).toContain('Hanna Host invites you to join Harbour House as an admin.')
    expect(text).toContain(`The invitation is for ${invited.email}`)
    expect(await field('E-mail address').inputValue()).toBe(invited.email)
    expect(await field('E-mail address').isEditable()).toBe(false)
    await picture('newcomer')
    await field('Given name').fill('Greta')
    await field('Family name').fill('Guest')
    await field('Password').fill('password1')
    await button('Join Harbour House').click()
    expect(await alert()).toBe('This password is one of the first that others try. Choose another.')
    expect(await field('Given name').inputValue()).toBe('Greta')
    expect(await field('Password').getAttribute('aria-invalid')).toBe('true')
    expect(await outcome(invited)).toMatchObject(OPEN)
    await picture('newcomer-weak')
    await field('Password').fill(CHOSEN)
    // As one does at the end of a form.
    await field('Password').press('Enter')
    expect(await heading()).toBe('You are now a member of Harbour House')
    expect(await page.getByRole('status').textContent()).toBe(`You are signed in as ${invited.email}.`)
    await picture('joined')
    expect(await outcome(invited)).toMatchObject({ ...JOINED, role: 'admin' })
    await link('Go to your account').click()
    expect(await heading()).toBe('Hello Greta Guest')
    expect(await page.locator('main').textContent()).not.toContain('not confirmed')
    await context.clearCookies()
    await go('/login')
    await signIn(invited.email, CHOSEN)
    expect(await heading()).toBe('Hello Greta Guest')
  })

  test('somebody with an account signs in on the way, and accepts', async () => {
    const { email } = await addPerson(service)
    const invited = await host.invite({ email })
    await openMail(invited)
    await picture('account')
    await link('Sign in to accept').click()
    expect(await heading()).toBe('Sign in')
    expect(await field('E-mail address').inputValue()).toBe(email)
    await field('Password').fill('not the password')
    await button('Sign in').click()
    expect(await alert()).toBe('The e-mail address or the password is wrong.')
    await signIn(email)
    expect(pathNow()).toBe(invited.path)
    await picture('accept')
    expect(await outcome(invited)).toMatchObject(OPEN)
    await button('Accept').click()
    expect(await heading()).toBe('You are now a member of Harbour House')
    expect(await outcome(invited)).toMatchObject({ ...JOINED, role: 'member' })
  })

  test('somebody with an authenticator app shows a code on the way, and accepts', async () => {
    const somebody = await newSomebody(service)
    const { body } = await somebody.call('POST', '/api/users/me/mfa/totp', { password: PASSWORD })
    const nextCode = () => {
      service.advance(30_000)
      return totpCode(String(body.secret), service.ctx.now())
    }
    await somebody.call('POST', '/api/users/me/mfa/totp/verify', { code: nextCode() })
    const invited = await host.invite({ email: somebody.email })
    await openMail(invited)
    await link('Sign in to accept').click()
    await signIn(somebody.email)
    expect(await heading()).toBe('One more step')
    // Half signed in is not signed in: the invitation waits.
    await go(invited.path)
    await link('Sign in to accept').click()
    await signIn(somebody.email)
    await field('Code').fill(nextCode())
    await button('Continue').click()
    expect(pathNow()).toBe(invited.path)
    await button('Accept').click()
    expect(await heading()).toBe('You are now a member of Harbour House')
    expect(await outcome(invited)).toMatchObject(JOINED)
  })

  test('somebody signed in as somebody else switches to their own account, which alone gets in', async () => {
    const { email } = await addPerson(service)
    const other = await addPerson(service)
    const invited = await host.invite({ email })
    await go('/login')
    await signIn(other.email)
    await openMail(invited)
    expect(await page.locator('main').textContent()).toContain(
      `signed in with another address: ${other.email}.`,
    )
    expect(await button('Accept').count()).toBe(0)
    await picture('other')
    await button('Use another account').click()
    expect(await heading()).toBe('Sign in')
    expect(await field('E-mail address').inputValue()).toBe(email)
    // The wrong one once more.
    await signIn(other.email)
    expect(pathNow()).toBe(invited.path)
    expect(await button('Accept').count()).toBe(0)
    await button('Use another account').click()
    await signIn(email)
    await button('Accept').click()
    expect(await outcome(invited)).toMatchObject(JOINED)
    expect((await outcome({ ...invited, email: other.email })).member).toBeUndefined()
  })

  test('somebody new in a browser where another is signed in makes their own account', async () => {
    const other = await addPerson(service)
    const invited = await host.invite()
    await go('/login')
    await signIn(other.email)
    await openMail(invited)
    await button('Use another account').click()
    expect(pathNow()).toBe(invited.path)
    await field('Given name').fill('Greta')
    await field('Family name').fill('Guest')
    await field('Password').fill(CHOSEN)
    await button('Join Harbour House').click()
    expect(await heading()).toBe('You are now a member of Harbour House')
    expect(await outcome(invited)).toMatchObject(JOINED)
    expect((await outcome({ ...invited, email: other.email })).member).toBeUndefined()
  })

  test('somebody who has not confirmed the address is told how', async () => {
    const { email } = await addPerson(service, { email_verified: false })
    const invited = await host.invite({ email })
    await openMail(invited)
    await link('Sign in to accept').click()
    await signIn(email)
    expect(await page.getByRole('status').textContent()).toContain('This address is not confirmed yet')
    expect(await button('Accept').count()).toBe(0)
    await picture('unconfirmed')
    await button('Send the mail again').click()
    expect(await page.getByRole('status').textContent()).toContain('A mail with a link is on its way.')
    await picture('unconfirmed-mailed')
  })

  test('a link that was used, withdrawn or is overdue says so, and leads to the sign-in', async () => {
    const withdrawn = await host.invite()
    await host.call('DELETE', `/invitations/${withdrawn.id}`)
    const { email } = await addPerson(service)
    const used = await host.invite({ email })
    const overdue = await host.invite()
    await openMail(used)
    await link('Sign in to accept').click()
    await signIn(email)
    await button('Accept').click()
    await go(used.path)
    expect(await heading()).toBe('This invitation has been accepted')
    await link('Go to your account').click()
    expect(pathNow()).toBe('/account')
    await button('Sign out').click()
    for (const [path, said] of [
      [used.path, 'This invitation has been accepted'],
      [withdrawn.path, 'This invitation was withdrawn'],
      ['/invitations/unknown', 'There is no such invitation'],
    ] as const) {
      await go(path)
      expect(await heading()).toBe(said)
      await picture(`ended-${said.split(' ').at(-1)}`)
      await link('Sign in').click()
      expect(await heading()).toBe('Sign in')
    }
    service.advance(8 * 86_400_000)
    await go(overdue.path)
    expect(await heading()).toBe('This invitation has expired')
    await picture('ended-expired')
  })

  test('names as long as they may be fit a phone', async () => {
    const tenantName = 'Harbourhouse'.repeat(20).slice(0, 100)
    const long = await newHost(service, { tenantName, display_name: 'Hannahost'.repeat(11) })
    const invited = await long.invite({ email: `${'guest'.repeat(12)}@${'people.'.repeat(8)}test` })
    await go(invited.path)
    await picture('long')
    await page.setViewportSize({ width: 360, height: 780 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
    expect(await heading()).toBe(`Join ${tenantName}`)
  })
})
