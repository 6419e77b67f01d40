import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { startDemoService } from '../support/world.ts'
import { takeScreenshots } from './screenshots.ts'

const EMAIL = 'paula@people.test'
const NEW_EMAIL = 'paula.new@people.test'
const PASSWORD = 'a walk by the river'
const NEW_PASSWORD = 'a walk on the hill'

/** The life of one account. Each test continues where the previous one ended. */
describe.runIf(FULL && browserPath)('the lifecycle of an account', () => {
  let service: TestService
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let secret = ''
  let recoveryCodes: string[] = []
  const errors: string[] = []

  beforeAll(async () => {
    // Passkeys need a domain name, not an IP address.
    service = await startDemoService({ host: 'localhost', worker: true })
    browser = await openBrowser()
    context = await browser.newContext({ viewport: { width: 390, height: 780 } })
    // The virtual authenticator would answer the offer in the address field, before a test fills the form.
    await context.addInitScript('delete PublicKeyCredential.isConditionalMediationAvailable')
    page = await context.newPage()
    page.setDefaultTimeout(45_000)
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    page.on('pageerror', (error) => errors.push(String(error)))
    const devTools = await context.newCDPSession(page)
    await devTools.send('WebAuthn.enable')
    await devTools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
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
  const arriveAt = (heading: string) => page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()

  const screenshot = (name: string) => takeScreenshots(page, name)

  async function signIn(email: string, password: string) {
    await go('/login')
    await fill('Email address', email)
    await fill('Password', password)
    await press('Sign in')
  }

  async function signOut() {
    await go('/account')
    await press('Sign out')
    await arriveAt('Sign in')
  }

  /** Follows the link of the newest mail with this subject in the mailbox. */
  async function followMail(subject: string) {
    const mail = page.locator('article', { has: page.getByRole('heading', { name: subject, exact: true }) })
    await expect
      .poll(async () => {
        await go('/dev/mailbox')
        return mail.count()
      })
      .toBeGreaterThan(0)
    await screenshot('mailbox')
    await mail.first().getByRole('link').first().click()
  }

  const nextCode = () => {
    service.advance(30_000)
    return totpCode(secret, service.ctx.now())
  }

  test('sign up', async () => {
    await go('/login')
    await screenshot('login')
    await follow('Create an account')
    await arriveAt('Create an account')
    await fill('Given name', 'Paula')
    await fill('Family name', 'Person')
    await fill('Email address', EMAIL)
    await fill('Password', 'password1')
    await press('Create account')
    await page.locator('#problem').waitFor()
    expect(await page.getByLabel('Given name').inputValue()).toBe('Paula')
    await screenshot('signup-weak')
    await fill('Password', PASSWORD)
    await press('Create account')
    await arriveAt('Check your mailbox')
    await screenshot('check-mailbox')
  })

  test('confirm the address', async () => {
    await followMail('Confirm your email address')
    await arriveAt('Hello Paula Person')
  })

  test('sign in', async () => {
    await signOut()
    await signIn(EMAIL, PASSWORD)
    await arriveAt('Hello Paula Person')
    expect(await page.getByText('not confirmed').count()).toBe(0)
    await screenshot('account')
  })

  test('edit the profile', async () => {
    await follow('Profile')
    await arriveAt('Profile')
    await fill('Date of birth (optional)', '1990-12-31')
    await fill('Time zone (optional)', 'Mars')
    await press('Save changes')
    await page.getByText('The time zone must be an IANA time zone').waitFor()
    await screenshot('profile-wrong')
    expect(await page.getByLabel('Date of birth').inputValue()).toBe('1990-12-31')
    await fill('Time zone (optional)', 'Europe/Berlin')
    await press('Save changes')
    await page.getByText('Your profile was saved.').waitFor()
    await screenshot('profile')
    await follow('Back to my account')
  })

  test('set up an authenticator app', async () => {
    await follow('Sign-in & security')
    await screenshot('security-empty')
    await follow('Set up an authenticator app')
    await arriveAt('Set up a second step')
    await screenshot('mfa-setup')
    await press('Use an authenticator app')
    await arriveAt('Set up your authenticator app')
    await screenshot('mfa-app')
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
    await screenshot('recovery-codes')
    await follow('I have kept them')
    await arriveAt('Sign-in & security')
    await page.getByText('Sign-in requires a code from your app.').waitFor()
  })

  test('sign out and in again with a code', async () => {
    await signOut()
    await signIn(EMAIL, PASSWORD)
    await arriveAt('One more step')
    await screenshot('mfa')
    await fill('Code', '123456')
    await press('Continue')
    await page.locator('#problem').waitFor()
    await screenshot('mfa-wrong')
    await fill('Code', nextCode())
    await press('Continue')
    await arriveAt('Hello Paula Person')
  })

  test('add a passkey and sign in with it alone', async () => {
    await go('/account/security')
    await fill('Name of the passkey (optional)', 'Her laptop')
    await press('Add a passkey')
    await page.getByText('Her laptop').waitFor()
    await screenshot('security')
    await signOut()
    await press('Sign in with a passkey')
    await arriveAt('Hello Paula Person')
  })

  test('use the passkey as second factor', async () => {
    await signOut()
    await signIn(EMAIL, PASSWORD)
    await arriveAt('One more step')
    await press('Use your passkey')
    await arriveAt('Hello Paula Person')
  })

  test('use a recovery code', async () => {
    await signOut()
    await signIn(EMAIL, PASSWORD)
    await arriveAt('One more step')
    await follow('Use a recovery code')
    await arriveAt('Use a recovery code')
    await fill('Recovery code', recoveryCodes[0] ?? '')
    await press('Continue')
    await arriveAt('Hello Paula Person')
    await go('/account/security')
    await page.getByText(/^9 are left\./).waitFor()
  })

  test('change the email address', async () => {
    await go('/account/email')
    await fill('New email address', NEW_EMAIL)
    await fill('Password', 'wrong')
    await press('Send the link')
    await page.locator('#problem').waitFor()
    await screenshot('email-wrong')
    await fill('Password', PASSWORD)
    await press('Send the link')
    await arriveAt('Check your mailbox')
    await followMail('Confirm your new email address')
    await press('Confirm')
    await arriveAt('Thank you')
    await go('/account')
    await page.getByText(NEW_EMAIL).waitFor()
  })

  test('list the devices', async () => {
    await follow('Sessions')
    await arriveAt('Sessions')
    await page.getByText('This device').waitFor()
    await screenshot('devices')
  })

  test('reset the forgotten password', async () => {
    await signOut()
    await follow('Forgot your password?')
    await arriveAt('Forgot your password?')
    await fill('Email address', NEW_EMAIL)
    await press('Send the link')
    await arriveAt('Check your mailbox')
    await followMail('Choose a new password')
    await arriveAt('Choose a new password')
    await screenshot('choose-password')
    await fill('New password', NEW_PASSWORD)
    await press('Set the password')
    await arriveAt('One more step')
    await signIn(NEW_EMAIL, PASSWORD)
    await page.locator('#problem').waitFor()
    await signIn(NEW_EMAIL, NEW_PASSWORD)
    await arriveAt('One more step')
    await fill('Code', nextCode())
    await press('Continue')
    await arriveAt('Hello Paula Person')
  })

  test('delete the account', async () => {
    await follow('Data & deletion')
    await arriveAt('Data & deletion')
    await follow('Delete my account')
    await fill('Type DELETE MY ACCOUNT', 'delete my account')
    await fill('Password', NEW_PASSWORD)
    await screenshot('delete')
    await press('Delete my account')
    await page.locator('#problem').waitFor()
    await fill('Type DELETE MY ACCOUNT', 'DELETE MY ACCOUNT')
    await fill('Password', NEW_PASSWORD)
    await press('Delete my account')
    await arriveAt('Goodbye')
    await go('/account')
    await arriveAt('Sign in')
  })

  test('restore the account', async () => {
    await signIn(NEW_EMAIL, NEW_PASSWORD)
    await arriveAt('Restore your account?')
    await screenshot('restore')
    await press('Restore and sign in')
    await arriveAt('One more step')
    await fill('Code', nextCode())
    await press('Continue')
    await arriveAt('Hello Paula Person')
    await go('/account/security')
    await page.getByText('Her laptop').waitFor()
  })

  test('no page logged an error', () => {
    // The browser logs 4xx responses of refused forms, which are expected.
    const unexpected = errors.filter((text) => !/the server responded with a status of 4\d\d/.test(text))
    expect(unexpected).toEqual([])
  })
})
