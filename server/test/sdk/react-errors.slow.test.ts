import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { admin, thirdParty } from '../support/world.ts'
import { type ReactTab, type ReactTest, startReactTest } from './react-page.ts'

describe.runIf(FULL && browserPath)('@latchkey/react explains what went wrong', () => {
  let react: ReactTest

  beforeAll(async () => {
    react = await startReactTest()
  })
  afterAll(() => react?.close())

  async function expectError(tab: ReactTab, ...texts: string[]) {
    await tab.expectStatus('error')
    const text = await tab.page.getByRole('alert').textContent()
    for (const part of texts) expect(text).toContain(part)
  }

  const startSignIn = async (tab: ReactTab) => {
    await tab.open()
    await tab.expectStatus('signedOut')
    await tab.press('Sign in')
  }

  test('an issuer at which nothing listens, which can be tried again', async () => {
    const issuer = 'http://localhost:1'
    const tab = await react.openProfile({ issuer })
    await startSignIn(tab)
    await expectError(tab, 'NetworkError', `No answer from ${issuer}.`, `that Latchkey runs at ${issuer}`)
    const repeated = tab.page.waitForRequest(`${issuer}/.well-known/openid-configuration`)
    await tab.press('Try again')
    await repeated
  })

  test('an issuer that is another web server', async () => {
    const other = createServer((_request, response) => {
      response.writeHead(404, { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'text/html' }).end('Not found')
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const issuer = `http://localhost:${(other.address() as AddressInfo).port}`
    const tab = await react.openProfile({ issuer })
    await startSignIn(tab)
    await expectError(tab, 'IssuerError', `There is no Latchkey at ${issuer}.`, 'BASE_URL')
    await new Promise((resolve) => other.close(resolve))
  })

  test('an issuer under another name of the same service', async () => {
    const issuer = react.service.url.replace('localhost', '127.0.0.1')
    const tab = await react.openProfile({ issuer })
    await startSignIn(tab)
    await expectError(tab, 'IssuerError', `has another issuer: ${react.service.url}.`)
  })

  test.each([
    [{ issuer: '' }, 'issuer is not a URL.'],
    [{ issuer: 'http://id.example.com' }, 'issuer does not use https.'],
    [{ clientId: '' }, 'clientId is empty.'],
    [{ redirectUri: 'https://app.example.com/callback' }, 'redirectUri is not a URL of'],
  ])('a wrong property of the provider: %o', async (props, message) => {
    const tab = await react.openProfile(props)
    await startSignIn(tab)
    await expectError(tab, 'ConfigurationError', message)
  })

  test('a redirect URI that is not registered, on the page of the service', async () => {
    const tab = await react.openProfile({ redirectUri: `${react.application.origin}/other` })
    await startSignIn(tab)
    await expect
      .poll(() => tab.page.getByRole('alert').textContent())
      .toContain('is not registered for the application')
    await tab.page.goBack()
    await tab.expectStatus('signedOut')
  })

  test('a page whose origin is not registered', async () => {
    const { id } = await react.service.ctx.db
      .selectFrom('clients')
      .select('id')
      .where('client_id', '=', 'demo-spa')
      .executeTakeFirstOrThrow()
    const setOrigins = (allowedOrigins: string[]) =>
      admin(react.service.url, `/api/admin/clients/${id}`, { allowedOrigins }, 'PATCH')
    const { origin } = react.application
    await setOrigins(['https://app.example.com'])
    try {
      const tab = await react.openProfile()
      await tab.signIn()
      await expectError(tab, 'NetworkError', `${origin} is an allowed origin of the client demo-spa`)
    } finally {
      await setOrigins([origin])
    }
  })

  test('a denied consent, after which the user can sign in again', async () => {
    const partner = await thirdParty(react.service.url)
    const { origin } = react.application
    const addresses = { redirectUris: [`${origin}/callback`], allowedOrigins: [origin] }
    await admin(react.service.url, `/api/admin/clients/${partner.id}`, addresses, 'PATCH')
    const tab = await react.openProfile({ clientId: partner.clientId })
    await tab.signIn('mia@acme.test', '/reports')
    await tab.press('Deny')
    await expectError(tab, 'AccessDeniedError', 'Offer to sign in again')
    expect(tab.page.url()).toBe(`${origin}/reports`)
    await tab.press('Try again')
    await tab.press('Allow')
    await tab.expectStatus('signedIn')
    // Tokens of third-party applications cannot list tenants. That is no error for the page.
    expect((await tab.readFacts()).tenants).toEqual([])
  })

  test('a connection that fails while the code is exchanged, and comes back', async () => {
    const tab = await react.openProfile()
    await tab.page.route('**/api/oauth/token', (route) => route.abort())
    await tab.signIn('mia@acme.test', '/reports')
    await expectError(tab, 'NetworkError', `${react.application.origin} is an allowed origin of the client demo-spa`)
    await tab.page.unroute('**/api/oauth/token')
    await tab.press('Try again')
    await tab.expectStatus('signedIn')
    expect(tab.page.url()).toBe(`${react.application.origin}/reports`)
  })

  test('a connection that fails while a session is restored, and comes back', async () => {
    const tab = await react.openProfile()
    await tab.signIn('mia@acme.test', '/reports')
    await tab.expectStatus('signedIn')
    await tab.page.route('**/.well-known/openid-configuration', (route) => route.abort())
    await tab.page.reload()
    await expectError(tab, 'NetworkError')
    await tab.page.unroute('**/.well-known/openid-configuration')
    await tab.press('Try again')
    await tab.expectStatus('signedIn')
  })

  test('a device whose clock is wrong by hours', async () => {
    const tab = await react.openProfile()
    await tab.page.clock.setSystemTime(Date.now() + 3 * 3_600_000)
    await tab.signIn()
    await expectError(tab, 'ClockSkewError', 'Set the clock of the device')
  })

  test('a device whose clock is wrong by minutes signs in', async () => {
    const tab = await react.openProfile()
    await tab.page.clock.setSystemTime(Date.now() - 10 * 60_000)
    await tab.signIn()
    await tab.expectStatus('signedIn')
  })

  test('a license that cannot be checked shows the fallback', async () => {
    const tab = await react.openProfile({ applicationId: 'unknown' })
    await tab.signIn()
    await expect.poll(async () => (await tab.readFacts()).license.status).toBe('error')
    expect(await tab.page.getByLabel('Export').textContent()).toBe('Upgrade to export')
    expect(await tab.readOutput('Status')).toBe('signedIn')
  })
})
