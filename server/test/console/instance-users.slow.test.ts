import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { findIds, PASSWORD, thirdParty } from '../support/world.ts'
import { type ConsolePage, type ConsoleTest, openConsole } from './console-page.ts'
import { ADMIN, clickInDialog, errorsExcept, fillField, selectOption } from './page-actions.ts'

/** Opens the page of an account from the list. */
async function open({ page, go, expectHeading }: ConsolePage, name: string) {
  await go('/instance/users')
  await page.getByRole('link', { name, exact: true }).click()
  await expectHeading(name)
}

const toggleSwitch = ({ page }: ConsolePage, name: string) =>
  page.getByRole('switch', { name: new RegExp(`^${name}`) }).click({ force: true })

describe.runIf(FULL && browserPath)('the users of the instance, in the console', () => {
  let consoleTest: ConsoleTest
  beforeAll(async () => {
    consoleTest = await openConsole()
  })
  afterAll(() => consoleTest?.close())

  test('users can be searched and created with an emailed link or a password', async () => {
    const session = await consoleTest.signIn(ADMIN, '/instance/users')
    const { page, click, fill, expectText, expectHeading, go, takeScreenshots, errors } = session
    await expectHeading('Users')
    await expectText('mia@acme.test')
    await session.expectAccessible()
    await takeScreenshots('instance-users')
    await selectOption(session, 'Show', 'Super Admins')
    await page.getByRole('link', { name: 'Mia Member' }).waitFor({ state: 'detached' })
    expect(page.url()).toContain('show=superAdmin')
    await selectOption(session, 'Show', 'Scheduled for deletion')
    await expectText('No user matches')
    await selectOption(session, 'Show', 'Everybody')
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click()
    await expect
      .poll(() => page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort'))
      .toBe('ascending')
    expect(page.url()).toContain('sort=email')
    await fill('Search by name or address', '@globex')
    await page.getByRole('link', { name: 'Ada Administrator' }).waitFor({ state: 'detached' })
    await expectText('gus@globex.test')

    await click('New user')
    await fillField(session, 'Email address', 'mia@acme.test')
    await clickInDialog(session, 'Create user')
    await expectText('An account with this email address exists.')
    await fillField(session, 'Email address', 'nina@acme.test')
    await fillField(session, 'Given name', 'Nina')
    await fillField(session, 'Family name', 'Newcomer')
    await session.expectAccessible()
    await clickInDialog(session, 'Create user')
    await expectText('a link is on its way to nina@acme.test')
    await expectHeading('Nina Newcomer')

    await go('/instance/users')
    await click('New user')
    await fillField(session, 'Email address', 'sam@acme.test')
    await page.getByRole('radio', { name: 'Set a password now' }).check()
    await page.getByRole('dialog').locator('input[type=password]').fill('short')
    await clickInDialog(session, 'Create user')
    await expectText(/The password must have at least/)
    await page.getByRole('dialog').locator('input[type=password]').fill('a long walk by the river 7')
    await clickInDialog(session, 'Create user')
    await expectHeading('sam')
    expect(errorsExcept(errors, 400, 409, 422)).toEqual([])
  })

  test('users can be renamed, disabled, deleted and restored', async () => {
    const session = await consoleTest.signIn(ADMIN)
    const { page, click, expectText, expectHeading, takeScreenshots, errors } = session
    await open(session, 'Max Member')
    await expectText('Acme')
    await session.expectAccessible()
    await takeScreenshots('instance-user')
    await fillField(session, 'Display name', 'Maximilian')
    await click('Save')
    await expectHeading('Maximilian')

    await click('Disable account')
    await expectText(/immediately signed out everywhere/)
    await clickInDialog(session, 'Disable account')
    await expectText('This account is disabled')
    // The undo notification closes after some seconds.
    await click('Undo')
    await page.getByText('This account is disabled').waitFor({ state: 'detached' })
    await click('Disable account')
    await clickInDialog(session, 'Disable account')
    await expectText('This account is disabled')
    await session.expectAccessible()
    await click('Enable account')
    await page.getByText('This account is disabled').waitFor({ state: 'detached' })

    await click('Delete account')
    await fillField(session, 'Type “max@acme.test” to confirm', 'max@acme.test')
    await clickInDialog(session, 'Delete account')
    await expectText('This account is scheduled for deletion')
    await session.expectAccessible()
    await click('Restore account')
    await page.getByText('This account is scheduled for deletion').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Audit log' }).last().click()
    await expectHeading('Audit log')
    await expectText('happened to Maximilian')
    expect(errors).toEqual([])
  })

  test('password, sessions and second factor of a user can be reset', async () => {
    const mia = await consoleTest.signIn('mia@acme.test', '/account/profile')
    const session = await consoleTest.signIn(ADMIN)
    const { page, click, expectText, errors } = session
    await open(session, 'Mia Member')
    await expectText('1 session')
    await click('End sessions')
    await clickInDialog(session, 'End sessions')
    await expectText('1 session was ended.')
    await expectText('0 sessions')
    await mia.page.reload()
    await mia.page.locator('input[name=email]').waitFor()
    await click('Reset password')
    await clickInDialog(session, 'Reset password')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => page.getByRole('term').filter({ hasText: 'Password' }).count()).toBe(1)
    await page
      .getByText('Password', { exact: true })
      .locator('xpath=following-sibling::dd')
      .getByText('Not set')
      .waitFor()
    const refused = await fetch(`${consoleTest.service.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'mia@acme.test', password: PASSWORD }),
    })
    expect(refused.status).toBe(401)
    // The user has no second factor.
    expect(await page.getByRole('button', { name: 'Remove second factor' }).count()).toBe(0)
    expect(errors).toEqual([])
  })

  test('people and operators see which applications have access, and withdraw it in one tenant', async () => {
    const { service } = consoleTest
    const client = await thirdParty(service.url, 'Partner Reports')
    const { db } = service.ctx
    const { application_id } = await db
      .selectFrom('clients')
      .select('application_id')
      .where('id', '=', client.id)
      .executeTakeFirstOrThrow()
    const { userId: user_id, tenantId } = await findIds(service, ADMIN, 'acme')
    for (const tenant_id of [tenantId, null]) {
      const consent = { user_id, application_id, tenant_id, scopes: ['openid', 'email'], granted_at: new Date() }
      await db.insertInto('consents').values(consent).execute()
    }
    const session = await consoleTest.signIn(ADMIN, '/account/data')
    const { page, click, expectText, go, errors } = session
    await expectText('See your email address')
    await session.expectAccessible()
    await click('Withdraw the access of Partner Reports in Acme')
    await clickInDialog(session, 'Withdraw')
    await expectText('The access of Partner Reports in Acme was withdrawn.')
    const inAcme = page.getByRole('button', { name: 'Withdraw the access of Partner Reports in Acme' })
    await inAcme.waitFor({ state: 'detached' })
    await go(`/instance/users/${user_id}`)
    await expectText('Applications that this person allowed to use the account.')
    await session.expectAccessible()
    await click('Withdraw the access of Partner Reports')
    await clickInDialog(session, 'Withdraw')
    await expectText('No application has access')
    expect(errors).toEqual([])
  })

  test('users can be made super admins and demoted, except the last one', async () => {
    const session = await consoleTest.signIn(ADMIN)
    const { page, click, expectText, errors } = session
    await open(session, 'Ada Administrator')
    await expectText('This is you')
    expect(await page.getByRole('button', { name: 'Delete account' }).count()).toBe(0)
    await session.expectAccessible()
    await toggleSwitch(session, 'Super Admin')
    await clickInDialog(session, 'Stop being Super Admin')
    await expectText('This is the last Super Admin who can sign in. Make somebody else one first.')
    await clickInDialog(session, 'Cancel')
    await expect.poll(() => page.getByRole('switch', { name: 'Super Admin' }).isChecked()).toBe(true)

    await open(session, 'Gus Owner')
    await toggleSwitch(session, 'Can sign in with a password')
    await expectText('This person can sign in only with a password, so it must stay possible.')
    await click('Delete account')
    await fillField(session, 'Type “gus@globex.test” to confirm', 'gus@globex.test')
    await clickInDialog(session, 'Delete account')
    await expectText('This person is the last owner of a tenant. Make somebody else its owner first.')
    await clickInDialog(session, 'Cancel')
    await toggleSwitch(session, 'Super Admin')
    await clickInDialog(session, 'Make Super Admin')
    await expectText('Gus Owner is now a Super Admin.')
    await toggleSwitch(session, 'Super Admin')
    await expectText('Gus Owner is no longer a Super Admin.')
    await expect.poll(() => page.getByRole('switch', { name: 'Super Admin' }).isChecked()).toBe(false)
    expect(errorsExcept(errors, 400, 409)).toEqual([])
  })
})
