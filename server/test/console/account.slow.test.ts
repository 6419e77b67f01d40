import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { admin, PASSWORD, signIn } from '../support/world.ts'
import { type ConsoleTest, openConsole } from './console-page.ts'
import { dialogButton, errorsExcept } from './page-actions.ts'

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

/** Records the bodies of all PATCH requests. */
function recordChanges(page: Page): unknown[] {
  const sent: unknown[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') sent.push(request.postDataJSON())
  })
  return sent
}

describe.runIf(FULL && browserPath)('my account in the console', () => {
  let consoleTest: ConsoleTest
  beforeAll(async () => {
    consoleTest = await openConsole()
  })
  afterAll(() => consoleTest?.close())

  test('saving the profile sends only changed fields', async () => {
    const session = await consoleTest.signIn('mia@acme.test', '/account')
    const { page, expectHeading, fill, click, expectText } = session
    const sent = recordChanges(page)
    await expectHeading('Profile')
    const save = page.getByRole('button', { name: 'Save changes' })
    expect(await save.isDisabled()).toBe(true)
    await fill('Nickname', 'Mimi')
    await fill('Website', 'no address')
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Berlin')
    await page.getByRole('option', { name: 'Europe/Berlin' }).click()
    await click('Save changes')
    await expectText(/must be an address that starts with http/)
    await session.expectAccessible()
    await fill('Website', 'https://mia.example.com')
    await fill('Gender', 'female')
    await fill('Date of birth', '1990-12-31')
    await page.getByLabel('Website').press('Enter')
    await expectText('Your profile was saved.')
    await expectText('Everything is saved.')
    expect(sent.at(-1)).toEqual({
      nickname: 'Mimi',
      website: 'https://mia.example.com',
      gender: 'female',
      birthdate: '1990-12-31',
      zoneinfo: 'Europe/Berlin',
    })
    expect(await save.isDisabled()).toBe(true)
    await page.reload()
    await expectHeading('Profile')
    expect(await page.getByLabel('Nickname').inputValue()).toBe('Mimi')
    expect(await page.getByLabel('Date of birth').inputValue()).toBe('1990-12-31')
    expect(await page.getByRole('combobox', { name: 'Time zone' }).inputValue()).toBe('Europe/Berlin')
    await fill('Given name', 'Amelia')
    await click('Discard')
    expect(await page.getByLabel('Given name').inputValue()).toBe('Mia')
    await session.expectAccessible()
    await session.takeScreenshots('account-profile')
    expect(errorsExcept(session.errors, 422)).toEqual([])
  })

  test('an address change requires the password and a confirmation by mail', async () => {
    const session = await consoleTest.signIn('mia@acme.test', '/account/profile')
    const { page, fill, click, expectText } = session
    await click('Change address')
    await fill('New email address', 'mia.new@acme.test')
    await fill('Password', 'not mine')
    await click('Send the link')
    await expectText('The current password is wrong.')
    await session.expectAccessible()
    await session.takeScreenshots('account-address')
    await fill('Password', PASSWORD)
    await page.getByLabel('Password', { exact: true }).press('Enter')
    await expectText('Check your new mailbox')
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await expect.poll(focused).toBe('Change address')
    expect(errorsExcept(session.errors, 400)).toEqual([])
  })

  test('a user with an unverified address can resend the link and cannot add sign-in methods', async () => {
    const email = 'una@acme.test'
    await admin(consoleTest.service.url, '/api/admin/users', {
      email,
      password: PASSWORD,
      emailVerified: false,
    })
    const session = await consoleTest.signIn(email, '/account/profile')
    const { page, go, click, expectText } = session
    await expectText('Not confirmed')
    await click('Send the link again')
    await expectText(`We have sent a new link to ${email}.`)
    await session.expectAccessible()
    await session.takeScreenshots('account-unverified')
    await go('/account/security')
    await expectText('Confirm your email address first')
    expect(await page.getByRole('button', { name: 'Set up' }).isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Add a passkey' }).isDisabled()).toBe(true)
    await expectText('No other accounts can be linked')
    await session.expectAccessible()
    await page.getByRole('link', { name: 'Go to my profile' }).click()
    await session.expectHeading('Profile')
    expect(session.errors).toEqual([])
  })

  test('sessions show their device and can be ended one by one or all others at once', async () => {
    const { url } = consoleTest.service
    await signIn(url, 'mia@acme.test', { 'user-agent': IPHONE })
    await signIn(url, 'mia@acme.test', { 'user-agent': 'curl/8.5.0' })
    const session = await consoleTest.signIn('mia@acme.test', '/account/sessions')
    const { page, click, expectText } = session
    const rows = page.getByRole('table', { name: 'Sessions' }).getByRole('row')
    await expectText('Safari on iPhone')
    const currentSession = rows.filter({ hasText: 'This device' })
    expect(await currentSession.count()).toBe(1)
    expect(await currentSession.getByRole('button').count()).toBe(0)
    expect(await page.getByText('Unknown', { exact: true }).count()).toBe(0)
    await session.expectAccessible()
    await session.takeScreenshots('account-sessions')
    await click('End the session of Safari on iPhone')
    await session.expectAccessible()
    await click('End session')
    await expectText('The session has ended.')
    await rows.filter({ hasText: 'iPhone' }).waitFor({ state: 'detached' })
    await rows.filter({ hasText: 'curl' }).waitFor()
    await click('End all others')
    await dialogButton(page, 'End all others').click()
    await expectText(/other sessions? ha(s|ve) ended/)
    await expect.poll(() => rows.count()).toBe(2)
    expect(session.errors).toEqual([])
  })

  test('a session ended in another browser leads to the sign-in page', async () => {
    const currentSession = await consoleTest.signIn('max@acme.test', '/account/sessions')
    const otherSession = await consoleTest.signIn('max@acme.test', '/account/profile')
    await currentSession.page.reload()
    await currentSession.page
      .getByRole('button', { name: /^End the session of/ })
      .first()
      .waitFor()
    await currentSession.click('End all others')
    await dialogButton(currentSession.page, 'End all others').click()
    await currentSession.expectText(/ended\.$/)
    await otherSession.go('/account/sessions')
    await otherSession.page.locator('input[name=email]').waitFor()
  })

  test('the personal data export is downloaded as a file', async () => {
    const session = await consoleTest.signIn('mia@acme.test', '/account/data')
    const { page, click, expectHeading } = session
    await expectHeading('Data & deletion')
    const [download] = await Promise.all([page.waitForEvent('download'), click('Download my data')])
    expect(download.suggestedFilename()).toBe('latchkey-personal-data.json')
    const data = JSON.parse(await readFile(await download.path(), 'utf8'))
    expect(data.profile.email).toBe('mia@acme.test')
    await session.expectText('Your data was downloaded.')
    await session.expectAccessible()
    await session.takeScreenshots('account-data')
    expect(session.errors).toEqual([])
  })

  test('the last owner of a tenant cannot delete the account and gets a link to the members', async () => {
    const session = await consoleTest.signIn('gus@globex.test', '/account/data')
    const { page, click, fill, expectText } = session
    await click('Delete my account')
    expect(await dialogButton(page, 'Delete my account').isDisabled()).toBe(true)
    await fill('Type “DELETE MY ACCOUNT” to confirm', 'DELETE MY ACCOUNT')
    await fill('Password', PASSWORD)
    await dialogButton(page, 'Delete my account').click()
    await expectText('You are the last owner of a tenant. Make somebody else its owner first.')
    await session.expectAccessible()
    await session.takeScreenshots('account-deletion')
    await page.getByRole('link', { name: 'Members of Globex' }).click()
    await session.expectHeading('Members')
    expect(errorsExcept(session.errors, 400)).toEqual([])
  })

  test('deleting the account explains how to restore it and signs the user out', async () => {
    const session = await consoleTest.signIn('max@acme.test', '/account/data')
    const { page, click, fill, expectText, go } = session
    await click('Delete my account')
    await fill('Type “DELETE MY ACCOUNT” to confirm', 'DELETE MY ACCOUNT')
    await fill('Password', 'not mine')
    await dialogButton(page, 'Delete my account').click()
    await expectText('The current password is wrong.')
    await fill('Password', PASSWORD)
    await dialogButton(page, 'Delete my account').click()
    await expectText(/Your account will be deleted in 30 days/)
    await session.expectAccessible()
    await session.takeScreenshots('account-goodbye')
    await click('Go to the sign-in page')
    await page.locator('input[name=email]').waitFor()
    await go('/account/profile')
    await page.locator('input[name=email]').waitFor()
    expect(errorsExcept(session.errors, 400)).toEqual([])
  })
})
