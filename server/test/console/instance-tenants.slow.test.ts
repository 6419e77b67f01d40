import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { type ConsolePage, type ConsoleTest, openConsole } from './console-page.ts'
import { ADMIN, clickInDialog, errorsExcept, fillField, selectOption } from './page-actions.ts'

/** Opens the page of a tenant from the list. */
async function open({ page, go, expectHeading }: ConsolePage, name: string) {
  await go('/instance/tenants')
  await page.getByRole('link', { name, exact: true }).click()
  await expectHeading(name)
}

/** The buttons that a notification covers. */
const listCoveredButtons = ({ page }: ConsolePage) =>
  page.locator('#content').evaluate((content) =>
    [...content.querySelectorAll('button')]
      .filter((button) => {
        button.scrollIntoView({ block: 'nearest' })
        const { x, y, width, height } = button.getBoundingClientRect()
        return document.elementFromPoint(x + width / 2, y + height / 2)?.closest('[data-portal]')
      })
      .map((button) => button.innerText),
  )

describe.runIf(FULL && browserPath)('the tenants of the instance, in the console', () => {
  let consoleTest: ConsoleTest
  beforeAll(async () => {
    consoleTest = await openConsole()
  })
  afterAll(() => consoleTest?.close())

  test('tenants can be searched, created, renamed, suspended and deleted', async () => {
    const session = await consoleTest.signIn(ADMIN, '/instance/tenants')
    const { page, click, fill, expectText, expectHeading, takeScreenshots, errors } = session
    await expectHeading('Tenants')
    await expectText('Globex')
    await session.expectAccessible()
    await takeScreenshots('instance-tenants')
    await fill('Search by name or slug', 'glo')
    await page.getByRole('link', { name: 'Acme', exact: true }).waitFor({ state: 'detached' })
    expect(page.url()).toContain('search=glo')
    await fill('Search by name or slug', 'nobody-has-this')
    await expectText('No tenant matches')
    await click('Clear')
    await selectOption(session, 'Show', 'Suspended')
    await expectText('No tenant matches')
    await selectOption(session, 'Show', 'All tenants')

    await click('New tenant')
    await fillField(session, 'Name', 'Initech')
    await fillField(session, 'Slug', 'acme')
    await fillField(session, 'Owner’s email address', 'bill@initech.test')
    await session.expectAccessible()
    await clickInDialog(session, 'Create tenant')
    await expectText('This slug is taken. Choose another.')
    await fillField(session, 'Slug', 'initech')
    await clickInDialog(session, 'Create tenant')
    await expectText('bill@initech.test is invited to own it')
    await expectHeading('Initech')

    await fillField(session, 'Slug', 'globex')
    await click('Save')
    await expectText('This slug is taken. Choose another.')
    await fillField(session, 'Slug', 'initech-2')
    await fillField(session, 'Name', 'Initech Two')
    await page.getByRole('switch', { name: 'Every member needs a second factor' }).click({ force: true })
    await click('Save')
    await expectHeading('Initech Two')
    await expectText('Required of everybody')

    await click('Suspend tenant')
    await expectText(/immediately shut out/)
    await session.expectAccessible()
    await clickInDialog(session, 'Suspend tenant')
    await expectText('This tenant is suspended')
    await page.getByRole('alert').filter({ hasText: 'Initech Two is suspended.' }).waitFor()
    expect(await listCoveredButtons(session)).toEqual([])
    await session.expectAccessible()
    await takeScreenshots('instance-tenant')
    await click('Reactivate tenant')
    await page.getByText('This tenant is suspended').waitFor({ state: 'detached' })

    await click('Delete tenant')
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Delete tenant' }).isDisabled()).toBe(true)
    await fill('Type “initech-2” to confirm', 'initech-2')
    await clickInDialog(session, 'Delete tenant')
    await expectHeading('Tenants')
    await page.getByRole('link', { name: 'Initech Two' }).waitFor({ state: 'detached' })
    await session.go('/instance/tenants/00000000-0000-7000-8000-000000000000')
    await expectHeading('There is nothing here')
    expect(errorsExcept(errors, 409, 404)).toEqual([])
  })

  test('members can be added, changed, suspended and removed, except the last owner', async () => {
    const session = await consoleTest.signIn(ADMIN)
    const { page, click, fill, expectText, takeScreenshots, errors } = session
    await open(session, 'Globex')
    await page.getByRole('tab', { name: 'Members' }).click()
    await page.getByRole('link', { name: 'Gus Owner' }).waitFor()

    await selectOption(session, 'Role of Gus Owner', 'Member')
    await expectText('This is the last owner of the tenant. Make somebody else an owner first.')
    const role = page.getByRole('combobox', { name: 'Role of Gus Owner' })
    await expect.poll(() => role.textContent()).toBe('Owner')

    await click('Add person')
    await page.getByRole('combobox', { name: 'Person' }).fill('max')
    await page.getByRole('option', { name: 'Max Member (max@acme.test)' }).click()
    await session.expectAccessible()
    await clickInDialog(session, 'Add')
    await page.getByRole('link', { name: 'Max Member' }).waitFor()
    await session.expectAccessible()
    await takeScreenshots('instance-tenant-members')

    await selectOption(session, 'Role of Max Member', 'Admin')
    await expectText('Max Member is now Admin.')
    await click('Actions for Max Member')
    await page.getByRole('menuitem', { name: 'Suspend' }).click()
    await expectText('Max Member is suspended here.')
    await page.getByRole('button', { name: 'Undo' }).last().click()
    const row = page.getByRole('row', { name: /Max Member/ })
    await row.getByText('Active').waitFor()
    await fill('Search members', 'nobody')
    await expectText('No member matches')
    await click('Clear')

    await click('Actions for Max Member')
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await clickInDialog(session, 'Remove')
    await page.getByRole('link', { name: 'Max Member' }).waitFor({ state: 'detached' })
    expect(errorsExcept(errors, 409)).toEqual([])
  })

  test('subscriptions can be added and changed, but not below the seats in use', async () => {
    const session = await consoleTest.signIn(ADMIN)
    const { page, click, fill, expectText, takeScreenshots, errors } = session
    await open(session, 'Acme')
    await page.getByRole('tab', { name: 'Licenses' }).click()
    await expectText('1 of 5')
    await session.expectAccessible()
    await click('Change the subscription of Pro')
    await fillField(session, 'Seats', '0')
    await clickInDialog(session, 'Save')
    await expectText('1 seat is in use or reserved. Take some back first, or keep at least 1.')
    await session.expectAccessible()
    await fillField(session, 'Seats', '3')
    await selectOption(session, 'Status', 'Past due')
    await fill('Valid through (optional)', '2040-05-06')
    await clickInDialog(session, 'Save')
    await expectText('1 of 3')
    const subscriptions = page.getByRole('table', { name: 'Subscriptions' })
    await subscriptions.getByText('Past due').waitFor()
    await subscriptions.getByText('May 6, 2040').waitFor()

    await click('Add subscription')
    await selectOption(session, 'Application', 'Project Manager')
    await selectOption(session, 'License type', 'Pro')
    await clickInDialog(session, 'Add')
    await expectText('The tenant has a subscription of this license type already. Change that one.')
    await selectOption(session, 'License type', 'Free')
    await fillField(session, 'Seats', '7')
    await clickInDialog(session, 'Add')
    await expectText('0 of 7')

    const history = page.getByRole('table', { name: 'History of seats' })
    await history.getByText('Free, 7 seats').waitFor()
    await history.getByText(/5 seats → 3 seats/).waitFor()
    await history.getByRole('link', { name: 'Ada Administrator' }).first().waitFor()
    await session.expectAccessible()
    await takeScreenshots('instance-tenant-licenses')

    for (const count of [8, 9, 10, 11, 12, 13]) {
      await click('Change the subscription of Free')
      await fillField(session, 'Seats', String(count))
      await clickInDialog(session, 'Save')
      await expectText(`0 of ${count}`)
    }
    await click('Older')
    await history.getByText('Pro, 5 seats').waitFor()
    await click('Newer')
    await history.getByText(/12 seats → 13 seats/).waitFor()
    expect(errorsExcept(errors, 409)).toEqual([])
  })

  test('a tenant links to its audit log', async () => {
    const session = await consoleTest.signIn(ADMIN)
    const { page, expectText, expectHeading, takeScreenshots, errors } = session
    await open(session, 'Acme')
    await page.getByRole('link', { name: 'Audit log' }).last().click()
    await expectHeading('Audit log')
    await expectText('tenant Acme')
    await session.expectAccessible()
    await takeScreenshots('instance-audit')
    await page.getByRole('button', { name: 'Remove the filter “tenant Acme”' }).click()
    await page.waitForURL((url) => !url.search.includes('tenantId'))
    expect(errorsExcept(errors, 404)).toEqual([])
  })

  test('instance pages are not found for users without permission', async () => {
    const { page, go, expectHeading, errors } = await consoleTest.signIn('adam@acme.test', '/instance/tenants')
    await expectHeading('There is nothing here')
    expect(await page.getByRole('link', { name: 'Signing keys' }).count()).toBe(0)
    for (const section of ['users', 'keys', 'webhooks', 'audit', 'health']) {
      await go(`/instance/${section}`)
      await expectHeading('There is nothing here')
    }
    expect(errors).toEqual([])
  })
})
