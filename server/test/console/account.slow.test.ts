import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { admin, PASSWORD, signIn } from '../support/world.ts'
import { openStage, type Stage } from './stage.ts'
import { besides, inDialog } from './steps.ts'

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

/** What the service was asked to change, as it was sent. */
function noteChanges(page: Page): unknown[] {
  const sent: unknown[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') sent.push(request.postDataJSON())
  })
  return sent
}

describe.runIf(FULL && browserPath)('my account in the console', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  test('the profile is saved with what has changed and nothing else', async () => {
    const visit = await stage.as('mia@acme.test', '/account')
    const { page, arriveAt, fill, press, reads } = visit
    const sent = noteChanges(page)
    await arriveAt('Profile')
    const save = page.getByRole('button', { name: 'Save changes' })
    expect(await save.isDisabled()).toBe(true)
    await fill('Nickname', 'Mimi')
    await fill('Website', 'no address')
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Berlin')
    await page.getByRole('option', { name: 'Europe/Berlin' }).click()
    await press('Save changes')
    await reads(/must be an address that starts with http/)
    await visit.isAccessible()
    await fill('Website', 'https://mia.example.com')
    await fill('Gender', 'female')
    await fill('Date of birth', '1990-12-31')
    await page.getByLabel('Website').press('Enter')
    await reads('Your profile was saved.')
    await reads('Everything is saved.')
    expect(sent.at(-1)).toEqual({
      nickname: 'Mimi',
      website: 'https://mia.example.com',
      gender: 'female',
      birthdate: '1990-12-31',
      zoneinfo: 'Europe/Berlin',
    })
    expect(await save.isDisabled()).toBe(true)
    await page.reload()
    await arriveAt('Profile')
    expect(await page.getByLabel('Nickname').inputValue()).toBe('Mimi')
    expect(await page.getByLabel('Date of birth').inputValue()).toBe('1990-12-31')
    expect(await page.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('Europe/Berlin')
    await fill('Given name', 'Amelia')
    await press('Discard')
    expect(await page.getByLabel('Given name').inputValue()).toBe('Mia')
    await visit.isAccessible()
    await visit.picture('account-profile')
    expect(besides(visit.complaints, 422)).toEqual([])
  })

  test('another address takes the password, and a look into the new mailbox', async () => {
    const visit = await stage.as('mia@acme.test', '/account/profile')
    const { page, fill, press, reads } = visit
    await press('Change address')
    await fill('New email address', 'mia.new@acme.test')
    await fill('Password', 'not mine')
    await press('Send the link')
    await reads('The current password is wrong.')
    await visit.isAccessible()
    await visit.picture('account-address')
    await fill('Password', PASSWORD)
    await page.getByLabel('Password', { exact: true }).press('Enter')
    await reads('Look into your new mailbox')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await expect.poll(focused).toBe('Change address')
    expect(besides(visit.complaints, 400)).toEqual([])
  })

  test('who has not confirmed their address can ask for the link again, and is offered no new way in', async () => {
    const email = 'una@acme.test'
    await admin(stage.service.url, '/api/admin/users', { email, password: PASSWORD, emailVerified: false })
    const visit = await stage.as(email, '/account/profile')
    const { page, go, press, reads } = visit
    await reads('Not confirmed')
    await press('Send the link again')
    await reads(`We have sent a new link to ${email}.`)
    await visit.isAccessible()
    await visit.picture('account-unverified')
    await go('/account/security')
    await reads('Confirm your email address first')
    expect(await page.getByRole('button', { name: 'Set up' }).isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Add a passkey' }).isDisabled()).toBe(true)
    await reads('No other accounts can be linked')
    await visit.isAccessible()
    await page.getByRole('link', { name: 'Go to my profile' }).click()
    await visit.arriveAt('Profile')
    expect(visit.complaints).toEqual([])
  })

  test('sessions are told apart, and end one by one or all but this', async () => {
    const { url } = stage.service
    await signIn(url, 'mia@acme.test', { 'user-agent': IPHONE })
    await signIn(url, 'mia@acme.test', { 'user-agent': 'curl/8.5.0' })
    const visit = await stage.as('mia@acme.test', '/account/sessions')
    const { page, press, reads } = visit
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row')
    await reads('Safari on iPhone')
    const here = rows.filter({ hasText: 'This device' })
    expect(await here.count()).toBe(1)
    expect(await here.getByRole('button').count()).toBe(0)
    expect(await page.getByText('Unknown', { exact: true }).count()).toBe(0)
    await visit.isAccessible()
    await visit.picture('account-sessions')
    await press('End the session of Safari on iPhone')
    await visit.isAccessible()
    await press('End session')
    await reads('The session has ended.')
    await rows.filter({ hasText: 'iPhone' }).waitFor({ state: 'detached' })
    await rows.filter({ hasText: 'curl' }).waitFor()
    await press('End all others')
    await inDialog(page, 'End all others').click()
    await reads(/other sessions? ha(s|ve) ended/)
    await expect.poll(() => rows.count()).toBe(2)
    expect(await page.getByRole('button', { name: 'End all others' }).isDisabled()).toBe(true)
    expect(visit.complaints).toEqual([])
  })

  test('a session that somebody else has ended is over here too', async () => {
    const here = await stage.as('max@acme.test', '/account/sessions')
    const there = await stage.as('max@acme.test', '/account/profile')
    await here.page.reload()
    await here.page
      .getByRole('button', { name: /^End the session of/ })
      .first()
      .waitFor()
    await here.press('End all others')
    await inDialog(here.page, 'End all others').click()
    await here.reads(/ended\.$/)
    await there.go('/account/sessions')
    await there.page.locator('input[name=email]').waitFor()
  })

  test('everything kept about a person comes as a file', async () => {
    const visit = await stage.as('mia@acme.test', '/account/data')
    const { page, press, arriveAt } = visit
    await arriveAt('Data & deletion')
    const [download] = await Promise.all([page.waitForEvent('download'), press('Download my data')])
    expect(download.suggestedFilename()).toBe('latchkey-personal-data.json')
    const data = JSON.parse(await readFile(await download.path(), 'utf8'))
    expect(data.profile.email).toBe('mia@acme.test')
    await visit.reads('Your data was downloaded.')
    await visit.isAccessible()
    await visit.picture('account-data')
    expect(visit.complaints).toEqual([])
  })

  test('the last owner of a tenant is shown the way to where another is made', async () => {
    const visit = await stage.as('gus@globex.test', '/account/data')
    const { page, press, fill, reads } = visit
    await press('Delete my account')
    expect(await inDialog(page, 'Delete my account').isDisabled()).toBe(true)
    await fill('Type “DELETE MY ACCOUNT” to confirm', 'DELETE MY ACCOUNT')
    await fill('Password', PASSWORD)
    await inDialog(page, 'Delete my account').click()
    await reads('You are the last owner of a tenant. Make somebody else its owner first.')
    await visit.isAccessible()
    await visit.picture('account-deletion')
    await page.getByRole('link', { name: 'Members of Globex' }).click()
    await visit.arriveAt('Members')
    expect(besides(visit.complaints, 400)).toEqual([])
  })

  test('who deletes their account is told of the way back, and signed out', async () => {
    const visit = await stage.as('max@acme.test', '/account/data')
    const { page, press, fill, reads, go } = visit
    await press('Delete my account')
    await fill('Type “DELETE MY ACCOUNT” to confirm', 'DELETE MY ACCOUNT')
    await fill('Password', 'not mine')
    await inDialog(page, 'Delete my account').click()
    await reads('The current password is wrong.')
    await fill('Password', PASSWORD)
    await inDialog(page, 'Delete my account').click()
    await reads(/Your account will be deleted in 30 days/)
    await visit.isAccessible()
    await visit.picture('account-goodbye')
    await press('Go to the sign-in page')
    await page.locator('input[name=email]').waitFor()
    await go('/account/profile')
    await page.locator('input[name=email]').waitFor()
    expect(besides(visit.complaints, 400)).toEqual([])
  })
})
