import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { openStage, type Stage } from './stage.ts'

describe.runIf(FULL && browserPath)('the frame of the console', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  test('a link leads through the sign-in to where it points, and a reload asks for nothing', async () => {
    const { page, arriveAt, complaints } = await stage.as('mia@acme.test', '/account/profile')
    await arriveAt('Profile')
    expect(new URL(page.url()).pathname).toBe('/console/account/profile')
    await page.reload()
    await arriveAt('Profile')
    expect(complaints).toEqual([])
  })

  test('an answer of long ago, or of another tab, leads to the console and signs nobody in', async () => {
    const { page, arriveAt, go, complaints } = await stage.as('olivia@acme.test', '/account/profile')
    await arriveAt('Profile')
    await go('/callback?code=somebody-elses&state=unknown')
    await arriveAt('Members')
    expect(new URL(page.url()).pathname).toBe('/console/t/acme/members')
    expect(complaints).toEqual([])
  })

  test('no token is kept outside the memory of the page', async () => {
    const { page, arriveAt } = await stage.as('mia@acme.test', '/account/profile')
    await arriveAt('Profile')
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]),
    )
    expect(kept).not.toMatch(/eyJ|refresh|token/i)
  })

  test('the page allows its own files and nothing else', async () => {
    const response = await fetch(`${stage.service.url}/console/t/acme/members`)
    const policy = response.headers.get('content-security-policy') ?? ''
    const nonce = /style-src 'self' 'nonce-([\w-]{43})'/.exec(policy)?.[1] ?? ''
    expect(await response.text()).toContain(`nonce="${nonce}"`)
    expect(policy.replace(nonce, 'N')).toBe(
      "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'nonce-N'; " +
        "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin')
  })

  test('what may not be seen looks like what is not there', async () => {
    const { go, arriveAt, complaints } = await stage.as('mia@acme.test', '/t/globex/members')
    await arriveAt('There is nothing here')
    await go('/instance/users')
    await arriveAt('There is nothing here')
    await go('/nowhere')
    await arriveAt('There is nothing here')
    expect(complaints).toEqual([])
  })

  test('signing out ends the session, and the next visit asks for it again', async () => {
    const { page, press, go, arriveAt } = await stage.as('max@acme.test', '/account/profile')
    await arriveAt('Profile')
    await press('My account: Max Member')
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.locator('input[name=email]').waitFor()
    await go('/account/profile')
    await page.locator('input[name=email]').waitFor()
  })

  test('what is typed on one person’s page is never done as another who signed in elsewhere in the browser', async () => {
    const { page, arriveAt } = await stage.as('max@acme.test', '/account/profile')
    await arriveAt('Profile')
    await page.getByLabel('Nickname').fill('Maximus')
    const elsewhere = await page.context().newPage()
    await page.context().request.post(`${stage.service.url}/api/auth/logout`, {
      headers: { origin: stage.service.url },
    })
    await elsewhere.goto(`${stage.service.url}/console/account/profile`)
    await elsewhere.locator('input[name=email]').fill('gus@globex.test')
    await elsewhere.locator('input[name=password]').fill('latchkey-demo-2026')
    await elsewhere.getByRole('button', { name: 'Sign in', exact: true }).click()
    await elsewhere.getByRole('heading', { level: 1, name: 'Profile' }).waitFor()
    await page.bringToFront()
    // It may be loaded anew before that, because it comes into sight again: then there is nothing left to save.
    const saving = page
      .getByRole('button', { name: 'Save changes', exact: true })
      .click()
      .catch(() => {})
    await page.getByRole('button', { name: 'My account: Gus Owner' }).waitFor({ timeout: 30_000 })
    await page.close()
    await saving
    const { rows } = await sql<{
      nickname: string | null
    }>`select nickname from users where nickname is not null`.execute(stage.service.ctx.db)
    expect(rows).toEqual([])
  })

  test('the keyboard reaches everything, beginning with a way past the menu', async () => {
    const { page, arriveAt } = await stage.as('olivia@acme.test', '/t/acme/members')
    await arriveAt('Members')
    await page.keyboard.press('Tab')
    const focused = (what: 'textContent' | 'id') => () =>
      page.evaluate((key) => document.activeElement?.[key], what)
    await expect.poll(focused('textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await expect.poll(focused('id')).toBe('content')
  })

  test('nobody is shut out, on a phone neither', async () => {
    const { page, arriveAt, isAccessible, picture } = await stage.as('olivia@acme.test', '/t/acme/members')
    await arriveAt('Members')
    await isAccessible()
    await picture('members')
    await page.setViewportSize({ width: 390, height: 780 })
    await isAccessible()
    await page.getByRole('button', { name: 'Menu' }).click()
    await isAccessible()
  })
})
