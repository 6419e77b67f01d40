import { join as joinPath } from 'node:path'
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { insertUser } from '../account/people.ts'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'

/** If set, screenshots are written to this directory. */
const screenshots = process.env.SCREENSHOTS

describe.runIf(FULL && browserPath)('passkeys in a browser', () => {
  let service: TestService
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let cdp: CDPSession
  let authenticatorId: string
  let email: string
  const errors: string[] = []

  beforeAll(async () => {
    service = await startDemoService({ host: 'localhost' })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })
  beforeEach(async () => {
    ;({ email } = await insertUser(service))
    context = await browser.newContext({ viewport: { width: 390, height: 780 } })
    await context.addInitScript(
      `if (!sessionStorage.autofill) delete PublicKeyCredential.isConditionalMediationAvailable`,
    )
    page = await context.newPage()
    errors.length = 0
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    page.on('pageerror', (error) => errors.push(String(error)))
    cdp = await context.newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const added = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    authenticatorId = added.authenticatorId
  })
  afterEach(() => context.close())

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const heading = () => page.getByRole('heading', { level: 1 }).textContent()

  async function submitPassword() {
    await page.goto(`${service.url}/login`)
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await button('Sign in').click()
  }

  async function enroll(name = '') {
    await submitPassword()
    await page.waitForURL('**/account')
    await page.goto(`${service.url}/account/security`)
    await page.getByLabel('Name of the passkey (optional)').fill(name)
    await button('Add a passkey').click()
    await page.getByRole('heading', { name: 'Keep these recovery codes' }).waitFor()
  }

  /** The browser loses its cookies, while the device keeps its passkeys. */
  const signOut = () => context.clearCookies()

  async function screenshot(name: string) {
    if (!screenshots) return
    await page.screenshot({ path: joinPath(screenshots, `${name}.png`), fullPage: true })
  }

  test('a user adds a passkey, gets recovery codes, and signs in without a password', async () => {
    await enroll('Blue laptop')
    const codes = await page.getByRole('status').getByRole('listitem').allTextContents()
    expect(codes).toHaveLength(10)
    expect(codes[0]).toMatch(/^[a-z0-9]{4}(-[a-z0-9]{4}){3}$/)
    await screenshot('passkey-codes')
    await page.getByRole('link', { name: 'I have kept them' }).click()
    await page.waitForURL('**/account/security')
    await page.getByText('Blue laptop').waitFor()
    await screenshot('passkey-security')

    await signOut()
    await page.goto(`${service.url}/login`)
    await screenshot('passkey-login')
    await button('Sign in with a passkey').click()
    await page.waitForURL('**/account')
    expect(await page.content()).toContain(email)
    expect(errors).toEqual([])
  })

  test('a passkey that the browser offers in the address field signs in, and the page puts passkeys first', async () => {
    await enroll()
    // The virtual authenticator answers as if the person had chosen the passkey in the field.
    await page.evaluate('sessionStorage.autofill = "on"')
    // A passkey was added in this browser, so the next sign-in there begins with it.
    const methods = (await context.cookies()).find(({ name }) => name === 'latchkey_methods')
    expect(methods?.value).toBe('password.passkey')
    await context.clearCookies({ name: 'latchkey_session' })
    const html = await (await context.request.get(`${service.url}/login`)).text()
    expect(html).toContain('autocomplete="username webauthn"')
    expect(html.indexOf('Sign in with a passkey')).toBeLessThan(html.indexOf('name="email"'))
    await page.goto(`${service.url}/login`)
    await page.waitForURL('**/account')
    expect(await page.content()).toContain(email)
    expect(errors).toEqual([])
  })

  test('after the password a passkey is the second factor', async () => {
    await enroll()
    await signOut()
    await submitPassword()
    await page.waitForURL('**/mfa')
    expect(await heading()).toBe('One more step')
    await screenshot('passkey-mfa')
    await button('Use your passkey').click()
    await page.waitForURL('**/account')
    expect(await page.content()).toContain(email)
    expect(errors).toEqual([])
  })

  test('a cancelled passkey prompt is not shown as an error', async () => {
    await enroll()
    await signOut()
    await page.goto(`${service.url}/login`)
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await button('Sign in with a passkey').click()
    await page.getByText('No passkey was used.').waitFor()
    expect(await page.getByRole('alert').allTextContents()).toEqual([''])
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
    await button('Sign in with a passkey').click()
    await page.waitForURL('**/account')
  })

  test('a device with a passkey of the user does not get another', async () => {
    await enroll()
    await page.getByRole('link', { name: 'I have kept them' }).click()
    await button('Add a passkey').click()
    const message = 'There is a passkey of yours on this device already.'
    await page.getByRole('alert').getByText(message).waitFor()
  })

  test('a removed passkey is refused with a message', async () => {
    await enroll()
    await service.ctx.db.deleteFrom('passkeys').execute()
    await signOut()
    await page.goto(`${service.url}/login`)
    await button('Sign in with a passkey').click()
    await page.getByRole('alert').getByText('This passkey was not accepted.').waitFor()
    expect(new URL(page.url()).pathname).toBe('/login')
  })

  test('the messages of the browser and of the API are in the language of the page', async () => {
    await enroll()
    await service.ctx.db.deleteFrom('passkeys').execute()
    await signOut()
    await context.addCookies([{ name: 'latchkey_language', value: 'de', url: service.url }])
    await page.goto(`${service.url}/login`)
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await button('Mit einem Passkey anmelden').click()
    await page.getByText('Es wurde kein Passkey verwendet.').waitFor()
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
    await button('Mit einem Passkey anmelden').click()
    await page.getByRole('alert').getByText('Dieser Passkey wurde nicht akzeptiert.').waitFor()
    await page.getByRole('button', { name: 'Passwort anzeigen' }).click()
  })

  test('adding a passkey after an old sign-in requires the password', async () => {
    await submitPassword()
    await page.waitForURL('**/account')
    await page.goto(`${service.url}/account/security`)
    await service.ctx.db
      .updateTable('sessions')
      .set({ auth_time: new Date(Date.now() - 2 * 3_600_000) })
      .execute()
    await button('Add a passkey').click()
    await page.locator('#passkey-password').fill(PASSWORD)
    await page.locator('#passkey-password').press('Enter')
    await page.getByRole('heading', { name: 'Keep these recovery codes' }).waitFor()
  })

  test('a user scheduled for deletion is redirected to the restore page', async () => {
    await enroll()
    await service.ctx.db
      .updateTable('users')
      .set({ deletion_requested_at: new Date() })
      .where('email', '=', email)
      .execute()
    await signOut()
    await page.goto(`${service.url}/login`)
    await button('Sign in with a passkey').click()
    await page.waitForURL('**/restore')
  })

  test('without JavaScript or passkey support the passkey button is hidden', async () => {
    const plain = await browser.newContext({ javaScriptEnabled: false })
    const old = await browser.newContext()
    await old.addInitScript('delete window.PublicKeyCredential')
    for (const other of [plain, old]) {
      const visit = await other.newPage()
      await visit.goto(`${service.url}/login`)
      expect(await visit.getByRole('button', { name: 'Sign in', exact: true }).isVisible()).toBe(true)
      expect(await visit.getByText('Sign in with a passkey').isVisible()).toBe(false)
      await other.close()
    }
  })

  test('only pages with a script allow scripts, and only from this origin', async () => {
    const policyOf = async (path: string) =>
      (await fetch(service.url + path)).headers.get('content-security-policy') ?? ''
    expect(await policyOf('/login')).toContain("script-src 'self'; connect-src 'self'")
    for (const path of ['/', '/nowhere']) {
      expect(await policyOf(path)).not.toMatch(/script-src|connect-src/)
    }
    const html = await (await fetch(`${service.url}/login`)).text()
    const script = /src="(\/assets\/passkey-[0-9a-f]{12}\.js)"/.exec(html)?.[1]
    const asset = await fetch(service.url + script)
    expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000')
  })
})
