import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listMailTo } from '../account/people.ts'
import { linkTo, newAddress, PASSWORD } from '../sessions/sign-up-steps.ts'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { authorizeUrl, startDemoService } from '../support/world.ts'
import { type Application, startApplication } from './application.ts'
import { takeScreenshots } from './screenshots.ts'

const WIDTH = 390
const NEW_PASSWORD = 'a lighthouse in the fog'

describe.runIf(FULL && browserPath)('sign-up in a browser', () => {
  let service: TestService
  let application: Application
  let browser: Browser
  const contexts: BrowserContext[] = []
  const errors: string[] = []

  beforeAll(async () => {
    service = await startDemoService({ worker: true })
    application = await startApplication(service)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await application?.close()
    await service?.close()
  })

  /** A page in a browser of its own. */
  async function openPage(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: WIDTH, height: 780 }, ...options })
    contexts.push(context)
    const page = await context.newPage()
    page.setDefaultTimeout(45_000)
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    page.on('pageerror', (error) => errors.push(String(error)))
    return page
  }

  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
  const follow = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click()
  const fill = (page: Page, label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text)
  const arriveAt = (page: Page, heading: string) =>
    page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
  const textIn = (page: Page, label: string) => page.getByLabel(label, { exact: true }).inputValue()
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.id)
  /** The application gets a code, and its own state back. */
  async function arriveInApplication(page: Page) {
    await arriveAt(page, 'Back in the application')
    expect(new URL(page.url()).searchParams.get('state')).toBe('kept')
    expect(new URL(page.url()).searchParams.get('code')).toMatch(/\w/)
  }

  const startFrom = (page: Page) =>
    page.goto(authorizeUrl(service.url, { redirect_uri: application.callback, state: 'kept' }))

  async function signUp(page: Page, email: string) {
    await startFrom(page)
    await follow(page, 'Create an account')
    await arriveAt(page, 'Create an account')
    await fill(page, 'Given name', 'Nora')
    await fill(page, 'Family name', 'Newcomer')
    await fill(page, 'Email address', email)
    await fill(page, 'Password', PASSWORD)
    await press(page, 'Create account')
    await arriveAt(page, 'Check your mailbox')
  }

  const newestLink = async (email: string) => service.url + (await linkTo(service, email))

  test('in one browser the link in the mail leads into the application', async () => {
    const page = await openPage()
    const email = newAddress()
    await startFrom(page)
    await fill(page, 'Email address', 'typed@people.test')
    await follow(page, 'Create an account')
    await expect.poll(() => textIn(page, 'Email address')).toBe('typed@people.test')
    await takeScreenshots(page, 'sign-up')
    await fill(page, 'Given name', 'Nora')
    await fill(page, 'Family name', 'Newcomer')
    await fill(page, 'Password', 'password1')
    await press(page, 'Create account')
    await page.locator('#problem').waitFor()
    await expect.poll(() => focused(page)).toBe('password')
    await takeScreenshots(page, 'sign-up-weak')
    await fill(page, 'Password', PASSWORD)
    await press(page, 'Create account')
    await page.getByText('typed@people.test').waitFor()
    await takeScreenshots(page, 'sign-up-waiting')
    expect(await page.getByRole('button', { name: 'Send the mail again' }).isDisabled()).toBe(true)
    await page.getByText(/another mail in \d+ seconds/).waitFor()
    // The address was mistyped.
    await follow(page, 'Use another address')
    expect(await textIn(page, 'Given name')).toBe('Nora')
    await fill(page, 'Email address', email)
    await fill(page, 'Password', PASSWORD)
    await press(page, 'Create account')
    await page.getByText(email).waitFor()

    const mail = await contexts.at(-1)?.newPage()
    if (!mail) throw new Error('no second tab')
    await mail.goto(await newestLink(email))
    await arriveInApplication(mail)
    // The first tab must not send a second code to the application by itself.
    await page.bringToFront()
    await arriveAt(page, 'You are signed in')
    await takeScreenshots(page, 'sign-up-continued-elsewhere')
    await follow(page, 'Continue here')
    await arriveInApplication(page)
    // The link was used.
    await mail.goto(await newestLink(email))
    await arriveAt(mail, 'Your address is confirmed')
    await takeScreenshots(mail, 'verify-email-used')
    await follow(mail, 'Continue')
    await arriveAt(mail, 'Hello Nora Newcomer')
  })

  test('across two browsers the first one continues by itself, and the second one only confirms', async () => {
    const page = await openPage()
    const phone = await openPage({ javaScriptEnabled: false })
    const email = newAddress()
    await signUp(page, email)
    await phone.goto(await newestLink(email))
    await arriveAt(phone, 'Confirm your address')
    await takeScreenshots(phone, 'verify-email-other-device')
    await press(phone, 'Confirm')
    await phone.getByText('go back to the browser in which you have signed up').waitFor()
    await takeScreenshots(phone, 'verify-email-go-back')
    await arriveInApplication(page)
    await phone.goto(`${service.url}/account`)
    await arriveAt(phone, 'Sign in')
    await phone.goto(await newestLink(email))
    await arriveAt(phone, 'This link does not work any more')
    await takeScreenshots(phone, 'verify-email-dead')
  })

  test('without JavaScript the first browser continues with its button', async () => {
    const page = await openPage({ javaScriptEnabled: false })
    const phone = await openPage({ javaScriptEnabled: false })
    const email = newAddress()
    await signUp(page, email)
    await press(page, 'I have followed the link')
    await page.getByText('Your address is not confirmed yet').waitFor()
    await takeScreenshots(page, 'sign-up-too-early')
    await press(page, 'Send the mail again')
    await page
      .getByText(/another mail in \d+ seconds/)
      .first()
      .waitFor()
    service.advance(60_000)
    await press(page, 'Send the mail again')
    await page.getByText('Only the link in the newest mail works').waitFor()
    await takeScreenshots(page, 'sign-up-resent')
    await phone.goto(await newestLink(email))
    await press(phone, 'Confirm')
    await press(page, 'I have followed the link')
    await arriveInApplication(page)
  })

  test('a person who did not sign up rejects the link', async () => {
    const page = await openPage()
    const owner = await openPage()
    const email = newAddress()
    await signUp(page, email)
    await owner.goto(await newestLink(email))
    await press(owner, 'It was not me')
    await arriveAt(owner, 'Thank you')
    await takeScreenshots(owner, 'verify-email-rejected')
    await owner.goto(await newestLink(email))
    await arriveAt(owner, 'This link does not work any more')
  })

  test('a password reset leads into the application', async () => {
    const page = await openPage()
    const email = newAddress()
    await signUp(page, email)
    await page.goto(await newestLink(email))
    await arriveInApplication(page)
    await page.context().clearCookies()
    await startFrom(page)
    await fill(page, 'Email address', email)
    await follow(page, 'Forgot your password?')
    await expect.poll(() => textIn(page, 'Email address')).toBe(email)
    await press(page, 'Send the link')
    await arriveAt(page, 'Check your mailbox')
    await takeScreenshots(page, 'reset-mailed')
    const link = async () =>
      (await listMailTo(service, email)).flatMap(({ text }) => /(\/reset-password\S+)/.exec(text)?.[1] ?? [])[0]
    await expect.poll(link).toMatch(/token=/)
    await page.goto(service.url + (await link()))
    await page.getByText(email).waitFor()
    await fill(page, 'New password', 'short')
    await press(page, 'Set the password')
    await page.locator('#problem').waitFor()
    await expect.poll(() => focused(page)).toBe('newPassword')
    await takeScreenshots(page, 'reset-choose')
    await fill(page, 'New password', NEW_PASSWORD)
    await press(page, 'Set the password')
    await arriveInApplication(page)
    await page.goto(service.url + (await link()))
    await arriveAt(page, 'This link does not work any more')
    await takeScreenshots(page, 'reset-dead')
  })

  test('no page logged an error', () => {
    // The browser logs 4xx responses of refused forms, which are expected.
    expect(errors.filter((text) => !/the server responded with a status of 4\d\d/.test(text))).toEqual([])
  })
})
