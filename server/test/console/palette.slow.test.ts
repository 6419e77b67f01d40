import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { type ConsoleTest, openConsole } from './console-page.ts'
import { ADMIN } from './page-actions.ts'

/** Opens the palette with a key and waits until its field takes what is typed. */
async function openPalette(page: Page, key: string) {
  await page.keyboard.press(key)
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('combobox')
}

describe.runIf(FULL && browserPath)('the command palette', () => {
  let consoleTest: ConsoleTest
  beforeAll(async () => {
    consoleTest = await openConsole()
  })
  afterAll(() => consoleTest?.close())

  test('an operator reaches pages, people, tenants and applications by keyboard only', async () => {
    const session = await consoleTest.signIn(ADMIN, '/')
    const { page, expectHeading } = session
    const { keyboard } = page
    const option = (name: string) => page.getByRole('option', { name })
    // The operator starts at the instance, which has no tenant to switch.
    await expectHeading('Overview')
    expect(await page.getByRole('button', { name: /tenant/i }).count()).toBe(0)
    await openPalette(page, 'Control+k')
    await option('Webhooks').waitFor()
    await keyboard.type('web')
    await expect.poll(() => option('Webhooks').getAttribute('aria-selected')).toBe('true')
    await session.expectAccessible()
    await session.takeScreenshots('palette')
    await keyboard.press('Enter')
    await expectHeading('Webhooks')
    for (const [typed, name, heading] of [
      ['mia@acme', 'Mia Member', 'Mia Member'],
      ['globex', 'Globex', 'Globex'],
      ['project man', 'Project Manager', 'Project Manager'],
    ] as const) {
      await openPalette(page, '/')
      await keyboard.type(typed)
      await option(name).waitFor()
      await keyboard.press('Enter')
      await expectHeading(heading)
    }
  })

  test('Enter before the results have arrived opens nothing, and a result of an earlier text is not shown', async () => {
    const { page, expectHeading } = await consoleTest.signIn(ADMIN, '/instance/users')
    await expectHeading('Users')
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route(/\/api\/admin\/users\?.*search=gus/, async (route) => {
      await held
      await route.continue()
    })
    await openPalette(page, 'Control+k')
    await page.keyboard.type('mia')
    await page.getByRole('option', { name: 'Mia Member' }).waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('gus')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('option').count()).toBe(0)
    expect(new URL(page.url()).pathname).toBe('/console/instance/users')
    release()
    await page.getByRole('option', { name: 'Gus Owner' }).waitFor()
    await page.keyboard.press('Enter')
    await expectHeading('Gus Owner')
  })

  test('members find people of their tenant, and single-key shortcuts can be turned off', async () => {
    const session = await consoleTest.signIn('olivia@acme.test', '/t/acme/settings')
    const { page, expectHeading, expectText } = session
    await expectHeading('Settings')
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await session.expectAccessible()
    await session.takeScreenshots('keyboard-help')
    await page.getByRole('switch', { name: 'Shortcuts of a single key' }).press('Space')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await openPalette(page, 'Control+k')
    const field = page.getByRole('combobox', { name: 'Search and go to' })
    expect(await field.inputValue()).toBe('')
    await page.keyboard.type('mia')
    await page.getByRole('option', { name: 'Mia Member' }).waitFor()
    await page.keyboard.press('Enter')
    await expectHeading('Members')
    await expectText('mia@acme.test')
    await page.getByText('max@acme.test').waitFor({ state: 'detached' })
    // On the page itself, the field and the list follow the next result.
    const search = page.getByLabel('Search by name or email')
    expect(await search.inputValue()).toBe('mia@acme.test')
    await openPalette(page, 'Control+k')
    await page.keyboard.type('max')
    await page.getByRole('option', { name: 'Max Member' }).waitFor()
    await page.keyboard.press('Enter')
    await expect.poll(() => search.inputValue()).toBe('max@acme.test')
    await expectText('max@acme.test')
    // Typing is not disturbed by the own search.
    await search.fill('')
    await search.pressSequentially('adam ', { delay: 100 })
    await page.waitForURL(/search=adam$/)
    expect(await search.inputValue()).toBe('adam ')
  })

  test('the arrows reach every result, also the own tenant', async () => {
    const { page, expectHeading } = await consoleTest.signIn('olivia@acme.test', '/t/acme/settings')
    await expectHeading('Settings')
    await openPalette(page, 'Control+k')
    const options = page.getByRole('option')
    const count = await options.count()
    for (let position = 0; position < count; position++) {
      expect(await options.nth(position).getAttribute('aria-selected')).toBe('true')
      await page.keyboard.press('ArrowDown')
    }
    expect(await options.first().getAttribute('aria-selected')).toBe('true')
    const tenant = page.getByRole('option', { name: 'Open this tenant' }).first()
    await tenant.click()
    await expectHeading('Members')
  })

  test('a palette that cannot be loaded leaves the page as it is, and opens at the next attempt', async () => {
    const { page, expectHeading, expectText } = await consoleTest.signIn('olivia@acme.test', '/t/acme/members')
    await page.route(/\/assets\/overlays-[^/]*\.js/, (route) => route.abort())
    await page.reload()
    await expectHeading('Members')
    await page.keyboard.press('Control+k')
    await expectText(/^The search could not be loaded/)
    await expectHeading('Members')
    await page.unrouteAll()
    await openPalette(page, 'Control+k')
  })
})
