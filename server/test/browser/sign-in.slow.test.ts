import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join as joinPath } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addPerson } from '../account/people.ts'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { totpCode } from '../support/totp.ts'
import {
  admin,
  authorizeUrl,
  claimsOf,
  exchange,
  join,
  PASSWORD,
  startWorld,
  thirdParty,
} from '../support/world.ts'

/** Set to look at the pages: every step is kept as a picture. */
const pictures = process.env.SCREENSHOTS

describe.skipIf(!browserPath)('signing in in a browser', () => {
  let service: TestService
  let browser: Browser
  let context: BrowserContext
  let page: Page
  /** The application: a real page on another origin. */
  let application: Server
  let callback: string
  let partner: { id: string; clientId: string }
  const complaints: string[] = []

  beforeAll(async () => {
    service = await startWorld()
    browser = await openBrowser()
    application = createServer((_request, response) => {
      response
        .setHeader('Content-Type', 'text/html')
        .end('<title>App</title><h1>Back in the application</h1>')
    })
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve))
    const { port } = application.address() as AddressInfo
    callback = `http://127.0.0.1:${port}/callback`
    partner = await thirdParty(service.url)
    const redirectUris = [callback]
    await admin(service.url, `/api/admin/clients/${partner.id}`, { redirectUris }, 'PATCH')
    const spa = await service.ctx.db
      .selectFrom('clients')
      .select('id')
      .where('client_id', '=', 'demo-spa')
      .executeTakeFirstOrThrow()
    await admin(service.url, `/api/admin/clients/${spa.id}`, { redirectUris }, 'PATCH')
    await join(service, 'gus@globex.test', 'acme')
  })
  afterAll(async () => {
    await browser?.close()
    application?.close()
    await service?.close()
  })
  beforeEach(async () => {
    // Without script: every page must do without.
    context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 780 } })
    page = await context.newPage()
    complaints.length = 0
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  })
  afterEach(async () => {
    await context.close()
  })

  const start = (parameters: Record<string, string> = {}) =>
    page.goto(authorizeUrl(service.url, { redirect_uri: callback, ...parameters }))
  const heading = () => page.getByRole('heading', { level: 1 }).textContent()
  const answer = () => new URL(page.url()).searchParams

  async function fillIn(email: string, password = PASSWORD) {
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  async function picture(name: string) {
    if (!pictures) return
    await page.screenshot({ path: joinPath(pictures, `${name}.png`), fullPage: true })
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.screenshot({ path: joinPath(pictures, `${name}-dark.png`), fullPage: true })
    await page.emulateMedia({ colorScheme: 'light' })
  }

  test('a person signs in and arrives in the application with a code that works', async () => {
    await start()
    expect(await heading()).toBe('Sign in')
    expect(await page.locator('main').textContent()).toContain('to continue to Project Manager')
    await picture('sign-in')
    await fillIn('mia@acme.test')
    expect(await heading()).toBe('Back in the application')
    expect(answer().get('state')).toBe('st')
    const { status } = await exchange(service.url, answer().get('code') ?? '', { redirect_uri: callback })
    expect(status).toBe(200)
    expect(complaints).toEqual([])
  })

  test.runIf(FULL)('a wrong password is said on the page, keeps the address, and can be mended', async () => {
    await start()
    await fillIn('mia@acme.test', 'not the password')
    expect(await page.getByRole('alert').textContent()).toBe('The e-mail address or the password is wrong.')
    expect(await page.getByLabel('E-mail address').inputValue()).toBe('mia@acme.test')
    await picture('wrong-password')
    await fillIn('mia@acme.test')
    expect(await heading()).toBe('Back in the application')
  })

  test.runIf(FULL)('the second application needs no second sign-in', async () => {
    await start()
    await fillIn('mia@acme.test')
    await start({ state: 'again' })
    expect(await heading()).toBe('Back in the application')
    expect(answer().get('state')).toBe('again')
  })

  test.runIf(FULL)('who belongs to several organisations chooses one, in each tab its own', async () => {
    await start()
    await fillIn('gus@globex.test')
    expect(await heading()).toBe('Choose an organisation')
    await picture('choose-tenant')
    const other = await context.newPage()
    await other.goto(authorizeUrl(service.url, { redirect_uri: callback, state: 'other tab' }))
    await page.getByRole('button', { name: 'Acme' }).click()
    await other.getByRole('button', { name: 'Globex' }).click()
    for (const [tab, slug] of [
      [page, 'acme'],
      [other, 'globex'],
    ] as const) {
      const code = new URL(tab.url()).searchParams.get('code') ?? ''
      const { body } = await exchange(service.url, code, { redirect_uri: callback })
      const claims = JSON.parse(Buffer.from(body.access_token.split('.')[1] ?? '', 'base64url').toString())
      expect(claims.tenant_slug).toBe(slug)
    }
  })

  test('a third-party application is allowed once and not asked about again', async () => {
    await start({ client_id: partner.clientId })
    await fillIn('mia@acme.test')
    expect(await heading()).toBe('Allow Partner Reports?')
    expect(await page.getByRole('listitem').allTextContents()).toContain('See your e-mail address')
    await picture('consent')
    await page.getByRole('button', { name: 'Allow' }).click()
    expect(answer().get('code')).toMatch(/^[\w-]{43}$/)
    await start({ client_id: partner.clientId })
    expect(await heading()).toBe('Back in the application')
    expect(complaints).toEqual([])
  })

  test.runIf(FULL)('who denies sends the application away with access_denied and no code', async () => {
    await start({ client_id: partner.clientId, prompt: 'consent' })
    await fillIn('max@acme.test')
    await page.getByRole('button', { name: 'Deny' }).click()
    expect(answer().get('error')).toBe('access_denied')
    expect(answer().get('state')).toBe('st')
    expect(answer().has('code')).toBe(false)
  })

  test.runIf(FULL)(
    'a tenant that demands a second factor leads through setting one up, and on to the application',
    async () => {
      const setPolicy = (mfa_policy: 'REQUIRED' | 'OPTIONAL') =>
        service.ctx.db.updateTable('tenants').set({ mfa_policy }).where('slug', '=', 'acme').execute()
      await setPolicy('REQUIRED')
      try {
        const { email } = await addPerson(service)
        await join(service, email, 'acme')
        await start({ tenant: 'acme' })
        await fillIn(email)
        expect(await heading()).toBe('Set up a second step')
        await picture('mfa-demanded')
        await page.getByRole('button', { name: 'Use an authenticator app' }).click()
        const secret = ((await page.locator('main code').textContent()) ?? '').replaceAll(' ', '')
        await page.getByLabel('Code').fill(totpCode(secret, service.ctx.now()))
        await page.getByRole('button', { name: 'Confirm' }).click()
        await page.getByRole('link', { name: 'I have kept them' }).click()
        expect(await heading()).toBe('Back in the application')
        const form = { redirect_uri: callback }
        const { status, body } = await exchange(service.url, answer().get('code') ?? '', form)
        expect(status).toBe(200)
        expect(claimsOf(body.access_token)).toMatchObject({
          tenant_slug: 'acme',
          amr: expect.arrayContaining(['mfa']),
        })
        expect(complaints).toEqual([])
      } finally {
        await setPolicy('OPTIONAL')
      }
    },
  )

  test.runIf(FULL)('a reload and the back button lead somewhere sensible', async () => {
    await start()
    await page.reload()
    expect(await heading()).toBe('Sign in')
    await fillIn('gus@globex.test')
    await page.getByRole('heading', { name: 'Choose an organisation' }).waitFor()
    await page.reload()
    expect(await heading()).toBe('Choose an organisation')
    await page.getByRole('button', { name: 'Acme' }).click()
    expect(await heading()).toBe('Back in the application')
    await page.goBack()
    expect(await heading()).toBe('Choose an organisation')
    await page.getByRole('button', { name: 'Globex' }).click()
    expect(answer().has('code')).toBe(true)
  })

  test.runIf(FULL)(
    'who has signed in in another tab is not asked again, and the back button finds no form',
    async () => {
      await start()
      const other = await context.newPage()
      await other.goto(authorizeUrl(service.url, { redirect_uri: callback, state: 'other tab' }))
      await fillIn('mia@acme.test')
      expect(await heading()).toBe('Back in the application')
      await other.reload()
      expect(new URL(other.url()).searchParams.get('state')).toBe('other tab')
      expect(new URL(other.url()).searchParams.has('code')).toBe(true)
      await page.goBack()
      expect(await heading()).toBe('Back in the application')
    },
  )

  test.runIf(FULL)('a session that ends midway leads back to the sign-in, and then on', async () => {
    await start()
    await fillIn('gus@globex.test')
    await service.ctx.db.deleteFrom('sessions').execute()
    await page.getByRole('button', { name: 'Acme' }).click()
    expect(await heading()).toBe('Sign in')
    await fillIn('gus@globex.test')
    await page.getByRole('button', { name: 'Acme' }).click()
    expect(answer().has('code')).toBe(true)
  })

  test.runIf(FULL)('what another person was shown does not count for who signs in meanwhile', async () => {
    await start({ client_id: partner.clientId, prompt: 'consent' })
    await fillIn('olivia@acme.test')
    const other = await context.newPage()
    await other.goto(`${service.url}/login`)
    await other.goto(authorizeUrl(service.url, { redirect_uri: callback, prompt: 'login' }))
    await other.getByLabel('E-mail address').fill('adam@acme.test')
    await other.getByLabel('Password').fill(PASSWORD)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Allow' }).click()
    expect(await heading()).toBe('Allow Partner Reports?')
    expect(await page.locator('main').textContent()).toContain('adam@acme.test')
  })

  test.runIf(FULL)('an account is chosen when the application asks for that', async () => {
    await start()
    await fillIn('mia@acme.test')
    await start({ prompt: 'select_account' })
    expect(await heading()).toBe('Choose an account')
    await picture('choose-account')
    await page.getByRole('button', { name: 'Mia Member' }).click()
    expect(answer().has('code')).toBe(true)
    await start({ prompt: 'select_account' })
    await page.getByRole('button', { name: 'Use another account' }).click()
    expect(await heading()).toBe('Sign in')
    await fillIn('max@acme.test')
    expect(answer().has('code')).toBe(true)
  })

  test('signing out without a hint asks first, and staying is possible', async () => {
    await page.goto(`${service.url}/login`)
    await fillIn('mia@acme.test')
    expect(await heading()).toBe('Hello Mia Member')
    await picture('account')
    await page.goto(`${service.url}/api/oauth/logout`)
    expect(await heading()).toBe('Sign out?')
    await picture('sign-out')
    await page.getByRole('link', { name: 'Stay' }).click()
    expect(await heading()).toBe('Hello Mia Member')
    await page.goto(`${service.url}/api/oauth/logout`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    expect(await heading()).toBe('You are signed out')
    await picture('signed-out')
    await page.goto(`${service.url}/account`)
    expect(await heading()).toBe('Sign in')
  })

  test.runIf(FULL)('a pop-up in which somebody signs in still knows the page that opened it', async () => {
    const scripted = await browser.newContext()
    const opener = await scripted.newPage()
    await opener.goto(callback)
    const opened = scripted.waitForEvent('page')
    const address = authorizeUrl(service.url, { redirect_uri: callback, display: 'popup' })
    await opener.evaluate(`void window.open(${JSON.stringify(address)})`)
    const popup = await opened
    await popup.getByLabel('E-mail address').fill('mia@acme.test')
    await popup.getByLabel('Password').fill(PASSWORD)
    await popup.getByRole('button', { name: 'Sign in', exact: true }).click()
    await popup.getByRole('heading', { name: 'Back in the application' }).waitFor()
    expect(await popup.evaluate('window.opener !== null')).toBe(true)
    await scripted.close()
  })

  test.runIf(FULL)('a broken request is explained on a page and leads nowhere', async () => {
    await start({ redirect_uri: 'http://evil.test/callback' })
    expect(await page.getByRole('alert').textContent()).toContain('is not registered for the application')
    expect(new URL(page.url()).origin).toBe(service.url)
    await picture('broken-request')
  })

  test.runIf(FULL)('the keyboard alone is enough', async () => {
    await start()
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('email')
    await page.keyboard.type('mia@acme.test')
    await page.keyboard.press('Tab')
    await page.keyboard.type(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Back in the application' }).waitFor()
  })
})
