import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { type ConsoleTest, openConsole } from './console-page.ts'

describe.runIf(FULL && browserPath)('the console without a connection', () => {
  let consoleTest: ConsoleTest
  beforeAll(async () => {
    consoleTest = await openConsole()
  })
  afterAll(() => consoleTest?.close())

  test('a banner marks the page as stale and tries again, and a page that cannot load says why', async () => {
    const session = await consoleTest.signIn('adam@acme.test', '/t/acme/members')
    const { page, expectHeading, expectText } = session
    const context = page.context()
    const banner = page.getByRole('alert').filter({ hasText: 'The connection is lost' })
    await expectText('olivia@acme.test')
    await context.setOffline(true)
    await banner.getByText(/^What you see was loaded until/).waitFor()
    // The data stays, and an action fails with the reason.
    await expectText('olivia@acme.test')
    await page.getByRole('combobox', { name: 'Role of Max Member' }).click()
    await page.getByRole('option', { name: 'Admin' }).click()
    await expectText('The service cannot be reached. Check your connection and try again.')
    await session.expectAccessible()
    await session.takeScreenshots('connection-lost')

    // A page whose chunk is not loaded yet.
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await expectText('This page could not be loaded, because the service cannot be reached. Check your connection.')
    await session.expectAccessible()
    await page.getByRole('link', { name: 'Members' }).click()
    await expectHeading('Members')
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('button', { name: 'Try again' }).last().waitFor()
    await context.setOffline(false)
    await page.getByRole('button', { name: 'Try again' }).last().click()
    await expectHeading('Webhooks')
    await page.getByRole('link', { name: 'Members' }).click()
    await expectText('olivia@acme.test')
    await banner.waitFor({ state: 'detached' })

    await context.setOffline(true)
    await banner.waitFor()
    // Once the network is back, nobody needs to press the button.
    await context.setOffline(false)
    await banner.waitFor({ state: 'detached' })
  })

  test('after an update of the console, a missing chunk asks for a reload', async () => {
    const { page, click, expectHeading, expectText } = await consoleTest.signIn('adam@acme.test', '/account/profile')
    await expectHeading('Profile')
    // The release that is served now has other files.
    await page.route(/\/console\/assets\/members/, (route) => route.fulfill({ status: 404, body: '' }))
    await page.route(/\/console\/$/, (route) => route.fulfill({ contentType: 'text/html', body: '<p>newer</p>' }))
    await page.getByRole('link', { name: 'Members' }).click()
    await expectText('The console was updated. Reload the page.')
    await page.unrouteAll()
    await click('Reload')
    await expectHeading('Members')
    expect(new URL(page.url()).pathname).toBe('/console/t/acme/members')
  })
})
