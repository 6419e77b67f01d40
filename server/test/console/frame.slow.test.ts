import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { type ConsoleTest, openConsole } from './console-page.ts'

describe.runIf(FULL && browserPath)('the layout and session of the console', () => {
  let consoleTest: ConsoleTest
  beforeAll(async () => {
    consoleTest = await openConsole()
  })
  afterAll(() => consoleTest?.close())

  test('a link leads to its page after the sign-in, and a reload needs no sign-in', async () => {
    const { page, expectHeading, errors } = await consoleTest.signIn('mia@acme.test', '/account/profile')
    await expectHeading('Profile')
    expect(new URL(page.url()).pathname).toBe('/console/account/profile')
    await page.reload()
    await expectHeading('Profile')
    expect(errors).toEqual([])
  })

  test('a callback without a sign-in in progress is ignored and leads to the console', async () => {
    const { page, expectHeading, go, errors } = await consoleTest.signIn('olivia@acme.test', '/account/profile')
    await expectHeading('Profile')
    await go('/callback?code=somebody-elses&state=unknown')
    await expectHeading('Members')
    expect(new URL(page.url()).pathname).toBe('/console/t/acme/members')
    expect(errors).toEqual([])
  })

  test('tokens are stored in memory only', async () => {
    const { page, expectHeading } = await consoleTest.signIn('mia@acme.test', '/account/profile')
    await expectHeading('Profile')
    const stored = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    )
    expect(stored).not.toMatch(/eyJ|refresh|token/i)
  })

  test('the Content-Security-Policy allows only own files', async () => {
    const response = await fetch(`${consoleTest.service.url}/console/t/acme/members`)
    const policy = response.headers.get('content-security-policy') ?? ''
    const nonce = /style-src 'self' 'nonce-([\w-]{43})'/.exec(policy)?.[1] ?? ''
    expect(await response.text()).toContain(`nonce="${nonce}"`)
    expect(policy.replace(nonce, 'N')).toBe(
      "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'nonce-N'; " +
        "font-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin')
  })

  test('pages without permission look like missing pages', async () => {
    const { go, expectHeading, errors } = await consoleTest.signIn('mia@acme.test', '/t/globex/members')
    await expectHeading('There is nothing here')
    await go('/instance/users')
    await expectHeading('There is nothing here')
    await go('/nowhere')
    await expectHeading('There is nothing here')
    expect(errors).toEqual([])
  })

  test('signing out ends the session, and the next visit requires a sign-in', async () => {
    const { page, click, go, expectHeading } = await consoleTest.signIn('max@acme.test', '/account/profile')
    await expectHeading('Profile')
    await click('My account: Max Member')
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.locator('input[name=email]').waitFor()
    await go('/account/profile')
    await page.locator('input[name=email]').waitFor()
  })

  test('input on a page is never submitted as another user who has signed in since', async () => {
    const { page, expectHeading } = await consoleTest.signIn('max@acme.test', '/account/profile')
    await expectHeading('Profile')
    await page.getByLabel('Nickname').fill('Maximus')
    const otherTab = await page.context().newPage()
    await page.context().request.post(`${consoleTest.service.url}/api/auth/logout`, {
      headers: { origin: consoleTest.service.url },
    })
    await otherTab.goto(`${consoleTest.service.url}/console/account/profile`)
    await otherTab.locator('input[name=email]').fill('gus@globex.test')
    await otherTab.locator('input[name=password]').fill('latchkey-demo-2026')
    await otherTab.getByRole('button', { name: 'Sign in', exact: true }).click()
    await otherTab.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
    await page.bringToFront()
    // The page may reload on focus before the click, and then there is nothing to save.
    const saving = page
      .getByRole('button', { name: 'Save changes', exact: true })
      .click()
      .catch(() => {})
    await page.getByRole('button', { name: 'My account: Gus Owner' }).waitFor({ timeout: 30_000 })
    await page.close()
    await saving
    const { rows } = await sql<{
      nickname: string | null
    }>`select nickname from users where nickname is not null`.execute(consoleTest.service.ctx.db)
    expect(rows).toEqual([])
  })

  test('the first keyboard stop is a link that skips the menu', async () => {
    const { page, expectHeading } = await consoleTest.signIn('olivia@acme.test', '/t/acme/members')
    await expectHeading('Members')
    await page.keyboard.press('Tab')
    const focused = (what: 'textContent' | 'id') => () => page.evaluate((key) => document.activeElement?.[key], what)
    await expect.poll(focused('textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await expect.poll(focused('id')).toBe('content')
  })

  test('the layout is accessible, also on a phone', async () => {
    const { page, expectHeading, expectAccessible, takeScreenshots } = await consoleTest.signIn(
      'olivia@acme.test',
      '/t/acme/members',
    )
    await expectHeading('Members')
    await expectAccessible()
    await takeScreenshots('members')
    await page.setViewportSize({ width: 390, height: 780 })
    await expectAccessible()
    await page.getByRole('button', { name: 'Menu' }).click()
    await expectAccessible()
  })
})
