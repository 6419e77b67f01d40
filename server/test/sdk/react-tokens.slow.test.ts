import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { claimsOf, findIds, machineToken } from '../support/world.ts'
import { openTab, type ReactTab, type ReactTest, startReactTest } from './react-page.ts'

const OFFLINE = { scope: 'openid profile email offline_access' }
/** Access tokens are valid for 15 minutes. */
const LIFETIME_MS = 15 * 60_000

describe.runIf(FULL && browserPath)('@latchkey/react renews tokens, switches tenants and checks licenses', () => {
  let react: ReactTest

  beforeAll(async () => {
    react = await startReactTest()
  })
  afterAll(() => react?.close())

  /** Waits until a page has loaded what it shows, so that no request carries a token that expires on the way. */
  const waitUntilLoaded = (tab: ReactTab) =>
    expect
      .poll(async () => {
        const { tenants, license } = await tab.readFacts()
        return { hasTenants: tenants.length > 0, license: license.status }
      })
      .toEqual({ hasTenants: true, license: 'ready' })

  /** Moves the clocks of the service and of the pages of one browser. */
  async function advance(tabs: ReactTab[], ms: number) {
    for (const tab of tabs) await waitUntilLoaded(tab)
    react.service.advance(ms)
    await tabs[0]?.page.clock.setSystemTime(react.service.ctx.now())
  }

  const waitForLicense = (tab: ReactTab, licenseType: string | undefined) =>
    expect
      .poll(async () => (await tab.readFacts()).license)
      .toMatchObject(licenseType === undefined ? { status: 'ready', features: [] } : { status: 'ready', licenseType })

  async function grantLicense(email: string) {
    const { url, ctx } = react.service
    const { userId } = await findIds(react.service, email, 'acme')
    const type = await ctx.db
      .selectFrom('license_types')
      .selectAll()
      .where('slug', '=', 'pro')
      .executeTakeFirstOrThrow()
    const response = await fetch(`${url}/api/integration/licenses/grant`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await machineToken(url, 'demo-machine')}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ userId, applicationId: type.application_id, licenseTypeId: type.id }),
    })
    expect(response.status).toBe(201)
  }

  test('with offline_access, calls at the same time renew the token with one request', async () => {
    const tab = await react.openProfile(OFFLINE)
    await tab.signIn()
    await tab.expectStatus('signedIn')
    const first = await tab.run('getAccessToken()')
    expect(await tab.run('getAccessToken()')).toBe(first)
    await advance([tab], LIFETIME_MS)
    const renewed = await tab.run<string[]>('Promise.all([getAccessToken(), getAccessToken(), getAccessToken()])')
    expect(new Set(renewed).size).toBe(1)
    expect(renewed[0]).not.toBe(first)
    expect(claimsOf(renewed[0] ?? '').sub).toBe(claimsOf(first).sub)
    // The second renewal needs the refresh token of the first one.
    await advance([tab], LIFETIME_MS)
    expect(await tab.run('getAccessToken()')).not.toBe(renewed[0])
    expect(tab.requests.filter((request) => request === 'refresh')).toHaveLength(2)
    expect(await tab.readOutput('Status')).toBe('signedIn')
  })

  test('two tabs renew their tokens independently', async () => {
    const tab = await react.openProfile(OFFLINE)
    await tab.signIn()
    await tab.expectStatus('signedIn')
    const other = await openTab(tab.page.context(), react.application)
    await other.open()
    await other.press('Sign in')
    await other.expectStatus('signedIn')
    await advance([tab, other], LIFETIME_MS)
    const [one, two] = await Promise.all([tab.run('getAccessToken()'), other.run('getAccessToken()')])
    expect(claimsOf(one).sub).toBe(claimsOf(two).sub)
    for (const { requests, expectStatus } of [tab, other]) {
      expect(requests.filter((request) => request === 'refresh')).toHaveLength(1)
      await expectStatus('signedIn')
    }
  })

  test('without offline_access, an expired token is renewed by a redirect only on request', async () => {
    const tab = await react.openProfile()
    await tab.signIn('mia@acme.test', '/reports')
    await tab.expectStatus('signedIn')
    const first = await tab.run('getAccessToken()')
    await advance([tab], LIFETIME_MS)
    tab.requests.length = 0
    expect(await tab.run('getAccessToken()')).toBe('RenewalError')
    expect(await tab.readOutput('Status')).toBe('signedIn')
    expect(tab.requests).toEqual([])
    await tab.page.evaluate('void getAccessToken({ redirect: true })')
    await expect.poll(() => tab.requests).toEqual(expect.arrayContaining(['authorize silently', 'exchange']))
    await tab.expectStatus('signedIn')
    expect(await tab.run('getAccessToken()')).not.toBe(first)
    expect(tab.page.url()).toBe(`${react.application.origin}/reports`)
  })

  test('a session that has ended signs the user out when the token is renewed', async () => {
    const tab = await react.openProfile(OFFLINE)
    await tab.signIn()
    await tab.expectStatus('signedIn')
    await waitUntilLoaded(tab)
    await react.service.ctx.db.deleteFrom('sessions').execute()
    await advance([tab], LIFETIME_MS)
    expect(await tab.run('getAccessToken()')).toBe('SignedOutError')
    await tab.expectStatus('signedOut')
  })

  test('a licensed user sees the button, a user without a license sees the fallback', async () => {
    const mia = await react.openProfile()
    await mia.signIn('mia@acme.test')
    await waitForLicense(mia, 'pro')
    expect(await mia.page.getByLabel('Export').textContent()).toBe('Export')
    expect(await mia.page.getByLabel('Organization').count()).toBe(0)
    const max = await react.openProfile()
    await max.signIn('max@acme.test')
    await waitForLicense(max, undefined)
    expect(await max.page.getByLabel('Export').textContent()).toBe('Upgrade to export')
  })

  test('the license is asked for again when the page is shown after a while', async () => {
    const tab = await react.openProfile()
    // Other tests have moved the clock of the service.
    await tab.page.clock.setSystemTime(react.service.ctx.now())
    await tab.signIn('olivia@acme.test')
    await waitForLicense(tab, undefined)
    const countChecks = () => tab.requests.filter((request) => request === 'check').length
    const show = () => tab.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await grantLicense('olivia@acme.test')
    await show()
    expect(countChecks()).toBe(1)
    await advance([tab], 31_000)
    await show()
    await waitForLicense(tab, 'pro')
    expect(await tab.page.getByLabel('Export').textContent()).toBe('Export')
    expect(countChecks()).toBe(2)
  })

  test('with offline_access, the switch to another tenant keeps the page and asks for its license', async () => {
    const tab = await react.openProfile({ ...OFFLINE, tenant: 'globex' })
    await tab.signIn('gus@globex.test')
    await tab.expectStatus('signedIn')
    await waitForLicense(tab, undefined)
    await expect.poll(async () => (await tab.readFacts()).tenants).toEqual(['acme', 'globex'])
    await tab.page.evaluate('globalThis.isSamePage = true')
    tab.requests.length = 0
    await tab.page.getByLabel('Organization').selectOption({ label: 'Acme' })
    await expect.poll(async () => (await tab.readFacts()).tenant?.slug).toBe('acme')
    await expect.poll(() => tab.requests).toEqual(['refresh', 'check'])
    expect(claimsOf(await tab.run('getAccessToken()')).tenant_slug).toBe('acme')
    expect(await tab.page.evaluate('globalThis.isSamePage')).toBe(true)
  })

  test('without offline_access, the switch to another tenant is a redirect', async () => {
    const tab = await react.openProfile()
    await tab.signIn('gus@globex.test', '/reports')
    await tab.page.getByRole('button', { name: 'Globex' }).click()
    await tab.expectStatus('signedIn')
    await tab.page.getByLabel('Organization').selectOption({ label: 'Acme' })
    await expect.poll(async () => (await tab.readFacts().catch(() => undefined))?.tenant?.slug).toBe('acme')
    expect(tab.page.url()).toBe(`${react.application.origin}/reports`)
    expect(tab.requests).not.toContain('refresh')
  })

  test('a tenant of others is refused with the reason, and the user can go on', async () => {
    const tab = await react.openProfile(OFFLINE)
    await tab.signIn('mia@acme.test')
    await tab.expectStatus('signedIn')
    await tab.page.evaluate("void switchTenant('globex')")
    await tab.expectStatus('error')
    expect(await tab.page.getByRole('alert').textContent()).toContain('AccessDeniedError')
    await tab.press('Sign in')
    await tab.expectStatus('signedIn')
    expect((await tab.readFacts()).tenant?.slug).toBe('acme')
  })
})
