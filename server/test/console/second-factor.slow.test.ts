import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { totpCode } from '../support/totp.ts'
import { addMember } from '../support/world.ts'
import { type ConsoleTest, openConsole } from './console-page.ts'
import { ADMIN, errorsExcept } from './page-actions.ts'

describe.runIf(FULL && browserPath)('a required second factor in the console', () => {
  let consoleTest: ConsoleTest
  beforeAll(async () => {
    consoleTest = await openConsole({ config: { superAdminMfa: 'REQUIRED' } })
  })
  afterAll(() => consoleTest?.close())

  test('a super admin without a second factor is led to its setup', async () => {
    const { page, go, expectHeading, click, fill, expectText, expectAccessible, errors } = await consoleTest.signIn(
      ADMIN,
      '/instance',
    )
    await expectText(/A second factor is required here/)
    await page.getByRole('button', { name: 'Sign in with my second factor' }).first().waitFor()
    await expectAccessible()
    await page.getByRole('link', { name: 'Set one up' }).first().click()
    await expectHeading('Sign-in & security')
    await click('Set up')
    await click('Continue')
    await page.getByAltText('QR code for the authenticator app').waitFor()
    const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
    await fill('Code from the app', totpCode(secret, consoleTest.service.ctx.now()))
    await page.getByLabel('Code from the app').press('Enter')
    await page.getByRole('list', { name: 'Recovery codes' }).waitFor()
    await go('/instance')
    await expectText('Everything runs as it should.')
    expect(errorsExcept(errors, 403)).toEqual([])
  })

  test('a tenant that requires a second factor leads to its setup', async () => {
    await addMember(consoleTest.service, 'olivia@acme.test', 'globex')
    const { page, click, expectText, expectAccessible } = await consoleTest.signIn(
      'olivia@acme.test',
      '/t/acme/members',
    )
    await page.getByRole('button', { name: /^Switch tenant/ }).waitFor()
    await consoleTest.service.ctx.db
      .updateTable('tenants')
      .set({ mfa_policy: 'REQUIRED' })
      .where('slug', '=', 'globex')
      .execute()
    await page.getByRole('button', { name: /^Switch tenant/ }).click()
    await page.getByText('Globex', { exact: true }).click()
    await expectText(/A second factor is required here/)
    await expectAccessible()
    await click('Use or set up a second factor')
    await page.waitForURL(/\/mfa\/setup/)
    await expectText(/Your organization asks for more than a password/)
  })
})
