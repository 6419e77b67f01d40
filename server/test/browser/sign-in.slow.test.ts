import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insertUser } from '../account/people.ts'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import { addMember, admin, authorizeUrl, claimsOf, exchange, PASSWORD, startDemoService } from '../support/world.ts'
import { type Application, startApplication } from './application.ts'
import { takeScreenshots } from './screenshots.ts'

describe.skipIf(!browserPath)('signing in in a browser', () => {
  let service: TestService
  let browser: Browser
  let context: BrowserContext
  let page: Page
  /** The application, on another origin. */
  let application: Application
  const errors: string[] = []

  beforeAll(async () => {
    service = await startDemoService()
    browser = await openBrowser()
    application = await startApplication(service)
    await addMember(service, 'gus@globex.test', 'acme')
  })
  afterAll(async () => {
    await browser?.close()
    await application?.close()
    await service?.close()
  })
  beforeEach(async () => {
    // Every page must work without JavaScript.
    context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 780 } })
    page = await context.newPage()
    errors.length = 0
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  })
  afterEach(async () => {
    await context.close()
  })

  const start = (parameters: Record<string, string> = {}) =>
    page.goto(authorizeUrl(service.url, { redirect_uri: application.callback, ...parameters }))
  const heading = () => page.getByRole('heading', { level: 1 }).textContent()
  const answer = () => new URL(page.url()).searchParams

  async function fillIn(email: string, password = PASSWORD) {
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  const screenshot = (name: string) => takeScreenshots(page, name)

  test.runIf(FULL)('with response_mode=form_post the script posts the response to the application', async () => {
    const withScripts = await browser.newContext()
    const tab = await withScripts.newPage()
    await setResponseModes(service, ['query', 'form_post'])
    const posted = tab.waitForRequest(
      (request) => request.url() === application.callback && request.method() === 'POST',
    )
    await tab.goto(authorizeUrl(service.url, { redirect_uri: application.callback, response_mode: 'form_post' }))
    await tab.getByLabel('Email address').fill('mia@acme.test')
    await tab.getByLabel('Password').fill(PASSWORD)
    await tab.getByRole('button', { name: 'Sign in', exact: true }).click()
    const form = new URLSearchParams((await posted).postData() ?? '')
    expect(form.get('state')).toBe('st')
    const { status } = await exchange(service.url, form.get('code') ?? '', { redirect_uri: application.callback })
    expect(status).toBe(200)
    await withScripts.close()
  })

  test.runIf(FULL)('without a script the button posts the response', async () => {
    await setResponseModes(service, ['query', 'form_post'])
    await start({ response_mode: 'form_post' })
    await fillIn('mia@acme.test')
    expect(await heading()).toBe('Back to the application')
    await screenshot('form-post')
    await page.getByRole('button', { name: 'Continue' }).click()
    expect(await heading()).toBe('Back in the application')
    expect(page.url()).toBe(application.callback)
  })

  test('a user signs in and returns to the application with a valid code', async () => {
    await start()
    expect(await heading()).toBe('Sign in')
    expect(await page.locator('main').textContent()).toContain('to continue to Project Manager')
    await screenshot('sign-in')
    await fillIn('mia@acme.test')
    expect(await heading()).toBe('Back in the application')
    expect(answer().get('state')).toBe('st')
    const { status } = await exchange(service.url, answer().get('code') ?? '', {
      redirect_uri: application.callback,
    })
    expect(status).toBe(200)
    expect(errors).toEqual([])
  })

  test.runIf(FULL)('a wrong password shows an error, keeps the address, and can be corrected', async () => {
    await start()
    await fillIn('mia@acme.test', 'not the password')
    expect(await page.getByRole('alert').textContent()).toBe('The email address or the password is wrong.')
    expect(await page.getByLabel('Email address').inputValue()).toBe('mia@acme.test')
    await screenshot('wrong-password')
    await fillIn('mia@acme.test')
    expect(await heading()).toBe('Back in the application')
  })

  test.runIf(FULL)('a second authorization needs no second sign-in', async () => {
    await start()
    await fillIn('mia@acme.test')
    await start({ state: 'again' })
    expect(await heading()).toBe('Back in the application')
    expect(answer().get('state')).toBe('again')
  })

  test.runIf(FULL)('a user with several tenants chooses one per tab', async () => {
    await start()
    await fillIn('gus@globex.test')
    expect(await heading()).toBe('Choose an organization')
    await screenshot('choose-tenant')
    const other = await context.newPage()
    await other.goto(authorizeUrl(service.url, { redirect_uri: application.callback, state: 'other tab' }))
    await page.getByRole('button', { name: 'Acme' }).click()
    await other.getByRole('button', { name: 'Globex' }).click()
    for (const [tab, slug] of [
      [page, 'acme'],
      [other, 'globex'],
    ] as const) {
      const code = new URL(tab.url()).searchParams.get('code') ?? ''
      const { body } = await exchange(service.url, code, { redirect_uri: application.callback })
      const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1] ?? '', 'base64url').toString())
      expect(claims.tenant_slug).toBe(slug)
    }
  })

  test('consent to a third-party application is asked for once', async () => {
    await start({ client_id: application.partnerClientId })
    await fillIn('mia@acme.test')
    expect(await heading()).toBe('Allow Partner Reports?')
    expect(await page.getByRole('listitem').allTextContents()).toContain('See your email address')
    await screenshot('consent')
    await page.getByRole('button', { name: 'Allow' }).click()
    expect(answer().get('code')).toMatch(/^[\w-]{43}$/)
    await start({ client_id: application.partnerClientId })
    expect(await heading()).toBe('Back in the application')
    expect(errors).toEqual([])
  })

  test.runIf(FULL)('denied consent returns access_denied and no code', async () => {
    await start({ client_id: application.partnerClientId, prompt: 'consent' })
    await fillIn('max@acme.test')
    await page.getByRole('button', { name: 'Deny' }).click()
    expect(answer().get('error')).toBe('access_denied')
    expect(answer().get('state')).toBe('st')
    expect(answer().has('code')).toBe(false)
  })

  test.runIf(FULL)('a tenant that requires MFA redirects to the setup, and then to the application', async () => {
    const setPolicy = (mfa_policy: 'REQUIRED' | 'OPTIONAL') =>
      service.ctx.db.updateTable('tenants').set({ mfa_policy }).where('slug', '=', 'acme').execute()
    await setPolicy('REQUIRED')
    try {
      const { email } = await insertUser(service)
      await addMember(service, email, 'acme')
      await start({ tenant: 'acme' })
      await fillIn(email)
      expect(await heading()).toBe('Set up a second step')
      await screenshot('mfa-demanded')
      await page.getByRole('button', { name: 'Use an authenticator app' }).click()
      const secret = ((await page.locator('main code').textContent()) ?? '').replaceAll(' ', '')
      await page.getByLabel('Code').fill(totpCode(secret, service.ctx.now()))
      await page.getByRole('button', { name: 'Confirm' }).click()
      await page.getByRole('link', { name: 'I have kept them' }).click()
      expect(await heading()).toBe('Back in the application')
      const form = { redirect_uri: application.callback }
      const { status, body } = await exchange(service.url, answer().get('code') ?? '', form)
      expect(status).toBe(200)
      expect(claimsOf(body.access_token)).toMatchObject({
        tenant_slug: 'acme',
        amr: expect.arrayContaining(['mfa']),
      })
      expect(errors).toEqual([])
    } finally {
      await setPolicy('OPTIONAL')
    }
  })

  test.runIf(FULL)('reload and back button work in every step', async () => {
    await start()
    await page.reload()
    expect(await heading()).toBe('Sign in')
    await fillIn('gus@globex.test')
    await page.getByRole('heading', { name: 'Choose an organization' }).waitFor()
    await page.reload()
    expect(await heading()).toBe('Choose an organization')
    await page.getByRole('button', { name: 'Acme' }).click()
    expect(await heading()).toBe('Back in the application')
    await page.goBack()
    expect(await heading()).toBe('Choose an organization')
    await page.getByRole('button', { name: 'Globex' }).click()
    expect(answer().has('code')).toBe(true)
  })

  test.runIf(FULL)('after a sign-in in another tab no form is shown, also by the back button', async () => {
    await start()
    const other = await context.newPage()
    await other.goto(authorizeUrl(service.url, { redirect_uri: application.callback, state: 'other tab' }))
    await fillIn('mia@acme.test')
    expect(await heading()).toBe('Back in the application')
    await other.reload()
    expect(new URL(other.url()).searchParams.get('state')).toBe('other tab')
    expect(new URL(other.url()).searchParams.has('code')).toBe(true)
    await page.goBack()
    expect(await heading()).toBe('Back in the application')
  })

  test.runIf(FULL)('a session that ends midway redirects to the sign-in, and then continues', async () => {
    await start()
    await fillIn('gus@globex.test')
    await service.ctx.db.deleteFrom('sessions').execute()
    await page.getByRole('button', { name: 'Acme' }).click()
    expect(await heading()).toBe('Sign in')
    await fillIn('gus@globex.test')
    await page.getByRole('button', { name: 'Acme' }).click()
    expect(answer().has('code')).toBe(true)
  })

  test.runIf(FULL)('a page shown to one user cannot be submitted by another', async () => {
    await start({ client_id: application.partnerClientId, prompt: 'consent' })
    await fillIn('olivia@acme.test')
    const other = await context.newPage()
    await other.goto(`${service.url}/login`)
    await other.goto(authorizeUrl(service.url, { redirect_uri: application.callback, prompt: 'login' }))
    await other.getByLabel('Email address').fill('adam@acme.test')
    await other.getByLabel('Password').fill(PASSWORD)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    expect(await heading()).toBe('Allow Partner Reports?')
    expect(await page.locator('main').textContent()).toContain('adam@acme.test')
  })

  test.runIf(FULL)('prompt=select_account shows the account page', async () => {
    await start()
    await fillIn('mia@acme.test')
    await start({ prompt: 'select_account' })
    expect(await heading()).toBe('Choose an account')
    await screenshot('choose-account')
    await page.getByRole('button', { name: 'Mia Member' }).click()
    expect(answer().has('code')).toBe(true)
    await start({ prompt: 'select_account' })
    await page.getByRole('button', { name: 'Use another account' }).click()
    expect(await heading()).toBe('Sign in')
    await fillIn('max@acme.test')
    expect(answer().has('code')).toBe(true)
  })

  test('logout without a hint asks for confirmation, which can be declined', async () => {
    await page.goto(`${service.url}/login`)
    await fillIn('mia@acme.test')
    expect(await heading()).toBe('Hello Mia Member')
    await screenshot('account')
    await page.goto(`${service.url}/api/oauth/logout`)
    expect(await heading()).toBe('Sign out?')
    await screenshot('sign-out')
    await page.getByRole('link', { name: 'Stay' }).click()
    expect(await heading()).toBe('Hello Mia Member')
    await page.goto(`${service.url}/api/oauth/logout`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    expect(await heading()).toBe('You are signed out')
    await screenshot('signed-out')
    await page.goto(`${service.url}/account`)
    expect(await heading()).toBe('Sign in')
  })

  test.runIf(FULL)('a sign-in in a pop-up keeps window.opener', async () => {
    const scripted = await browser.newContext()
    const opener = await scripted.newPage()
    await opener.goto(application.callback)
    const opened = scripted.waitForEvent('page')
    const address = authorizeUrl(service.url, { redirect_uri: application.callback, display: 'popup' })
    await opener.evaluate(`void window.open(${JSON.stringify(address)})`)
    const popup = await opened
    await popup.getByLabel('Email address').fill('mia@acme.test')
    await popup.getByLabel('Password').fill(PASSWORD)
    await popup.getByRole('button', { name: 'Sign in', exact: true }).click()
    await popup.getByRole('heading', { name: 'Back in the application' }).waitFor()
    expect(await popup.evaluate('window.opener !== null')).toBe(true)
    await scripted.close()
  })

  test.runIf(FULL)('an invalid request shows an error page and does not redirect', async () => {
    await start({ redirect_uri: 'http://evil.test/callback' })
    expect(await page.getByRole('alert').textContent()).toContain('is not registered for the application')
    expect(new URL(page.url()).origin).toBe(service.url)
    await screenshot('broken-request')
  })

  test.runIf(FULL)('the sign-in works with the keyboard alone', async () => {
    await start()
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('email')
    await page.keyboard.type('mia@acme.test')
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Back in the application' }).waitFor()
  })
})

async function setResponseModes({ ctx, url }: TestService, responseModes: string[]) {
  const { id } = await ctx.db
    .selectFrom('clients')
    .select('id')
    .where('client_id', '=', 'demo-spa')
    .executeTakeFirstOrThrow()
  await admin(url, `/api/admin/clients/${id}`, { responseModes }, 'PATCH')
}
