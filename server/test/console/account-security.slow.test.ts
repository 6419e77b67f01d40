import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../account/people.ts'
import { prepareUpstream, type Upstream } from '../sso/upstream.ts'
import { newUpstreamUser } from '../sso/world.ts'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { totpCode } from '../support/totp.ts'
import { PASSWORD, signIn } from '../support/world.ts'
import { type ConsolePage, type ConsoleTest, openConsole } from './console-page.ts'
import { clickInDialog, errorsExcept } from './page-actions.ts'

const NEW_PASSWORD = 'a walk on the hill'

async function addVirtualAuthenticator({ page }: ConsolePage): Promise<void> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

/** Reads the recovery codes and confirms that they were saved. */
async function saveCodes(session: ConsolePage): Promise<string[]> {
  await session.page.getByRole('heading', { name: 'Save these recovery codes' }).waitFor()
  const codes = await session.page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents()
  await session.page.keyboard.press('Escape')
  await session.click('I have saved them')
  await session.page.getByRole('dialog').waitFor({ state: 'hidden' })
  return codes
}

describe.runIf(FULL && browserPath)('sign-in and security in the console', () => {
  let google: Upstream
  let consoleTest: ConsoleTest
  /** Uses up a recovery code with a sign-in in another session. */
  const useRecoveryCode = async (email: string, code: string) => {
    const { url } = consoleTest.service
    const cookie = await signIn(url, email)
    const { status } = await call(`${url}/api/auth/mfa`, {
      method: 'POST',
      body: { code },
      headers: { cookie },
    })
    expect(status).toBe(200)
  }
  beforeAll(async () => {
    google = await prepareUpstream('GOOGLE', { label: 'Google' })
    consoleTest = await openConsole({ config: { sso: [google.settings] } })
    await google.start(consoleTest.service.url)
  })
  afterAll(async () => {
    await consoleTest?.close()
    await google?.stop()
  })

  /** Sets the authentication time of all sessions to two hours ago. */
  const ageSessions = () =>
    consoleTest.service.ctx.db
      .updateTable('sessions')
      .set({ auth_time: new Date(consoleTest.service.ctx.now().getTime() - 2 * 3_600_000) })
      .execute()

  test('a password change ends all other sessions', async () => {
    const { url } = consoleTest.service
    const otherSession = await signIn(url, 'max@acme.test')
    const session = await consoleTest.signIn('max@acme.test', '/account/security')
    const { page, click, fill, expectText } = session
    await click('Change password')
    await fill('Current password', 'not mine')
    await fill('New password', NEW_PASSWORD)
    await clickInDialog(session, 'Change password')
    await expectText('The current password is wrong.')
    await fill('Current password', PASSWORD)
    await fill('New password', 'password1')
    await clickInDialog(session, 'Change password')
    await expectText(/one of the first that others try/)
    await session.expectAccessible()
    await session.takeScreenshots('security-password')
    await fill('New password', NEW_PASSWORD)
    await page.getByLabel('New password', { exact: true }).press('Enter')
    await expectText('Your password was changed. All your other sessions have ended.')
    const response = await fetch(`${url}/api/users/me`, { headers: { cookie: otherSession } })
    expect(response.status).toBe(401)
    await page.reload()
    await session.expectHeading('Sign-in & security')
    expect(errorsExcept(session.errors, 400, 422)).toEqual([])
  })

  test('an authenticator app can be set up with recovery codes, and removal requires the password', async () => {
    const session = await consoleTest.signIn('mia@acme.test', '/account/security')
    const { page, click, fill, expectText } = session
    await click('Set up')
    await expectText(/You need an app that shows sign-in codes/)
    await click('Continue')
    await page.getByAltText('QR code for the authenticator app').waitFor()
    const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('autocomplete'))
    await expect.poll(focused).toBe('one-time-code')
    await fill('Code from the app', '000000')
    await click('Turn on')
    await page
      .getByRole('dialog')
      .getByText(/code/i)
      .filter({ hasText: /wrong|right|valid/i })
      .first()
      .waitFor()
    await session.expectAccessible()
    await session.takeScreenshots('security-scan')
    await fill('Code from the app', totpCode(secret, consoleTest.service.ctx.now()))
    await page.getByLabel('Code from the app').press('Enter')
    await page.getByRole('list', { name: 'Recovery codes' }).waitFor()
    await session.expectAccessible()
    await session.takeScreenshots('security-codes')
    const [download] = await Promise.all([page.waitForEvent('download'), click('Download')])
    const codes = await saveCodes(session)
    expect(codes).toHaveLength(10)
    const file = await readFile(await download.path(), 'utf8')
    expect(file).toContain(codes.join('\n'))
    await expectText('10 are left.')
    await session.expectAccessible()
    await click('Create new codes')
    await fill('Password', PASSWORD)
    await clickInDialog(session, 'Create new codes')
    const newCodes = await saveCodes(session)
    expect(newCodes).not.toEqual(codes)
    for (const code of newCodes.slice(2)) await useRecoveryCode('mia@acme.test', code)
    await page.reload()
    await expectText('2 are left.')
    await expectText(/Create new ones before you run out/)
    await session.expectAccessible()
    await session.takeScreenshots('security-few-codes')
    await click('Remove')
    await fill('Password', 'not mine')
    await clickInDialog(session, 'Remove')
    await expectText('The current password is wrong.')
    await fill('Password', PASSWORD)
    await clickInDialog(session, 'Remove')
    await expectText('The authenticator app was removed.')
    await page.getByRole('button', { name: 'Set up' }).waitFor()
    expect(errorsExcept(session.errors, 400)).toEqual([])
  })

  test('passkeys can be added and removed, and an old sign-in requires the password', async () => {
    const session = await consoleTest.signIn('adam@acme.test', '/account/security')
    const { page, click, fill, expectText } = session
    await expectText('No passkey yet')
    await addVirtualAuthenticator(session)
    await ageSessions()
    await click('Add a passkey')
    await fill('Name (optional)', 'Work laptop')
    await clickInDialog(session, 'Add a passkey')
    await expectText('Your sign-in is too old for this. Sign in again, or give your password.')
    await page.getByRole('button', { name: 'Sign in again' }).waitFor()
    await session.expectAccessible()
    await session.takeScreenshots('security-too-old')
    await fill('Password', PASSWORD)
    await clickInDialog(session, 'Add a passkey')
    expect(await saveCodes(session)).toHaveLength(10)
    const keys = page.getByRole('list', { name: 'Passkeys' })
    await keys.getByText('Work laptop').waitFor()
    await session.expectAccessible()
    await session.takeScreenshots('security-passkeys')
    await click('Remove Work laptop')
    await clickInDialog(session, 'Remove')
    await expectText('Your sign-in is too old for this. Sign in again, or give your password.')
    await fill('Password', PASSWORD)
    await clickInDialog(session, 'Remove')
    await expectText('“Work laptop” was removed.')
    await expectText('No passkey yet')
    expect(errorsExcept(session.errors, 403)).toEqual([])
  })

  test('a second passkey on the same device is rejected with an explanation', async () => {
    const session = await consoleTest.signIn('adam@acme.test', '/account/security')
    await addVirtualAuthenticator(session)
    await session.click('Add a passkey')
    await clickInDialog(session, 'Add a passkey')
    await saveCodes(session)
    await session.click('Add a passkey')
    await clickInDialog(session, 'Add a passkey')
    await session.expectText('You already have a passkey on this device.')
    await session.click('Cancel')
    await session.page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(session.errors).toEqual([])
  })

  test('a repeated sign-in returns to the same page', async () => {
    const session = await consoleTest.signIn('gus@globex.test', '/account/security')
    await ageSessions()
    await session.click('Add a passkey')
    await clickInDialog(session, 'Add a passkey')
    await session.click('Sign in again')
    const address = session.page.locator('input[name=email]')
    await address.waitFor()
    expect(await address.inputValue()).toBe('gus@globex.test')
    await session.page.locator('input[name=password]').fill(PASSWORD)
    await session.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await session.expectHeading('Sign-in & security')
    expect(errorsExcept(session.errors, 403)).toEqual([])
  })

  test('an account of an external provider can be linked and unlinked', async () => {
    const session = await consoleTest.signIn('olivia@acme.test', '/account/security')
    const { click, expectText, expectHeading } = session
    await expectText('Not linked')
    google.person = newUpstreamUser('olivia.at.google@example.com')
    await click('Link Google')
    await expectText('You sign in at Google next, and come back here.')
    await session.expectAccessible()
    await click('Continue to Google')
    // A link request by token needs a confirmation in the browser on the way back.
    await session.page.waitForURL(/\/sso\/google/i)
    await session.page.getByRole('button').first().click()
    await expectHeading('Sign-in & security')
    await expectText(/olivia\.at\.google@example\.com/)
    await session.expectAccessible()
    await session.takeScreenshots('security-links')
    await click('Unlink Google')
    await clickInDialog(session, 'Unlink')
    await expectText('Your Google account was unlinked.')
    await expectText('Not linked')
    expect(session.errors).toEqual([])
  })

  test('the last sign-in method cannot be unlinked', async () => {
    const { db } = consoleTest.service.ctx
    const session = await consoleTest.signIn('olivia@acme.test', '/account/security')
    google.person = newUpstreamUser('olivia.too@example.com')
    await session.click('Link Google')
    await session.click('Continue to Google')
    await session.page.waitForURL(/\/sso\/google/i)
    await session.page.getByRole('button').first().click()
    await session.expectText(/olivia\.too@example\.com/)
    await db.updateTable('users').set({ password_hash: null }).where('email', '=', 'olivia@acme.test').execute()
    await session.page.reload()
    await session.expectText(/You have no password yet/)
    await session.click('Unlink Google')
    await clickInDialog(session, 'Unlink')
    await session.expectText('Set a password first: without one you could not sign in any more.')
    await session.expectAccessible()
    await session.click('Cancel')
    await session.click('Send me the link')
    await session.expectText(/link to choose a password should arrive at olivia@acme\.test/)
    expect(errorsExcept(session.errors, 400)).toEqual([])
  })
})
