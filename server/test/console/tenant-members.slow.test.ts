import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { addMember } from '../support/world.ts'
import { type ConsolePage, type ConsoleTest, openConsole } from './console-page.ts'
import { isHttpError } from './page-actions.ts'

describe.runIf(FULL && browserPath)('members and invitations in the console', () => {
  let consoleTest: ConsoleTest
  let owner: ConsolePage
  let admin: ConsolePage
  beforeAll(async () => {
    consoleTest = await openConsole()
    await addMember(consoleTest.service, 'mia@acme.test', 'globex')
    owner = await consoleTest.signIn('olivia@acme.test', '/t/acme/members')
    admin = await consoleTest.signIn('adam@acme.test', '/t/acme/members')
  })
  afterAll(() => consoleTest?.close())

  test('search and filters are kept in the query string', async () => {
    const { page, expectHeading, click, expectText, expectAccessible } = owner
    await expectHeading('Members')
    await expectText('mia@acme.test')
    await expectAccessible()
    await page.getByRole('searchbox').fill('adam')
    await page.waitForURL(/search=adam/)
    await page.getByText('mia@acme.test').waitFor({ state: 'detached' })
    await page.reload()
    await expectText('adam@acme.test')
    expect(await page.getByText('mia@acme.test').count()).toBe(0)
    await page.getByRole('combobox', { name: 'Role', exact: true }).click()
    await page.getByRole('option', { name: 'Owner' }).click()
    await expectText('Nobody was found')
    await click('Clear search and filters')
    await expectText('mia@acme.test')
    expect(new URL(page.url()).search).toBe('')
    expect(owner.errors).toEqual([])
  })

  test('an admin can change members and undo it, but cannot change owners', async () => {
    const { page, expectText, click } = admin
    await expectText('olivia@acme.test')
    expect(await page.getByLabel('Role of Olivia Owner').count()).toBe(0)
    expect(await page.getByRole('button', { name: 'More for Olivia Owner' }).count()).toBe(0)
    const role = page.getByRole('combobox', { name: 'Role of Max Member' })
    await role.click()
    expect(await page.getByRole('option').allTextContents()).toEqual(['Admin', 'Member'])
    await page.getByRole('option', { name: 'Admin' }).click()
    await expectText('Max Member is now an admin.')
    await click('Undo')
    await expect.poll(() => role.textContent()).toBe('Member')
    await page.getByRole('button', { name: 'More for Max Member' }).click()
    await page.getByRole('menuitem', { name: 'Suspend' }).click()
    const suspended = page.getByRole('cell', { name: 'Suspended' })
    await suspended.waitFor()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await suspended.waitFor({ state: 'detached' })
    expect(admin.errors).toEqual([])
  })

  test('the last owner cannot be demoted, and the change is rolled back with the reason', async () => {
    const { page, expectText, click, errors } = owner
    await page.getByRole('combobox', { name: 'Role of Olivia Owner' }).click()
    await page.getByRole('option', { name: 'Member' }).click()
    await click('Change my role')
    await expectText('This is the last owner of the tenant. Make somebody else an owner first.')
    await click('Cancel')
    const role = page.getByRole('combobox', { name: 'Role of Olivia Owner' })
    await expect.poll(() => role.textContent()).toBe('Owner')
    expect(errors.splice(0).filter((error) => !isHttpError(error))).toEqual([])
  })

  test('many users can be invited together with a result for each', async () => {
    const { page, go, expectHeading, fill, expectText, click, expectAccessible } = owner
    await go('/t/acme/invitations')
    await expectHeading('Invitations')
    await expectText('No open invitations')
    await expectAccessible()
    await page.getByRole('button', { name: 'Invite people' }).first().click()
    const addresses = Array.from({ length: 60 }, (_, index) => `person${index}@example.com`).join('\n')
    const rest = '"Lovelace, Ada" <ada@example.com>; rubbish, mia@acme.test'
    await fill('Email addresses', `${rest}\n${addresses} ADA@example.com`)
    await expectText(/62 addresses\. 1 duplicate was left out\. Not an address, left out: rubbish/)
    await expectAccessible()
    await click('Invite 62 people')
    await expectText('61 people invited, 1 not.')
    await expectText('This person is a member of the tenant already.')
    await expectAccessible()
    await click('Try those again')
    await fill('Email addresses', 'carol@example.com')
    await page.getByRole('combobox', { name: 'Give them a seat' }).click()
    await page.getByRole('option', { name: /^Pro/ }).click()
    await click('Invite 1 person')
    await expectText('1 person invited.')
    await click('Done')
    await expectText('carol@example.com')
    await click('Next page')
    await page.waitForURL(/page=2/)
    expect(owner.errors).toEqual([])
  })

  test('an invitation can be resent and revoked, and owner invitations only by owners', async () => {
    const { page, go, fill, click, expectText } = owner
    await go('/t/acme/invitations')
    await click('Invite people')
    await fill('Email addresses', 'second-owner@example.com dora@example.com')
    await page.getByRole('combobox', { name: 'Role' }).click()
    await page.getByRole('option', { name: 'Owner' }).click()
    await click('Invite 2 people')
    await click('Done')
    await click('Send again: dora@example.com')
    await expectText(/A new link is on its way to dora@example.com/)
    await click('Revoke: dora@example.com')
    await click('Revoke invitation')
    await expectText('The invitation for dora@example.com was revoked.')
    await page.getByText('Revoked', { exact: true }).click()
    await page.getByRole('cell', { name: 'dora@example.com' }).waitFor()
    await admin.go('/t/acme/invitations')
    await admin.expectText('second-owner@example.com')
    const name = 'Revoke: second-owner@example.com'
    expect(await admin.page.getByRole('button', { name }).count()).toBe(0)
    expect([...owner.errors, ...admin.errors]).toEqual([])
  })

  test('a member can be removed', async () => {
    const { page, go, click, expectText, expectAccessible } = owner
    await go('/t/acme/members')
    await page.getByRole('button', { name: 'More for Max Member' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await expectText(/immediately loses access to Acme/)
    await expectAccessible()
    await click('Remove member')
    await expectText('Max Member was removed.')
    await page.getByRole('cell', { name: /max@acme.test/ }).waitFor({ state: 'detached' })
    expect(owner.errors).toEqual([])
  })

  test('members cannot change others, can use two tenants in two tabs, and can leave', async () => {
    const member = await consoleTest.signIn('mia@acme.test', '/t/acme/members')
    const { page, go, expectHeading, expectText, click, expectAccessible } = member
    await expectText('olivia@acme.test')
    expect(await page.getByRole('button', { name: 'Invite people' }).count()).toBe(0)
    expect(await page.getByLabel('Role of Olivia Owner').count()).toBe(0)
    await page.getByRole('button', { name: /^More for/ }).click()
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(['Leave this tenant'])
    for (const section of ['invitations', 'webhooks', 'audit']) {
      await go(`/t/acme/${section}`)
      await expectHeading('There is nothing here')
    }
    await go('/t/acme/settings')
    await expectText('Everybody decides for themselves.')
    await expectAccessible()
    expect(await page.getByRole('button', { name: 'Delete tenant' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0)

    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('button', { name: 'Switch tenant: Acme' }).click()
    await other.getByRole('menuitem', { name: /Globex/ }).click()
    await other.waitForURL(/\/t\/globex\/settings/)
    await other.getByText('The name, look and protection of Globex.').waitFor()
    await page.reload()
    await expectText('The name, look and protection of Acme.')

    await go('/t/globex/settings')
    await click('Leave this tenant')
    await click('Leave')
    await page.waitForURL(/\/t\/acme\/members/)
    await expectText('olivia@acme.test')
    expect(member.errors.filter((error) => !isHttpError(error))).toEqual([])
  })

  test('a user can create a tenant and is its owner', async () => {
    const { page, expectHeading, fill, click, expectText, expectAccessible, errors } = await consoleTest.signIn(
      'gus@globex.test',
      '/new-tenant',
    )
    await expectHeading('New tenant')
    await fill('Name', 'Initech Ünited')
    expect(await page.getByLabel('Slug').inputValue()).toBe('initech-united')
    await expectAccessible()
    await fill('Slug', 'acme')
    await click('Create tenant')
    await expectText(/taken/)
    await fill('Slug', '')
    await click('Create tenant')
    await page.waitForURL(/\/t\/initech-united\/members/)
    await page.getByRole('button', { name: 'Switch tenant: Initech Ünited' }).waitFor()
    await expectText('gus@globex.test')
    expect(errors.filter((error) => !isHttpError(error))).toEqual([])
  })
})
