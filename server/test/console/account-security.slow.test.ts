import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call } from '../account/people.ts'
import { prepareUpstream, type Upstream } from '../sso/upstream.ts'
import { newPerson } from '../sso/world.ts'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { totpCode } from '../support/totp.ts'
import { PASSWORD, signIn } from '../support/world.ts'
import { openStage, type Stage, type Visit } from './stage.ts'
import { answer, besides } from './steps.ts'

const NEW_PASSWORD = 'a walk on the hill'

async function giveAuthenticator({ page }: Visit): Promise<void> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('WebAuthn.enable')
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
}

/** The codes that are shown this once, after they were kept. */
async function keepCodes(visit: Visit): Promise<string[]> {
  await visit.page.getByRole('heading', { name: 'Keep these recovery codes' }).waitFor()
  const codes = await visit.page
    .getByRole('list', { name: 'Recovery codes' })
    .getByRole('listitem')
    .allTextContents()
  await visit.page.keyboard.press('Escape')
  await visit.press('I have kept them')
  await visit.page.getByRole('dialog').waitFor({ state: 'hidden' })
  return codes
}

describe.runIf(FULL && browserPath)('sign-in and security in the console', () => {
  let google: Upstream
  let stage: Stage
  /** Signs in somewhere else with a recovery code, which is then used up. */
  const spend = async (email: string, code: string) => {
    const { url } = stage.service
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
    stage = await openStage({ config: { sso: [google.settings] } })
    await google.start(stage.service.url)
  })
  afterAll(async () => {
    await stage?.close()
    await google?.stop()
  })

  /** As if they had signed in two hours ago, and all who are signed in. */
  const growOld = () =>
    stage.service.ctx.db
      .updateTable('sessions')
      .set({ auth_time: new Date(stage.service.ctx.now().getTime() - 2 * 3_600_000) })
      .execute()

  test('the password changes, and every other session ends', async () => {
    const { url } = stage.service
    const elsewhere = await signIn(url, 'max@acme.test')
    const visit = await stage.as('max@acme.test', '/account/security')
    const { page, press, fill, reads } = visit
    await press('Change password')
    await fill('Current password', 'not mine')
    await fill('New password', NEW_PASSWORD)
    await answer(visit, 'Change password')
    await reads('The current password is wrong.')
    await fill('Current password', PASSWORD)
    await fill('New password', 'password1')
    await answer(visit, 'Change password')
    await reads(/one of the first that others try/)
    await visit.isAccessible()
    await visit.picture('security-password')
    await fill('New password', NEW_PASSWORD)
    await page.getByLabel('New password', { exact: true }).press('Enter')
    await reads('Your password was changed. All your other sessions have ended.')
    const response = await fetch(`${url}/api/users/me`, { headers: { cookie: elsewhere } })
    expect(response.status).toBe(401)
    await page.reload()
    await visit.arriveAt('Sign-in & security')
    expect(besides(visit.complaints, 400, 422)).toEqual([])
  })

  test('an authenticator app is set up, gives recovery codes once, and is removed with the password', async () => {
    const visit = await stage.as('mia@acme.test', '/account/security')
    const { page, press, fill, reads } = visit
    await press('Set up')
    await reads(/You need an app that shows sign-in codes/)
    await press('Continue')
    await page.getByAltText('QR code for the authenticator app').waitFor()
    const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('autocomplete'))
    await expect.poll(focused).toBe('one-time-code')
    await fill('Code from the app', '000000')
    await press('Turn on')
    await page
      .getByRole('dialog')
      .getByText(/code/i)
      .filter({ hasText: /wrong|right|valid/i })
      .first()
      .waitFor()
    await visit.isAccessible()
    await visit.picture('security-scan')
    await fill('Code from the app', totpCode(secret, stage.service.ctx.now()))
    await page.getByLabel('Code from the app').press('Enter')
    await page.getByRole('list', { name: 'Recovery codes' }).waitFor()
    await visit.isAccessible()
    await visit.picture('security-codes')
    const [download] = await Promise.all([page.waitForEvent('download'), press('Download')])
    const codes = await keepCodes(visit)
    expect(codes).toHaveLength(10)
    const file = await readFile(await download.path(), 'utf8')
    expect(file).toContain(codes.join('\n'))
    await reads('10 are left.')
    await visit.isAccessible()
    await press('Make new codes')
    await fill('Password', PASSWORD)
    await answer(visit, 'Make new codes')
    const newCodes = await keepCodes(visit)
    expect(newCodes).not.toEqual(codes)
    for (const code of newCodes.slice(2)) await spend('mia@acme.test', code)
    await page.reload()
    await reads('2 are left.')
    await reads(/Make new ones before you run out/)
    await visit.isAccessible()
    await visit.picture('security-few-codes')
    await press('Remove')
    await fill('Password', 'not mine')
    await answer(visit, 'Remove')
    await reads('The current password is wrong.')
    await fill('Password', PASSWORD)
    await answer(visit, 'Remove')
    await reads('The authenticator app was removed.')
    await page.getByRole('button', { name: 'Set up' }).waitFor()
    expect(besides(visit.complaints, 400)).toEqual([])
  })

  test('passkeys are added and removed; an old sign-in takes the password first', async () => {
    const visit = await stage.as('adam@acme.test', '/account/security')
    const { page, press, fill, reads } = visit
    await reads('No passkey yet')
    await giveAuthenticator(visit)
    await growOld()
    await press('Add a passkey')
    await fill('Name (optional)', 'Work laptop')
    await answer(visit, 'Add a passkey')
    await reads('Your sign-in is too old for this. Sign in again, or give your password.')
    await page.getByRole('button', { name: 'Sign in again' }).waitFor()
    await visit.isAccessible()
    await visit.picture('security-too-old')
    await fill('Password', PASSWORD)
    await answer(visit, 'Add a passkey')
    expect(await keepCodes(visit)).toHaveLength(10)
    const keys = page.getByRole('list', { name: 'Passkeys' })
    await keys.getByText('Work laptop').waitFor()
    await visit.isAccessible()
    await visit.picture('security-passkeys')
    await press('Remove Work laptop')
    await answer(visit, 'Remove')
    await reads('Your sign-in is too old for this. Sign in again, or give your password.')
    await fill('Password', PASSWORD)
    await answer(visit, 'Remove')
    await reads('“Work laptop” was removed.')
    await reads('No passkey yet')
    expect(besides(visit.complaints, 403)).toEqual([])
  })

  test('a device that has a passkey already makes no second, and says so', async () => {
    const visit = await stage.as('adam@acme.test', '/account/security')
    await giveAuthenticator(visit)
    await visit.press('Add a passkey')
    await answer(visit, 'Add a passkey')
    await keepCodes(visit)
    await visit.press('Add a passkey')
    await answer(visit, 'Add a passkey')
    await visit.reads('There is a passkey of yours on this device already.')
    await visit.press('Cancel')
    await visit.page.getByRole('dialog').waitFor({ state: 'hidden' })
    expect(visit.complaints).toEqual([])
  })

  test('whoever signs in again comes back to where they were', async () => {
    const visit = await stage.as('gus@globex.test', '/account/security')
    await growOld()
    await visit.press('Add a passkey')
    await answer(visit, 'Add a passkey')
    await visit.press('Sign in again')
    const address = visit.page.locator('input[name=email]')
    await address.waitFor()
    expect(await address.inputValue()).toBe('gus@globex.test')
    await visit.page.locator('input[name=password]').fill(PASSWORD)
    await visit.page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await visit.arriveAt('Sign-in & security')
    expect(besides(visit.complaints, 403)).toEqual([])
  })

  test('an account elsewhere is linked by going there, and unlinked', async () => {
    const visit = await stage.as('olivia@acme.test', '/account/security')
    const { press, reads, arriveAt } = visit
    await reads('Not linked')
    google.person = newPerson('olivia.at.google@example.com')
    await press('Link Google')
    await reads('You sign in at Google next, and come back here.')
    await visit.isAccessible()
    await press('Continue to Google')
    // Whoever asks by a token is asked once more on the way back, in the browser itself.
    await visit.page.waitForURL(/\/sso\/google/i)
    await visit.page.getByRole('button').first().click()
    await arriveAt('Sign-in & security')
    await reads(/olivia\.at\.google@example\.com/)
    await visit.isAccessible()
    await visit.picture('security-links')
    await press('Unlink Google')
    await answer(visit, 'Unlink')
    await reads('Your Google account was unlinked.')
    await reads('Not linked')
    expect(visit.complaints).toEqual([])
  })

  test('the last way in is not unlinked, and the service says why', async () => {
    const { db } = stage.service.ctx
    const visit = await stage.as('olivia@acme.test', '/account/security')
    google.person = newPerson('olivia.too@example.com')
    await visit.press('Link Google')
    await visit.press('Continue to Google')
    await visit.page.waitForURL(/\/sso\/google/i)
    await visit.page.getByRole('button').first().click()
    await visit.reads(/olivia\.too@example\.com/)
    await db
      .updateTable('users')
      .set({ password_hash: null })
      .where('email', '=', 'olivia@acme.test')
      .execute()
    await visit.page.reload()
    await visit.reads(/You have no password yet/)
    await visit.press('Unlink Google')
    await answer(visit, 'Unlink')
    await visit.reads('Set a password first: without one you could not sign in any more.')
    await visit.isAccessible()
    await visit.press('Cancel')
    await visit.press('Send me the link')
    await visit.reads(/a link is on its way to olivia@acme\.test/)
    expect(besides(visit.complaints, 400)).toEqual([])
  })
})
