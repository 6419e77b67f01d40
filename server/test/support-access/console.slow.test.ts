import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ConsoleTest, expectPageAccessible, openConsole } from '../console/console-page.ts'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { findIds } from '../support/world.ts'
import { REASON } from './steps.ts'

describe.runIf(FULL && browserPath)('support access in a browser', () => {
  let consoleTest: ConsoleTest
  beforeAll(async () => {
    consoleTest = await openConsole({ config: { supportAccess: true } })
  })
  afterAll(() => consoleTest?.close())

  test('an owner allows it, and an operator acts as a member until they end it', async () => {
    const owner = await consoleTest.signIn('olivia@acme.test', '/t/acme/settings')
    await owner.expectText('Whether the people who run this service may act')
    await owner.takeScreenshots('support-setting')
    await owner.page.getByRole('switch', { name: 'Allow support access' }).click()
    await owner.expectText('Support access is allowed.')

    const { tenantId } = await findIds(consoleTest.service, 'mia@acme.test', 'acme')
    const operator = await consoleTest.signIn('admin@latchkey.test', `/instance/tenants/${tenantId}?tab=members`)
    const { page } = operator
    await operator.click('Actions for Mia Member')
    await page.getByRole('menuitem', { name: 'Act as this member' }).click()
    await page.getByRole('dialog').waitFor()
    await page.getByRole('textbox', { name: 'Reason' }).fill(REASON)
    await operator.takeScreenshots('support-dialog')
    await operator.expectAccessible()
    await operator.click('Start')
    await operator.expectHeading('You act as Mia Member')
    await expectPageAccessible(page)
    await operator.takeScreenshots('support-page')

    await page.getByRole('link', { name: 'Open the console' }).click()
    await operator.expectText(/acts as Mia Member in Acme/)
    await operator.go('/t/acme/members')
    await operator.expectHeading('Members')
    await operator.expectText(/acts as Mia Member in Acme/)
    await operator.expectAccessible()
    await operator.takeScreenshots('support-console')

    await page.goto(`${consoleTest.service.url}/account`)
    expect(new URL(page.url()).pathname).toBe('/support-access')
    await page.goto(`${consoleTest.service.url}/oauth/authorize/continue`)
    await operator.expectText('End support access')
    await operator.takeScreenshots('support-error')

    await operator.go('/t/acme/members')
    await operator.click('End support access')
    await operator.expectHeading('Support access has ended')
    await operator.takeScreenshots('support-ended')
    await operator.go('/instance/tenants')
    await operator.expectHeading('Tenants')
    expect(await page.getByText('acts as').count()).toBe(0)
  })
})
