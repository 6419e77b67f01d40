import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { type ConsoleTest, openConsole } from './console-page.ts'
import { ADMIN, clickInDialog, fillField } from './page-actions.ts'

describe.runIf(FULL && browserPath)('health, webhooks and keys of the instance in the console', () => {
  let consoleTest: ConsoleTest
  beforeAll(async () => {
    consoleTest = await openConsole()
  })
  afterAll(() => consoleTest?.close())

  test('the health page shows all checks', async () => {
    const session = await consoleTest.signIn(ADMIN, '/instance/health')
    const { page, expectHeading, expectText, takeScreenshots, errors } = session
    await expectHeading('Health')
    await expectText(/^Latchkey \d/)
    await expectText('Accepts requests.')
    await page.getByRole('list', { name: 'Checks' }).getByText('The key in use was created today.').waitFor()
    await session.expectAccessible()
    await takeScreenshots('instance-health')
    expect(errors).toEqual([])
  })

  test('webhooks of the instance can be managed, and an unknown webhook is not found', async () => {
    const session = await consoleTest.signIn(ADMIN, '/instance/webhooks')
    const { page, expectHeading, expectText, go, errors } = session
    await expectHeading('Webhooks')
    await session.expectAccessible()
    await page
      .getByRole('button', { name: /webhook/i })
      .first()
      .waitFor()
    await go('/instance/webhooks/00000000-0000-7000-8000-000000000000')
    await expectText(/no such webhook/i)
    expect(errors.filter((line) => !line.includes('status of 404 '))).toEqual([])
  })

  test('the signing key can be rotated later, now, or with revocation of all tokens', async () => {
    const session = await consoleTest.signIn(ADMIN, '/instance/keys')
    const { page, click, expectHeading, expectText, takeScreenshots, errors } = session
    await expectHeading('Signing keys')
    const keys = page.getByRole('table', { name: 'Signing keys' })
    await keys.getByText('Signing now').waitFor()
    await session.expectAccessible()
    await click('Rotate key')
    await clickInDialog(session, 'Rotate key')
    await keys.getByText('Next', { exact: true }).waitFor()
    await session.expectAccessible()
    await takeScreenshots('instance-keys')
    await click('Rotate immediately')
    await clickInDialog(session, 'Rotate immediately')
    await keys.getByText('Published', { exact: true }).waitFor()
    await click('Withdraw all keys')
    const withdraw = page.getByRole('dialog').getByRole('button', { name: 'Withdraw all keys' })
    expect(await withdraw.isDisabled()).toBe(true)
    await session.expectAccessible()
    await fillField(session, 'Type “withdraw” to confirm', 'withdraw')
    await clickInDialog(session, 'Withdraw all keys')
    await keys.getByText('Published', { exact: true }).waitFor({ state: 'detached' })
    await expectText('Signing now')
    // The console continues with a token of the new key.
    await page.getByRole('link', { name: 'Users' }).click()
    await expectHeading('Users')
    await expectText('mia@acme.test')
    expect(errors.filter((line) => !line.includes('status of 401 '))).toEqual([])
  })
})
