import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { openStage, type Stage, type Visit } from './stage.ts'
import { ADMIN, answer, besides, choose, write } from './steps.ts'

/** Opens the page of a tenant from the list. */
async function open({ page, go, arriveAt }: Visit, name: string) {
  await go('/instance/tenants')
  await page.getByRole('link', { name, exact: true }).click()
  await arriveAt(name)
}

/** The buttons of the page that somebody could not press, because a notice lies on them. */
const buttonsUnderNotices = ({ page }: Visit) =>
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
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  test('are found, made for somebody, renamed, suspended and deleted', async () => {
    const visit = await stage.as(ADMIN, '/instance/tenants')
    const { page, press, fill, reads, arriveAt, picture, complaints } = visit
    await arriveAt('Tenants')
    await reads('Globex')
    await visit.isAccessible()
    await picture('instance-tenants')
    await fill('Search by name or slug', 'glo')
    await page.getByRole('link', { name: 'Acme', exact: true }).waitFor({ state: 'detached' })
    expect(page.url()).toContain('search=glo')
    await fill('Search by name or slug', 'nobody-has-this')
    await reads('No tenant matches')
    await press('Clear')
    await choose(visit, 'Show', 'Suspended')
    await reads('No tenant matches')
    await choose(visit, 'Show', 'All tenants')

    await press('New tenant')
    await write(visit, 'Name', 'Initech')
    await write(visit, 'Slug', 'acme')
    await write(visit, 'Owner’s email address', 'bill@initech.test')
    await visit.isAccessible()
    await answer(visit, 'Create tenant')
    await reads('This slug is taken. Choose another.')
    await write(visit, 'Slug', 'initech')
    await answer(visit, 'Create tenant')
    await reads('bill@initech.test is invited to own it')
    await arriveAt('Initech')

    await write(visit, 'Slug', 'globex')
    await press('Save')
    await reads('This slug is taken. Choose another.')
    await write(visit, 'Slug', 'initech-2')
    await write(visit, 'Name', 'Initech Two')
    await page.getByRole('switch', { name: 'Every member needs a second factor' }).click({ force: true })
    await press('Save')
    await arriveAt('Initech Two')
    await reads('Required of everybody')

    await press('Suspend tenant')
    await reads(/shut out at once/)
    await visit.isAccessible()
    await answer(visit, 'Suspend tenant')
    await reads('This tenant is suspended')
    await page.getByRole('alert').filter({ hasText: 'Initech Two is suspended.' }).waitFor()
    expect(await buttonsUnderNotices(visit)).toEqual([])
    await visit.isAccessible()
    await picture('instance-tenant')
    await press('Reactivate tenant')
    await page.getByText('This tenant is suspended').waitFor({ state: 'detached' })

    await press('Delete tenant')
    expect(await page.getByRole('dialog').getByRole('button', { name: 'Delete tenant' }).isDisabled()).toBe(
      true,
    )
    await fill('Type “initech-2” to confirm', 'initech-2')
    await answer(visit, 'Delete tenant')
    await arriveAt('Tenants')
    await page.getByRole('link', { name: 'Initech Two' }).waitFor({ state: 'detached' })
    await visit.go('/instance/tenants/00000000-0000-7000-8000-000000000000')
    await arriveAt('There is nothing here')
    expect(besides(complaints, 409, 404)).toEqual([])
  })

  test('members are added, given roles, suspended and removed; the last owner stays', async () => {
    const visit = await stage.as(ADMIN)
    const { page, press, fill, reads, picture, complaints } = visit
    await open(visit, 'Globex')
    await page.getByRole('tab', { name: 'Members' }).click()
    await page.getByRole('link', { name: 'Gus Owner' }).waitFor()

    await choose(visit, 'Role of Gus Owner', 'Member')
    await reads('This is the last owner of the tenant. Make somebody else an owner first.')
    const role = page.getByRole('combobox', { name: 'Role of Gus Owner' })
    await expect.poll(() => role.inputValue()).toBe('Owner')

    await press('Add person')
    await page.getByRole('combobox', { name: 'Person' }).fill('max')
    await page.getByRole('option', { name: 'Max Member (max@acme.test)' }).click()
    await visit.isAccessible()
    await answer(visit, 'Add')
    await page.getByRole('link', { name: 'Max Member' }).waitFor()
    await visit.isAccessible()
    await picture('instance-tenant-members')

    await choose(visit, 'Role of Max Member', 'Admin')
    await reads('Max Member is now Admin.')
    await press('Actions for Max Member')
    await page.getByRole('menuitem', { name: 'Suspend' }).click()
    await reads('Max Member is suspended here.')
    await page.getByRole('button', { name: 'Undo' }).last().click()
    const row = page.getByRole('row', { name: /Max Member/ })
    await row.getByText('Active').waitFor()
    await fill('Search members', 'nobody')
    await reads('No member matches')
    await press('Clear')

    await press('Actions for Max Member')
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await answer(visit, 'Remove')
    await page.getByRole('link', { name: 'Max Member' }).waitFor({ state: 'detached' })
    expect(besides(complaints, 409)).toEqual([])
  })

  test('subscriptions are added and changed, but never below the seats in use', async () => {
    const visit = await stage.as(ADMIN)
    const { page, press, fill, reads, picture, complaints } = visit
    await open(visit, 'Acme')
    await page.getByRole('tab', { name: 'Licenses' }).click()
    await reads('1 of 5')
    await visit.isAccessible()
    await press('Change the subscription of Pro')
    await write(visit, 'Seats', '0')
    await answer(visit, 'Save')
    await reads('1 seat is in use or promised. Take some back first, or keep at least 1.')
    await visit.isAccessible()
    await write(visit, 'Seats', '3')
    await choose(visit, 'Status', 'Past due')
    await fill('Good through (optional)', '2040-05-06')
    await answer(visit, 'Save')
    await reads('1 of 3')
    const subscriptions = page.getByRole('table', { name: 'Subscriptions' })
    await subscriptions.getByText('Past due').waitFor()
    await subscriptions.getByText('May 6, 2040').waitFor()

    await press('Add subscription')
    await choose(visit, 'Application', 'Project Manager')
    await choose(visit, 'License type', 'Pro')
    await answer(visit, 'Add')
    await reads('The tenant has a subscription of this licence type already. Change that one.')
    await choose(visit, 'License type', 'Free')
    await write(visit, 'Seats', '7')
    await answer(visit, 'Add')
    await reads('0 of 7')

    const history = page.getByRole('table', { name: 'History of seats' })
    await history.getByText('Free, 7 seats').waitFor()
    await history.getByText(/5 seats → 3 seats/).waitFor()
    await history.getByRole('link', { name: 'Ada Administrator' }).first().waitFor()
    await visit.isAccessible()
    await picture('instance-tenant-licenses')

    for (const count of [8, 9, 10, 11, 12, 13]) {
      await press('Change the subscription of Free')
      await write(visit, 'Seats', String(count))
      await answer(visit, 'Save')
      await reads(`0 of ${count}`)
    }
    await press('Older')
    await history.getByText('Pro, 5 seats').waitFor()
    await press('Newer')
    await history.getByText(/12 seats → 13 seats/).waitFor()
    expect(besides(complaints, 409)).toEqual([])
  })

  test('lead to what happened in them', async () => {
    const visit = await stage.as(ADMIN)
    const { page, reads, arriveAt, picture, complaints } = visit
    await open(visit, 'Acme')
    await page.getByRole('link', { name: 'Audit log' }).last().click()
    await arriveAt('Audit log')
    await reads('tenant Acme')
    await visit.isAccessible()
    await picture('instance-audit')
    await page.getByRole('button', { name: 'Remove the filter “tenant Acme”' }).click()
    await page.waitForURL((url) => !url.search.includes('tenantId'))
    expect(besides(complaints, 404)).toEqual([])
  })

  test('are nobody’s business who does not run the instance', async () => {
    const { page, go, arriveAt, complaints } = await stage.as('adam@acme.test', '/instance/tenants')
    await arriveAt('There is nothing here')
    expect(await page.getByRole('link', { name: 'Signing keys' }).count()).toBe(0)
    for (const place of ['users', 'keys', 'webhooks', 'audit', 'health']) {
      await go(`/instance/${place}`)
      await arriveAt('There is nothing here')
    }
    expect(complaints).toEqual([])
  })
})
