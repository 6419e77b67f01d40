import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { openTab, type ReactTab, type ReactTest, startReactTest } from './react-page.ts'

describe.skipIf(!browserPath)('@latchkey/react signs a user in', () => {
  let react: ReactTest

  beforeAll(async () => {
    react = await startReactTest()
  })
  afterAll(() => react?.close())

  /** Everything that outlives the memory of the page, and the document. */
  const readStorages = ({ page }: ReactTab): Promise<string> =>
    page.evaluate(`(async () => JSON.stringify([
      { ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state, window.name,
      document.documentElement.outerHTML, await indexedDB.databases(), await caches.keys(),
    ]))()`)

  const versions = FULL ? ([18, 19] as const) : ([19] as const)
  test.each(versions)('React %i, StrictMode: the user is back on the same page, with one code', async (version) => {
    const tab = await react.openProfile()
    await react.application.use(version)
    const path = '/reports?year=2026#top'
    await tab.signIn('mia@acme.test', path)
    await tab.expectStatus('signedIn')
    expect(tab.page.url()).toBe(react.application.origin + path)
    expect(await tab.readOutput('Path')).toBe('/reports')
    await expect.poll(async () => (await tab.readFacts()).license.status).toBe('ready')
    expect(await tab.readFacts()).toMatchObject({
      user: { email: 'mia@acme.test', emailVerified: true, name: 'Mia Member', givenName: 'Mia', familyName: 'Member' },
      tenant: { slug: 'acme', roles: ['member'] },
      tenants: ['acme'],
      license: { licenseType: 'pro', features: ['export', 'projects', 'reports'] },
    })
    // Two components asked for a token before there was one, and StrictMode ran all effects twice.
    for (const name of ['First', 'Second']) expect(await tab.readOutput(name)).toBe('a token of 3 parts')
    expect(await tab.page.evaluate('effectRuns')).toBe(4)
    expect(tab.requests.toSorted()).toEqual(['authorize', 'check', 'exchange', 'tenants'])
    const stored = await readStorages(tab)
    expect(stored).toContain('latchkey.demo-spa')
    expect(tab.tokens).not.toEqual([])
    for (const token of tab.tokens) expect(stored).not.toContain(token)
  })

  test.runIf(FULL)('the first example of the README works', async () => {
    const { page, ...tab } = await react.openProfile()
    await react.application.useReadme()
    await tab.open('/start')
    await tab.press('Sign in')
    await tab.fillIn('mia@acme.test')
    await page.getByText('Hello Mia Member').waitFor()
    await page.getByRole('button', { name: 'Export' }).waitFor()
    await tab.press('Sign out')
    await page.waitForURL(`${react.application.origin}/`)
    await tab.press('Sign in')
    await tab.fillIn('max@acme.test')
    await page.getByText('Your license has no export.').waitFor()
    await react.application.use(19)
  })

  test.runIf(FULL)('tokens are in no storage, in no URL and not in the document', async () => {
    const tab = await react.openProfile({ scope: 'openid profile email offline_access' })
    const urls: string[] = []
    tab.page.on('request', (request) => request.isNavigationRequest() && urls.push(request.url()))
    await tab.signIn('mia@acme.test', '/start')
    await tab.expectStatus('signedIn')
    await tab.press('Export')
    const stored = [await readStorages(tab)]
    await tab.page.reload()
    await tab.expectStatus('signedIn')
    stored.push(await readStorages(tab))
    await tab.press('Sign out')
    await tab.page.waitForURL(`${react.application.origin}/`)
    await tab.expectStatus('signedOut')
    stored.push(await readStorages(tab), ...urls)
    expect(tab.tokens).toHaveLength(6)
    expect(stored[0]).toContain('latchkey.demo-spa')
    for (const token of tab.tokens) expect(stored.join('\n')).not.toContain(token)
  })

  test.runIf(FULL)('after a reload the session is restored by one redirect', async () => {
    const tab = await react.openProfile()
    await tab.signIn('gus@globex.test', '/reports?year=2026#top')
    await tab.page.getByRole('button', { name: 'Acme' }).click()
    await tab.expectStatus('signedIn')
    const history = await tab.page.evaluate('history.length')
    tab.requests.length = 0
    await tab.page.reload()
    await tab.expectStatus('signedIn')
    expect(tab.requests.slice(0, 2)).toEqual(['authorize silently', 'exchange'])
    expect(tab.page.url()).toBe(`${react.application.origin}/reports?year=2026#top`)
    // The user has two tenants. The one of before is restored without a question.
    expect((await tab.readFacts()).tenant?.slug).toBe('acme')
    expect(await tab.page.evaluate('history.length')).toBe(history)
  })

  test.runIf(FULL)('a user whose session has ended is signed out, and not redirected until signIn', async () => {
    const tab = await react.openProfile({ restore: true })
    await tab.open()
    await tab.expectStatus('signedOut')
    expect(tab.requests).toEqual(['authorize silently'])
    await tab.press('Sign in')
    await tab.fillIn('mia@acme.test')
    await tab.expectStatus('signedIn')
    await react.service.ctx.db.deleteFrom('sessions').execute()
    tab.requests.length = 0
    await tab.page.reload()
    await tab.expectStatus('signedOut')
    expect(await tab.page.getByRole('alert').count()).toBe(0)
    expect(tab.page.url()).toBe(`${react.application.origin}/`)
    await tab.page.reload()
    await tab.expectStatus('signedOut')
    expect(tab.requests).toEqual(['authorize silently'])
    await tab.press('Sign in')
    await tab.fillIn('mia@acme.test')
    await tab.expectStatus('signedIn')
  })

  test.runIf(FULL)('a new tab is redirected at load only with restore', async () => {
    const tab = await react.openProfile()
    await tab.signIn()
    await tab.expectStatus('signedIn')
    const visitor = await openTab(tab.page.context(), react.application)
    await visitor.open()
    await visitor.expectStatus('signedOut')
    expect(visitor.requests).toEqual([])
    react.application.props = { ...react.application.props, restore: true }
    const restored = await openTab(tab.page.context(), react.application)
    await restored.open('/reports')
    await restored.expectStatus('signedIn')
    expect(restored.page.url()).toBe(`${react.application.origin}/reports`)
  })

  test.runIf(FULL)('signing out ends the session at the service, and the other tabs notice', async () => {
    const tab = await react.openProfile()
    await tab.signIn('mia@acme.test', '/start')
    await tab.expectStatus('signedIn')
    const other = await openTab(tab.page.context(), react.application)
    await other.open()
    await other.press('Sign in')
    await other.expectStatus('signedIn')
    await tab.press('Sign out')
    await tab.page.waitForURL(`${react.application.origin}/`)
    await tab.expectStatus('signedOut')
    await other.expectStatus('signedOut')
    expect(await other.run('getAccessToken()')).toBe('SignedOutError')
    await tab.press('Sign in')
    await tab.page.getByLabel('Password').waitFor()
  })

  test.runIf(FULL)('an unmounted provider leaves a running sign-in alone, and a new one continues it', async () => {
    const tab = await react.openProfile()
    let letPass = () => {}
    const held = new Promise<void>((resolve) => {
      letPass = resolve
    })
    const arrived = tab.page.waitForRequest('**/api/oauth/token')
    await tab.page.route('**/api/oauth/token', (route) => held.then(() => route.continue()))
    const errors: string[] = []
    tab.page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    await tab.signIn()
    await arrived
    await tab.press('Unmount')
    const answered = tab.page.waitForResponse('**/api/oauth/token')
    letPass()
    await answered
    await tab.press('Mount')
    await tab.expectStatus('signedIn')
    expect(tab.requests.filter((request) => request === 'exchange')).toHaveLength(1)
    expect(errors.filter((text) => !text.includes('favicon'))).toEqual([])
  })

  test.runIf(FULL)('the code of somebody else does not sign a user in', async () => {
    const tab = await react.openProfile()
    const { url } = react.service
    const response = (fields: Record<string, string>) => `/callback?${new URLSearchParams(fields)}`
    await tab.open(response({ code: 'stolen', state: 'stolen', iss: url }))
    await tab.expectStatus('signedOut')
    expect(tab.page.url()).toBe(`${react.application.origin}/callback`)
    expect(tab.requests).toEqual([])
    // The parameters of other providers are left to the application.
    const foreign = response({ code: 'a', state: 'b', iss: 'https://other.test' })
    await tab.open(foreign)
    await tab.expectStatus('signedOut')
    expect(tab.page.url()).toBe(react.application.origin + foreign)
  })

  test.runIf(FULL)('returnTo leads only to pages of the same origin', async () => {
    const tab = await react.openProfile()
    await tab.open('/start')
    await tab.expectStatus('signedOut')
    await tab.run("signIn({ returnTo: '//evil.test/', loginHint: 'mia@acme.test' })")
    await expect.poll(() => tab.page.getByLabel('Email address').inputValue()).toBe('mia@acme.test')
    await tab.fillIn('mia@acme.test')
    await tab.expectStatus('signedIn')
    expect(tab.page.url()).toBe(`${react.application.origin}/`)
    await tab.run("signIn({ returnTo: '/reports' })")
    await tab.page.waitForURL(`${react.application.origin}/reports`)
    await tab.expectStatus('signedIn')
  })

  test.runIf(FULL)('the back button leads from the sign-in page to a page that works', async () => {
    const tab = await react.openProfile()
    await tab.open()
    await tab.expectStatus('signedOut')
    await tab.press('Sign in')
    await tab.page.getByLabel('Password').waitFor()
    await tab.page.goBack()
    await tab.expectStatus('signedOut')
    await tab.press('Sign in')
    await tab.fillIn('mia@acme.test')
    await tab.expectStatus('signedIn')
  })

  test.runIf(FULL)('a response of another issuer is refused (RFC 9207)', async () => {
    const tab = await react.openProfile()
    await tab.open()
    await tab.press('Sign in')
    await tab.page.getByLabel('Password').waitFor()
    await tab.page.goBack()
    await tab.expectStatus('signedOut')
    const { state } = (await tab.page.evaluate("JSON.parse(sessionStorage.getItem('latchkey.demo-spa.sign-in'))")) as {
      state: string
    }
    await tab.open(`/callback?${new URLSearchParams({ code: 'c', state, iss: 'https://other.test' })}`)
    await tab.expectStatus('error')
    expect(await tab.page.getByRole('alert').textContent()).toContain('SignInError')
    expect(tab.requests).not.toContain('exchange')
    expect(tab.page.url()).toBe(`${react.application.origin}/`)
  })
})
