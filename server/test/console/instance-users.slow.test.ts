import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { PASSWORD } from '../support/world.ts'
import { openStage, type Stage, type Visit } from './stage.ts'
import { ADMIN, answer, besides, choose, write } from './steps.ts'

/** Opens the page of an account from the list. */
async function open({ page, go, arriveAt }: Visit, name: string) {
  await go('/instance/users')
  await page.getByRole('link', { name, exact: true }).click()
  await arriveAt(name)
}

const turn = ({ page }: Visit, name: string) =>
  page.getByRole('switch', { name: new RegExp(`^${name}`) }).click({ force: true })

describe.runIf(FULL && browserPath)('the users of the instance, in the console', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  test('are found and made, with a link or a password', async () => {
    const visit = await stage.as(ADMIN, '/instance/users')
    const { page, press, fill, reads, arriveAt, go, picture, complaints } = visit
    await arriveAt('Users')
    await reads('mia@acme.test')
    await visit.isAccessible()
    await picture('instance-users')
    await choose(visit, 'Show', 'Super Admins')
    await page.getByRole('link', { name: 'Mia Member' }).waitFor({ state: 'detached' })
    expect(page.url()).toContain('show=superAdmin')
    await choose(visit, 'Show', 'Being deleted')
    await reads('Nobody matches')
    await choose(visit, 'Show', 'Everybody')
    await choose(visit, 'Order', 'By address, A–Z')
    await fill('Search by name or address', '@globex')
    await page.getByRole('link', { name: 'Ada Administrator' }).waitFor({ state: 'detached' })
    await reads('gus@globex.test')

    await press('New user')
    await write(visit, 'Email address', 'mia@acme.test')
    await answer(visit, 'Create user')
    await reads('An account with this e-mail address exists.')
    await write(visit, 'Email address', 'nina@acme.test')
    await write(visit, 'Given name', 'Nina')
    await write(visit, 'Family name', 'Newcomer')
    await visit.isAccessible()
    await answer(visit, 'Create user')
    await reads('a link is on its way to nina@acme.test')
    await arriveAt('Nina Newcomer')

    await go('/instance/users')
    await press('New user')
    await write(visit, 'Email address', 'sam@acme.test')
    await page.getByRole('radio', { name: 'Set a password now' }).check()
    await page.getByRole('dialog').locator('input[type=password]').fill('short')
    await answer(visit, 'Create user')
    await reads(/The password must have at least/)
    await page.getByRole('dialog').locator('input[type=password]').fill('a long walk by the river 7')
    await answer(visit, 'Create user')
    await arriveAt('sam')
    expect(besides(complaints, 400, 409, 422)).toEqual([])
  })

  test('are renamed, disabled, deleted and taken back', async () => {
    const visit = await stage.as(ADMIN)
    const { page, press, reads, arriveAt, picture, complaints } = visit
    await open(visit, 'Max Member')
    await reads('Acme')
    await visit.isAccessible()
    await picture('instance-user')
    await write(visit, 'Display name', 'Maximilian')
    await press('Save')
    await arriveAt('Maximilian')

    await press('Disable account')
    await reads(/signed out everywhere at once/)
    await answer(visit, 'Disable account')
    await reads('This account is disabled')
    // The notice that offers it goes away by itself.
    await press('Undo')
    await page.getByText('This account is disabled').waitFor({ state: 'detached' })
    await press('Disable account')
    await answer(visit, 'Disable account')
    await reads('This account is disabled')
    await visit.isAccessible()
    await press('Enable account')
    await page.getByText('This account is disabled').waitFor({ state: 'detached' })

    await press('Delete account')
    await write(visit, 'Type “max@acme.test” to confirm', 'max@acme.test')
    await answer(visit, 'Delete account')
    await reads('This account is being deleted')
    await visit.isAccessible()
    await press('Restore account')
    await page.getByText('This account is being deleted').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Audit log' }).last().click()
    await arriveAt('Audit log')
    await reads('happened to Maximilian')
    expect(complaints).toEqual([])
  })

  test('lose password, sessions and second factor where they must', async () => {
    const mia = await stage.as('mia@acme.test', '/account/profile')
    const visit = await stage.as(ADMIN)
    const { page, press, reads, complaints } = visit
    await open(visit, 'Mia Member')
    await reads('1 device')
    await press('End sessions')
    await answer(visit, 'End sessions')
    await reads('1 session was ended.')
    await reads('0 devices')
    await mia.page.reload()
    await mia.page.locator('input[name=email]').waitFor()
    await press('Reset password')
    await answer(visit, 'Reset password')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => page.getByRole('term').filter({ hasText: 'Password' }).count()).toBe(1)
    await page
      .getByText('Password', { exact: true })
      .locator('xpath=following-sibling::dd')
      .getByText('None')
      .waitFor()
    const refused = await fetch(`${stage.service.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'mia@acme.test', password: PASSWORD }),
    })
    expect(refused.status).toBe(401)
    // Without a second factor there is none to remove.
    expect(await page.getByRole('button', { name: 'Reset second factor' }).count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('become Super Admins and cease to be; the last one stays', async () => {
    const visit = await stage.as(ADMIN)
    const { page, press, reads, complaints } = visit
    await open(visit, 'Ada Administrator')
    await reads('This is you')
    expect(await page.getByRole('button', { name: 'Delete account' }).count()).toBe(0)
    await visit.isAccessible()
    await turn(visit, 'Super Admin')
    await answer(visit, 'Give it up')
    await reads('This is the last Super Admin who can sign in. Make somebody else one first.')
    await answer(visit, 'Cancel')
    await expect.poll(() => page.getByRole('switch', { name: 'Super Admin' }).isChecked()).toBe(true)

    await open(visit, 'Gus Owner')
    await turn(visit, 'May sign in with a password')
    await reads('This person can sign in only with a password, so it must stay possible.')
    await press('Delete account')
    await write(visit, 'Type “gus@globex.test” to confirm', 'gus@globex.test')
    await answer(visit, 'Delete account')
    await reads('This person is the last owner of a tenant. Make somebody else its owner first.')
    await answer(visit, 'Cancel')
    await turn(visit, 'Super Admin')
    await answer(visit, 'Make Super Admin')
    await reads('Gus Owner is a Super Admin now.')
    await turn(visit, 'Super Admin')
    await reads('Gus Owner is no Super Admin any more.')
    await expect.poll(() => page.getByRole('switch', { name: 'Super Admin' }).isChecked()).toBe(false)
    expect(besides(complaints, 400, 409)).toEqual([])
  })
})
