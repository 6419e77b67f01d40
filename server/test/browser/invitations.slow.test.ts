import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSignedInUser, insertUser } from '../account/people.ts'
import { createNamedHost, type Host, JOINED, OPEN, outcomeOf, type SentInvitation } from '../invitations/hosts.ts'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'

/** If set, screenshots are written to this directory. */
const screenshots = process.env.SCREENSHOTS

const CHOSEN = 'a harbour full of boats'

describe.runIf(FULL && browserPath)('invitations in a browser', () => {
  let service: TestService
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let host: Host
  const errors: string[] = []

  beforeAll(async () => {
    service = await startDemoService()
    host = await createNamedHost(service, {
      given_name: 'Hanna',
      family_name: 'Host',
      tenantName: 'Harbour House',
    })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })
  beforeEach(async () => {
    errors.length = 0
    // Every page must work without JavaScript.
    context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 780 } })
    page = await context.newPage()
    page.setDefaultTimeout(45_000)
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      const isOurs = origin === service.url || protocol === 'data:'
      // A Referer header would disclose the URL with the token.
      if (!isOurs || request.headers().referer) errors.push(`${request.url()} ${request.headers().referer}`)
    })
  })
  afterEach(async () => {
    await context.close()
    // The browser logs 4xx responses of refused forms, which are expected.
    expect(errors.filter((text) => !/the server responded with a status of 4\d\d/.test(text))).toEqual([])
  })

  const go = (path: string) => page.goto(service.url + path)
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  const field = (label: string) => page.getByLabel(label, { exact: true })
  const heading = () => page.getByRole('heading', { level: 1 }).textContent()
  const alert = () => page.getByRole('alert').textContent()
  const pathNow = () => new URL(page.url()).pathname
  const outcome = (invited: SentInvitation) => outcomeOf(service, host, invited)

  /** Follows the link of the mail in the mailbox. */
  async function openMail({ email, path }: SentInvitation) {
    await go('/dev/mailbox')
    const mail = page.locator('article', { hasText: email })
    await mail.first().getByRole('link').click()
    expect(pathNow()).toBe(path)
  }

  async function signIn(email: string, password = PASSWORD) {
    await field('Email address').fill(email)
    await field('Password').fill(password)
    await button('Sign in').click()
  }

  async function screenshot(name: string) {
    if (!screenshots) return
    for (const [size, width] of [
      ['phone', 390],
      ['desktop', 1280],
    ] as const) {
      await page.setViewportSize({ width, height: 780 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const path = join(screenshots, `invitation-${name}-${size}-${colorScheme}.png`)
        await page.screenshot({ path, fullPage: true })
      }
    }
  }

  test('a new user follows the mail, chooses a password and becomes a member', async () => {
    const invited = await host.invite({ role: 'admin' })
    await openMail(invited)
    expect(await heading()).toBe('Join Harbour House')
    const text = await page.locator('main').textContent()
    expect(text).toContain('Hanna Host invites you to join Harbour House as an admin.')
    expect(text).toContain(`The invitation is for ${invited.email}`)
    expect(await field('Email address').inputValue()).toBe(invited.email)
    expect(await field('Email address').isEditable()).toBe(false)
    await screenshot('newcomer')
    await field('Given name').fill('Greta')
    await field('Family name').fill('Guest')
    await field('Password').fill('password1')
    await button('Join Harbour House').click()
    expect(await alert()).toBe('This password is one of the first that others try. Choose another.')
    expect(await field('Given name').inputValue()).toBe('Greta')
    expect(await field('Password').getAttribute('aria-invalid')).toBe('true')
    expect(await outcome(invited)).toMatchObject(OPEN)
    await screenshot('newcomer-weak')
    await field('Password').fill(CHOSEN)
    await field('Password').press('Enter')
    expect(await heading()).toBe('You are now a member of Harbour House')
    expect(await page.getByRole('status').textContent()).toBe(`You are signed in as ${invited.email}.`)
    await screenshot('joined')
    expect(await outcome(invited)).toMatchObject({ ...JOINED, role: 'admin' })
    await link('Go to your account').click()
    expect(await heading()).toBe('Hello Greta Guest')
    expect(await page.locator('main').textContent()).not.toContain('not confirmed')
    await context.clearCookies()
    await go('/login')
    await signIn(invited.email, CHOSEN)
    expect(await heading()).toBe('Hello Greta Guest')
  })

  test('an existing user signs in and accepts', async () => {
    const { email } = await insertUser(service)
    const invited = await host.invite({ email })
    await openMail(invited)
    await screenshot('account')
    await link('Sign in to accept').click()
    expect(await heading()).toBe('Sign in')
    expect(await field('Email address').inputValue()).toBe(email)
    await field('Password').fill('not the password')
    await button('Sign in').click()
    expect(await alert()).toBe('The email address or the password is wrong.')
    await signIn(email)
    expect(pathNow()).toBe(invited.path)
    await screenshot('accept')
    expect(await outcome(invited)).toMatchObject(OPEN)
    await button('Accept').click()
    expect(await heading()).toBe('You are now a member of Harbour House')
    expect(await outcome(invited)).toMatchObject({ ...JOINED, role: 'member' })
  })

  test('a user with an authenticator app signs in with a code and accepts', async () => {
    const somebody = await createSignedInUser(service)
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
    // A pending sign-in cannot accept the invitation.
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

  test('a user signed in with another account must switch to the invited one', async () => {
    const { email } = await insertUser(service)
    const other = await insertUser(service)
    const invited = await host.invite({ email })
    await go('/login')
    await signIn(other.email)
    await openMail(invited)
    expect(await page.locator('main').textContent()).toContain(`signed in with another address: ${other.email}.`)
    expect(await button('Accept').count()).toBe(0)
    await screenshot('other')
    await button('Use another account').click()
    expect(await heading()).toBe('Sign in')
    expect(await field('Email address').inputValue()).toBe(email)
    // The wrong account again.
    await signIn(other.email)
    expect(pathNow()).toBe(invited.path)
    expect(await button('Accept').count()).toBe(0)
    await button('Use another account').click()
    await signIn(email)
    await button('Accept').click()
    expect(await outcome(invited)).toMatchObject(JOINED)
    expect((await outcome({ ...invited, email: other.email })).member).toBeUndefined()
  })

  test('a new user in a browser with another session creates their own account', async () => {
    const other = await insertUser(service)
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

  test('a user with an unverified address can request the verification mail', async () => {
    const { email } = await insertUser(service, { email_verified: false })
    const invited = await host.invite({ email })
    await openMail(invited)
    await link('Sign in to accept').click()
    await signIn(email)
    expect(await page.getByRole('status').textContent()).toContain('This address is not confirmed yet')
    expect(await button('Accept').count()).toBe(0)
    await screenshot('unconfirmed')
    await button('Send the mail again').click()
    expect(await page.getByRole('status').textContent()).toContain('A mail with a link is on its way.')
    await screenshot('unconfirmed-mailed')
  })

  test('a used, withdrawn or expired invitation says so and links to the sign-in', async () => {
    const withdrawn = await host.invite()
    await host.call('DELETE', `/invitations/${withdrawn.id}`)
    const { email } = await insertUser(service)
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
      await screenshot(`ended-${said.split(' ').at(-1)}`)
      await link('Sign in').click()
      expect(await heading()).toBe('Sign in')
    }
    service.advance(8 * 86_400_000)
    await go(overdue.path)
    expect(await heading()).toBe('This invitation has expired')
    await screenshot('ended-expired')
  })

  test('names of maximum length fit a phone screen', async () => {
    const tenantName = 'Harbourhouse'.repeat(20).slice(0, 100)
    const long = await createNamedHost(service, { tenantName, display_name: 'Hannahost'.repeat(11) })
    const invited = await long.invite({ email: `${'guest'.repeat(12)}@${'people.'.repeat(8)}test` })
    await go(invited.path)
    await screenshot('long')
    await page.setViewportSize({ width: 360, height: 780 })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
    expect(await heading()).toBe(`Join ${tenantName}`)
  })
})
