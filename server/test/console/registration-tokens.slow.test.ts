import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { type ConsolePage, type ConsoleTest, openConsole } from './console-page.ts'
import { ADMIN, expectFitsPhone } from './page-actions.ts'

describe.runIf(FULL && browserPath)('registration tokens in the console', () => {
  let consoleTest: ConsoleTest
  let session: ConsolePage
  beforeAll(async () => {
    consoleTest = await openConsole({ config: { clientRegistration: 'token' } })
    session = await consoleTest.signIn(ADMIN, '/instance/applications')
  })
  afterAll(() => consoleTest?.close())

  const dialog = () => session.page.getByRole('dialog')
  const textbox = (name: string) => session.page.getByRole('textbox', { name, exact: true })

  test('a token is created, shown once and revoked', async () => {
    const { page, click, expectText } = session
    await expectText('There are no registration tokens.')
    await click('Create token')
    await textbox('Name').fill('Partners')
    await textbox('Clients').fill('5')
    const hosts = page.getByRole('combobox', { name: 'Hosts of redirect URIs' })
    await hosts.fill('https://app.example.com')
    await hosts.press('Enter')
    await session.expectAccessible()
    await dialog().getByRole('button', { name: 'Create token' }).click()
    await expectText(/must be a host name/)
    await hosts.press('Backspace')
    await hosts.fill('app.example.com')
    await hosts.press('Enter')
    await dialog().getByRole('button', { name: 'Create token' }).click()
    const shown = page.getByRole('dialog', { name: 'The new token' })
    await shown.waitFor()
    expect(await shown.innerText()).toMatch(/lki_[\w-]{43}/)
    await session.expectAccessible()
    await shown.getByRole('button', { name: 'Done' }).click()
    await shown.waitFor({ state: 'detached' })
    await expectText(/0 of 5 clients · app\.example\.com/)
    expect(await page.content()).not.toContain('lki_')
    await session.expectAccessible()
    await expectFitsPhone(session)
    await click('Revoke Partners')
    await dialog().getByRole('button', { name: 'Revoke token' }).click()
    await expectText('There are no registration tokens.')
  })
})
