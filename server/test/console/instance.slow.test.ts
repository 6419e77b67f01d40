import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { type ConsolePage, type ConsoleTest, openConsole } from './console-page.ts'
import { ADMIN, errorsExcept, expectFitsPhone, PIXEL } from './page-actions.ts'

describe.runIf(FULL && browserPath)('the instance in the console', () => {
  let consoleTest: ConsoleTest
  let session: ConsolePage
  beforeAll(async () => {
    consoleTest = await openConsole()
    session = await consoleTest.signIn(ADMIN, '/instance')
  })
  afterAll(() => consoleTest?.close())

  const textbox = (name: string | RegExp) => session.page.getByRole('textbox', { name, exact: true })
  const dialog = () => session.page.getByRole('dialog')
  const openTab = (name: string) => session.page.getByRole('tab', { name }).click()
  const expectAccessible = () => session.expectAccessible()
  const onPhone = () => expectFitsPhone(session)

  test('the overview shows figures, sign-ins and health', async () => {
    const { page, expectHeading, expectText, takeScreenshots } = session
    await expectHeading('Overview')
    await expectText('Everything runs as it should.')
    await page.getByRole('link', { name: /^Users 6/ }).waitFor()
    await page.getByRole('link', { name: /^Applications 1 With 4 clients/ }).waitFor()
    await expectText('Of 6 that tenants have bought')
    await expectText(/Fewer than two of the last 14 days have sign-ins, too few for a chart: \d+ succeeded/)
    await expectAccessible()
    await onPhone()
    await takeScreenshots('instance')
    // The reply of a service with a longer history.
    await page.route('**/api/admin/overview', async (route) => {
      const response = await route.fetch()
      const overview = await response.json()
      overview.signIns[0].succeeded = 3
      await route.fulfill({ response, json: overview })
    })
    await page.reload()
    await page.getByRole('img', { name: /sign-ins succeeded and \d+ failed/ }).waitFor()
    await page.unrouteAll({ behavior: 'wait' })
    await expectAccessible()
    await page.getByRole('link', { name: 'See details' }).click()
    await expectHeading('Health')
  })

  test('the search for applications is kept in the query string', async () => {
    const { page, go, expectHeading, expectText, takeScreenshots } = session
    await go('/instance/applications')
    await expectHeading('Applications')
    await page.getByRole('searchbox', { name: 'Search applications' }).fill('nothing like it')
    await expectText('No application matches')
    expect(page.url()).toContain('search=nothing')
    await session.click('Clear')
    await page.getByRole('link', { name: 'Project Manager' }).waitFor()
    await expectAccessible()
    await onPhone()
    await takeScreenshots('applications')
    await page.getByRole('link', { name: 'Project Manager' }).click()
    await expectHeading('Project Manager')
  })

  test('settings are saved, and errors are shown at their field', async () => {
    const { page, click, expectText, takeScreenshots } = session
    await openTab('Settings')
    await page.getByPlaceholder('900 (15 minutes, from the instance)').waitFor()
    await textbox('Slug').fill('Not A Slug')
    await click('Save')
    await expectText(/small letters, digits and hyphens/)
    await expectAccessible()
    await textbox('Slug').fill('project-manager')
    await textbox('Access token').fill('600')
    await expectText('10 minutes')
    await page.getByRole('radio', { name: 'Whole tenant' }).click()
    await click('Save')
    await expectText('Saved.')
    await page.reload()
    expect(await textbox('Access token').inputValue()).toBe('600')
    await page.getByRole('radio', { name: 'Per seat' }).click()
    await textbox('Access token').fill('')
    await click('Save')
    await expectText('Saved.')
    await onPhone()
    await takeScreenshots('application-settings')
  })

  test('branding has a preview and can be saved and removed', async () => {
    const { page, click, expectText, takeScreenshots } = session
    await openTab('Branding')
    await textbox('Name on the pages').fill('Plans & Co')
    await page.getByRole('img', { name: 'Preview: Plans & Co' }).waitFor()
    await textbox('Color').fill('#2f9e44')
    await textbox('Name on the pages').click()
    await expectText('The contrast is 3.44 : 1. Text needs 4.5 : 1.')
    await click('Save')
    await expectText(/has a contrast of 3.44 : 1 with the pages/)
    await expectAccessible()
    await page.getByRole('button', { name: /^Use #/ }).click()
    await expectText(/^Contrast: 4.5\d? : 1 in light mode/)
    await page.getByText('Soft', { exact: true }).click()
    await expectText('Round corners and buttons, on a page tinted with your color.')
    const big = { name: 'big.png', mimeType: 'image/png', buffer: Buffer.alloc(70 * 1024) }
    await page.locator('input[type=file]').setInputFiles(big)
    await expectText(/70 KiB/)
    const broken = { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture') }
    await page.locator('input[type=file]').setInputFiles(broken)
    await click('Save')
    await expectText(/must be a complete PNG, JPEG or WebP image/)
    await page.locator('input[type=file]').setInputFiles({ ...broken, buffer: PIXEL })
    await click('Save')
    await expectText('Saved.')
    await expectAccessible()
    await onPhone()
    await takeScreenshots('application-branding')
    const shown = await fetch(`${consoleTest.service.url}/login?client_id=demo-spa`)
    expect(shown.status).toBe(200)
    await click('Remove branding')
    await dialog().getByRole('button', { name: 'Remove branding' }).click()
    await expectText('The branding was removed.')
    const name = () => textbox('Name on the pages').inputValue()
    await expect.poll(name).toBe('')
  })

  test('an unknown page is not found', async () => {
    const { go, expectHeading } = session
    await go('/instance/nowhere')
    await expectHeading('There is nothing here')
    expect(errorsExcept(session.errors, 409, 422)).toEqual([])
  })

  test('instance pages are hidden from users without permission', async () => {
    const { page, go, expectHeading, errors } = await consoleTest.signIn('olivia@acme.test', '/instance')
    await expectHeading('There is nothing here')
    expect(await page.getByRole('link', { name: 'Applications' }).count()).toBe(0)
    for (const path of ['/instance/applications', '/instance/applications/new', '/instance/license-types']) {
      await go(path)
      await expectHeading('There is nothing here')
    }
    expect(errors).toEqual([])
  })

  test('deleting an application requires its slug, and without applications the overview offers to create one', async () => {
    const { page, go, click, expectHeading, expectText, takeScreenshots } = session
    await go('/instance/applications')
    await page.getByRole('link', { name: 'Project Manager' }).click()
    await openTab('Settings')
    await click('Delete application')
    await dialog()
      .getByText(/its 4 clients/)
      .waitFor()
    const confirm = dialog().getByRole('button', { name: 'Delete application' })
    expect(await confirm.isDisabled()).toBe(true)
    await expectAccessible()
    await dialog().getByRole('textbox').fill('project-manager')
    await confirm.click()
    await expectText('Project Manager was deleted.')
    await expectHeading('Applications')
    await expectText('No applications yet')
    await go('/instance/license-types')
    await expectText('No applications yet')
    await go('/instance')
    await page.getByRole('link', { name: 'Create your first application' }).waitFor()
    await expectAccessible()
    await takeScreenshots('instance-empty')
    await page.getByRole('link', { name: 'Create your first application' }).click()
    await expectHeading('Create an application')
    expect(errorsExcept(session.errors, 409, 422)).toEqual([])
  })
})
