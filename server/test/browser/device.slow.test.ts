import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectPageAccessible } from '../console/console-page.ts'
import { askForCodes, poll, setDeviceFlow } from '../oauth/device-steps.ts'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { authorizeUrl, PASSWORD, startDemoService, thirdParty } from '../support/world.ts'
import { takeScreenshots } from './screenshots.ts'

const WIDTH = 360
const USER_AGENT = { 'user-agent': 'AcmeTV/3.1 (Linux; Large Screen)' }

describe.skipIf(!browserPath)('connecting a device in a browser', () => {
  let service: TestService
  let browser: Browser
  let context: BrowserContext
  let page: Page
  const errors: string[] = []

  beforeAll(async () => {
    service = await startDemoService()
    browser = await openBrowser()
    await setDeviceFlow(service, 'demo-spa', true)
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })
  beforeEach(() => open({ javaScriptEnabled: false }))
  afterEach(() => context.close())

  async function open(options: { javaScriptEnabled: boolean }) {
    context = await browser.newContext({ ...options, viewport: { width: WIDTH, height: 780 } })
    page = await context.newPage()
    errors.length = 0
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  }

  const newCodes = async (form: Record<string, string> = {}) => (await askForCodes(service.url, form, USER_AGENT)).body
  const heading = () => page.getByRole('heading', { level: 1 }).textContent()
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

  /** The page fits the screen. */
  async function check(name: string) {
    await takeScreenshots(page, name)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    expect(width, name).toBeLessThanOrEqual(WIDTH)
  }

  async function typeAndSignIn(code: string) {
    await page.goto(`${service.url}/device`)
    await page.getByLabel('Code').fill(code)
    await press('Continue')
    await page.getByLabel('Email address').fill('mia@acme.test')
    await page.getByLabel('Password').fill(PASSWORD)
    await press('Sign in')
  }

  test('without a script, a person types the code, signs in and allows the device', async () => {
    const codes = await newCodes()
    await page.goto(`${service.url}/device`)
    expect(await heading()).toBe('Connect a device')
    await check('device-code')
    await typeAndSignIn(codes.user_code.toLowerCase())
    expect(await heading()).toBe('Allow this device?')
    expect(await page.locator('main').textContent()).toContain('AcmeTV')
    await check('device-decision')
    await press('Allow')
    expect(await heading()).toBe('Return to your device')
    await check('device-allowed')
    expect((await poll(service.url, codes)).status).toBe(200)
    await page.goBack()
    await page.goto(`${service.url}/device?user_code=${codes.user_code}`)
    await press('Continue')
    expect(await page.getByRole('alert').textContent()).toBe('This code is wrong, used up or too old.')
    await check('device-wrong-code')
    expect(errors.filter((error) => !error.includes('status of 400'))).toEqual([])
  })

  test.runIf(FULL)('a third party asks for consent on the same page, and can be refused', async () => {
    const { clientId } = await thirdParty(service.url)
    await setDeviceFlow(service, clientId, true)
    const codes = await newCodes({ client_id: clientId })
    await typeAndSignIn(codes.user_code)
    expect(await page.locator('main').textContent()).toContain('See your email address')
    await check('device-consent')
    await press('Refuse')
    expect(await heading()).toBe('The device was refused')
    await check('device-refused')
    expect((await poll(service.url, codes, { client_id: clientId })).body.error).toBe('access_denied')
  })

  test.runIf(FULL)('the name of a third party that is one long word fits the screen, on every page', async () => {
    const name = `${'very-long-name-of-a-server-of-the-application'.repeat(2)}.apps.customers.example.com`
    const { clientId } = await thirdParty(service.url, name)
    await setDeviceFlow(service, clientId, true)
    await typeAndSignIn((await newCodes({ client_id: clientId })).user_code)
    expect(await page.locator('main').textContent()).toContain(name)
    await check('device-long-name')
    await page.goto(authorizeUrl(service.url, { client_id: clientId }))
    expect(await heading()).toBe(`Allow ${name}?`)
    await check('consent-long-name')
    await press('Allow')
    // Nothing responds at the redirect URI.
    await page.waitForURL('chrome-error://chromewebdata/')
    await page.goto(`${service.url}/account/data`)
    await check('account-data-long-name')
    await page.goto(authorizeUrl(service.url, { client_id: clientId, prompt: 'select_account' }))
    expect(await heading()).toBe('Choose an account')
    await check('account-choice-long-name')
    await page.goto(`${service.url}/logout`)
    await check('logout-long-name')
  })

  test.runIf(FULL)('with a script, every page is accessible, and a link submits nothing', async () => {
    await context.close()
    await open({ javaScriptEnabled: true })
    const codes = await newCodes()
    await page.goto(codes.verification_uri_complete)
    expect(await page.getByLabel('Code').inputValue()).toBe(codes.user_code)
    expect(await heading()).toBe('Connect a device')
    expect(await page.locator('main').textContent()).toContain('Did somebody send you this link?')
    await check('device-link')
    await expectPageAccessible(page)
    await typeAndSignIn(codes.user_code)
    await page.getByRole('heading', { name: 'Allow this device?' }).waitFor()
    await expectPageAccessible(page)
    await press('Allow')
    await page.getByRole('heading', { name: 'Return to your device' }).waitFor()
    await expectPageAccessible(page)
    expect(errors).toEqual([])
  })
})
