import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { call, insertUser, listMailTo } from '../account/people.ts'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { authorizeUrl, PASSWORD, signIn, startDemoService } from '../support/world.ts'
import { type Application, startApplication } from './application.ts'
import { takeScreenshots } from './screenshots.ts'

const STEP_MS = 30_000

describe.runIf(FULL && browserPath)('ways to sign in, in a browser with scripts', () => {
  let service: TestService
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let application: Application
  const errors: string[] = []

  beforeAll(async () => {
    service = await startDemoService({ worker: true })
    browser = await openBrowser()
    application = await startApplication(service)
    const applications = service.ctx.db.updateTable('applications').set({ email_codes: true })
    await applications.where('slug', '=', 'project-manager').execute()
  })
  afterAll(async () => {
    await browser?.close()
    await application?.close()
    await service?.close()
  })
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 390, height: 780 } })
    page = await context.newPage()
    errors.length = 0
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    page.on('pageerror', (error) => errors.push(String(error)))
  })
  afterEach(() => context.close())

  const start = () => page.goto(authorizeUrl(service.url, { redirect_uri: application.callback }))
  const heading = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  test('a mailed code signs in, and is shown first the next time, but the Enter key sends the password', async () => {
    const { email } = await insertUser(service)
    await start()
    await page.getByLabel('Email address').fill(email)
    await takeScreenshots(page, 'sign-in-with-code-offer')
    await button('Email me a code').click()
    await heading('Check your mail')
    await takeScreenshots(page, 'mailed-code')
    const codeOf = async () => /^\d{6}/.exec((await listMailTo(service, email))[0]?.subject ?? '')?.[0] ?? ''
    await expect.poll(codeOf, { timeout: 10_000 }).toMatch(/^\d{6}$/)
    await page.getByLabel('Code').fill(await codeOf())
    await button('Sign in').click()
    await heading('Back in the application')
    await context.clearCookies({ name: 'latchkey_session' })
    await start()
    await page.getByLabel('Email address').fill(email)
    await takeScreenshots(page, 'sign-in-with-code-first')
    const top = async (name: string) => (await button(name).boundingBox())?.y ?? 0
    expect(await top('Email me a code')).toBeLessThan(await top('Sign in'))
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await heading('Back in the application')
    expect(errors).toEqual([])
  })

  test('a password can be shown, and the button waits for the response', async () => {
    await start()
    const password = page.getByRole('textbox', { name: 'Password' })
    await password.fill('not the password')
    const show = page.getByRole('button', { name: 'Show password' })
    expect(await show.getAttribute('aria-pressed')).toBe('false')
    await show.click()
    expect(await password.getAttribute('type')).toBe('text')
    expect(await show.getAttribute('aria-pressed')).toBe('true')
    await takeScreenshots(page, 'sign-in-visible-password')
    await page.getByLabel('Email address').fill('mia@acme.test')
    // The page is gone soon after the click, so it writes down what it looked like.
    await page.evaluate(`addEventListener('submit', ({ submitter }) => setTimeout(() => {
      const field = document.querySelector('#password')
      sessionStorage.pending = [submitter.disabled, submitter.getAttribute('aria-busy'), field.type].join()
    }))`)
    await button('Sign in').click()
    await page.getByRole('alert').getByText('The email address or the password is wrong.').waitFor()
    // Password managers recognize only a password field.
    expect(await page.evaluate('sessionStorage.pending')).toBe('true,true,password')
    expect(await page.locator('button[aria-busy], button:disabled').count()).toBe(0)
  })

  test('the second step takes six digits, or a recovery code on its own page', async () => {
    const person = await insertUser(service)
    const headers = { cookie: await signIn(service.url, person.email), 'sec-fetch-site': 'same-origin' }
    const post = (path: string, body: object) =>
      call(`${service.url}/api/users/me/mfa/${path}`, { method: 'POST', body, headers })
    const { body } = await post('totp', {})
    const secret = String(body.secret)
    service.advance(STEP_MS)
    const code = totpCode(secret, service.ctx.now())
    const verified = await post('totp/verify', { code })
    const [recoveryCode = ''] = verified.body.recoveryCodes as string[]
    const enterPassword = async () => {
      await page.goto(`${service.url}/login`)
      await page.getByLabel('Email address').fill(person.email)
      await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
      await button('Sign in').click()
      await heading('One more step')
    }
    await enterPassword()
    await takeScreenshots(page, 'second-step')
    service.advance(STEP_MS)
    await page.getByLabel('Code').fill(totpCode(secret, service.ctx.now()))
    await button('Continue').click()
    await page.waitForURL('**/account')
    await context.clearCookies()
    await enterPassword()
    await page.getByRole('link', { name: 'Use a recovery code' }).click()
    await heading('Use a recovery code')
    await takeScreenshots(page, 'recovery-code')
    await page.getByLabel('Recovery code').fill(recoveryCode)
    await button('Continue').click()
    await page.waitForURL('**/account')
    expect(errors).toEqual([])
  })

  test('new recovery codes can be copied, downloaded and printed', async () => {
    const { email } = await insertUser(service)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`${service.url}/login`)
    await page.getByLabel('Email address').fill(email)
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await button('Sign in').click()
    await page.waitForURL('**/account')
    await page.goto(`${service.url}/mfa/setup`)
    await button('Use an authenticator app').click()
    await heading('Set up your authenticator app')
    const secret = ((await page.locator('main code').textContent()) ?? '').replaceAll(' ', '')
    service.advance(STEP_MS)
    await page.getByLabel('Code').fill(totpCode(secret, service.ctx.now()))
    await button('Confirm').click()
    await heading('Keep these recovery codes')
    await takeScreenshots(page, 'recovery-codes')
    const codes = await page.locator('.codes li').allTextContents()
    await button('Copy').click()
    await button('Copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${codes.join('\n')}\n`)
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download' }).click()
    expect((await downloading).suggestedFilename()).toBe('recovery-codes.txt')
    await page.evaluate('window.print = () => { document.title = "printed" }')
    await button('Print').click()
    await expect.poll(() => page.title()).toBe('printed')
    expect(errors).toEqual([])
  })
})
