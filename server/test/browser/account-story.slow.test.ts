import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { startWorld } from '../support/world.ts'

/** Set to look at the pages: every step is kept as a picture. */
const pictures = process.env.SCREENSHOTS

const EMAIL = 'paula@people.test'
const NEW_EMAIL = 'paula.new@people.test'
const PASSWORD = 'a walk by the river'
const NEW_PASSWORD = 'a walk on the hill'

/** One person's whole story with one account, as they would live it; each chapter begins where the last one ended. */
describe.runIf(FULL && browserPath)('a person’s story', () => {
  let service: TestService
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let secret = ''
  let recoveryCodes: string[] = []
  const complaints: string[] = []

  beforeAll(async () => {
    // Passkeys belong to a name; an address in numbers has none.
    service = await startWorld({ host: 'localhost', worker: true })
    browser = await openBrowser()
    context = await browser.newContext({ viewport: { width: 390, height: 780 } })
    page = await context.newPage()
    page.setDefaultTimeout(45_000)
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    const devTools = await context.newCDPSession(page)
    await devTools.send('WebAuthn.enable')
    await devTools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
      },
    })
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })

  const go = (path: string) => page.goto(service.url + path)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const follow = (name: string) => page.getByRole('link', { name, exact: true }).click()
  const fill = (label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text)
  const arriveAt = (heading: string) =>
    page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()

  async function picture(name: string) {
    if (!pictures) return
    await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.screenshot({ path: join(pictures, `${name}-dark.png`), fullPage: true })
    await page.emulateMedia({ colorScheme: 'light' })
  }

  async function signIn(email: string, password: string) {
    await go('/login')
    await fill('E-mail address', email)
    await fill('Password', password)
    await press('Sign in')
  }

  async function signOut() {
    await go('/account')
    await press('Sign out')
    await arriveAt('Sign in')
  }

  /** Follows the link of the newest such mail on the mailbox page. */
  async function followMail(subject: string) {
    const mail = page.locator('article', { has: page.getByRole('heading', { name: subject, exact: true }) })
    await expect
      .poll(async () => {
        await go('/dev/mailbox')
        return mail.count()
      })
      .toBeGreaterThan(0)
    await picture('mailbox')
    await mail.first().getByRole('link').first().click()
  }

  const nextCode = () => {
    service.advance(30_000)
    return totpCode(secret, service.ctx.now())
  }

  test('she signs up', async () => {
    await go('/login')
    await picture('login')
    await follow('Create an account')
    await arriveAt('Create an account')
    await fill('Given name (optional)', 'Paula')
    await fill('Family name (optional)', 'Person')
    await fill('E-mail address', EMAIL)
    await fill('Password', 'password1')
    await press('Create account')
    await page.locator('#problem').waitFor()
    expect(await page.getByLabel('Given name (optional)').inputValue()).toBe('Paula')
    await picture('signup-weak')
    await fill('Password', PASSWORD)
    await press('Create account')
    await arriveAt('Check your mailbox')
    await picture('check-mailbox')
  })

  test('she confirms her address from the mailbox', async () => {
    await followMail('Confirm your e-mail address')
    await arriveAt('Confirm your address')
    await press('Confirm')
    await arriveAt('Thank you')
    await follow('Sign in')
  })

  test('she signs in and finds her account', async () => {
    await signIn(EMAIL, PASSWORD)
    await arriveAt('Hello Paula Person')
    expect(await page.getByText('not confirmed').count()).toBe(0)
    await picture('account')
  })

  test('she says something about herself', async () => {
    await follow('Profile')
    await arriveAt('Your profile')
    await fill('Date of birth (optional)', '1990-12-31')
    await fill('Time zone (optional)', 'Mars')
    await press('Save')
    await page.getByText('The time zone must be an IANA time zone').waitFor()
    await picture('profile-wrong')
    expect(await page.getByLabel('Date of birth').inputValue()).toBe('1990-12-31')
    await fill('Time zone (optional)', 'Europe/Berlin')
    await press('Save')
    await page.getByText('Your profile was saved.').waitFor()
    await picture('profile')
    await follow('Back to your account')
  })

  test('she sets up an authenticator app', async () => {
    await follow('Second step and passkeys')
    await picture('security-empty')
    await follow('Set up an authenticator app')
    await arriveAt('Set up a second step')
    await picture('mfa-setup')
    await press('Use an authenticator app')
    await arriveAt('Set up your authenticator app')
    await picture('mfa-app')
    secret = ((await page.locator('main code').textContent()) ?? '').replaceAll(' ', '')
    expect(await page.getByAltText('QR code for the authenticator app').isVisible()).toBe(true)
    await fill('Code', '000000')
    await press('Confirm')
    await page.locator('#problem').waitFor()
    expect(((await page.locator('main code').textContent()) ?? '').replaceAll(' ', '')).toBe(secret)
    await fill('Code', nextCode())
    await press('Confirm')
    await arriveAt('Keep these recovery codes')
    recoveryCodes = await page.locator('.codes li').allTextContents()
    expect(recoveryCodes).toHaveLength(10)
    await picture('recovery-codes')
    await follow('I have kept them')
    await arriveAt('Second step and passkeys')
    await page.getByText('Signing in takes a code').waitFor()
  })

  test('she signs out, and in again with a code', async () => {
    await signOut()
    await signIn(EMAIL, PASSWORD)
    await arriveAt('One more step')
    await picture('mfa')
    await fill('Code', '123456')
    await press('Continue')
    await page.locator('#problem').waitFor()
    await picture('mfa-wrong')
    await fill('Code', nextCode())
    await press('Continue')
    await arriveAt('Hello Paula Person')
  })

  test('she adds a passkey, and signs in with nothing else', async () => {
    await go('/account/security')
    await fill('Name of the passkey (optional)', 'Her laptop')
    await press('Add a passkey')
    await page.getByText('Her laptop').waitFor()
    await picture('security')
    await signOut()
    await press('Sign in with a passkey')
    await arriveAt('Hello Paula Person')
  })

  test('she uses the passkey as her second step', async () => {
    await signOut()
    await signIn(EMAIL, PASSWORD)
    await arriveAt('One more step')
    await press('Use your passkey')
    await arriveAt('Hello Paula Person')
  })

  test('she uses a recovery code', async () => {
    await signOut()
    await signIn(EMAIL, PASSWORD)
    await arriveAt('One more step')
    await fill('Code', recoveryCodes[0] ?? '')
    await press('Continue')
    await arriveAt('Hello Paula Person')
    await go('/account/security')
    await page.getByText('You have 9 recovery codes left.').waitFor()
  })

  test('she changes her e-mail address', async () => {
    await go('/account/email')
    await fill('New e-mail address', NEW_EMAIL)
    await fill('Password', 'wrong')
    await press('Send the link')
    await page.locator('#problem').waitFor()
    await picture('email-wrong')
    await fill('Password', PASSWORD)
    await press('Send the link')
    await arriveAt('Check your mailbox')
    await followMail('Confirm your new e-mail address')
    await press('Confirm')
    await arriveAt('Thank you')
    await go('/account')
    await page.getByText(NEW_EMAIL).waitFor()
  })

  test('she looks at her devices', async () => {
    await follow('Devices')
    await arriveAt('Where you are signed in')
    await page.getByText('This device').waitFor()
    await picture('devices')
  })

  test('she has forgotten her password, and chooses another', async () => {
    await signOut()
    await follow('Forgot your password?')
    await arriveAt('Forgot your password?')
    await fill('E-mail address', NEW_EMAIL)
    await press('Send the link')
    await arriveAt('Check your mailbox')
    await followMail('Choose a new password')
    await arriveAt('Choose a new password')
    await picture('choose-password')
    await fill('New password', NEW_PASSWORD)
    await press('Set the password')
    await arriveAt('Done')
    await signIn(NEW_EMAIL, PASSWORD)
    await page.locator('#problem').waitFor()
    await signIn(NEW_EMAIL, NEW_PASSWORD)
    await arriveAt('One more step')
    await fill('Code', nextCode())
    await press('Continue')
    await arriveAt('Hello Paula Person')
  })

  test('she deletes her account', async () => {
    await follow('Delete your account')
    await fill('Type DELETE MY ACCOUNT', 'delete my account')
    await fill('Password', NEW_PASSWORD)
    await picture('delete')
    await press('Delete my account')
    await page.locator('#problem').waitFor()
    await fill('Type DELETE MY ACCOUNT', 'DELETE MY ACCOUNT')
    await fill('Password', NEW_PASSWORD)
    await press('Delete my account')
    await arriveAt('Goodbye')
    await go('/account')
    await arriveAt('Sign in')
  })

  test('she changes her mind, and has it back', async () => {
    await signIn(NEW_EMAIL, NEW_PASSWORD)
    await arriveAt('Restore your account?')
    await picture('restore')
    await press('Restore and sign in')
    await arriveAt('One more step')
    await fill('Code', nextCode())
    await press('Continue')
    await arriveAt('Hello Paula Person')
    await go('/account/security')
    await page.getByText('Her laptop').waitFor()
  })

  test('no page complained', () => {
    // What a refused form answers is no mistake of the page.
    const mistakes = complaints.filter((text) => !/the server responded with a status of 4\d\d/.test(text))
    expect(mistakes).toEqual([])
  })
})
