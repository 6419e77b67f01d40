import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { totpCode } from '../support/totp.ts'
import { join } from '../support/world.ts'
import { openStage, type Stage } from './stage.ts'
import { ADMIN, besides } from './steps.ts'

describe.runIf(FULL && browserPath)('where a second factor is required, the console', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage({ config: { superAdminMfa: 'REQUIRED' } })
  })
  afterAll(() => stage?.close())

  test('leads a Super Admin to setting one up, and then lets them in', async () => {
    const { page, go, arriveAt, press, fill, reads, isAccessible, complaints } = await stage.as(
      ADMIN,
      '/instance',
    )
    await reads(/A second factor is required here/)
    await page.getByRole('button', { name: 'Sign in with my second factor' }).first().waitFor()
    await isAccessible()
    await page.getByRole('link', { name: 'Set one up' }).first().click()
    await arriveAt('Sign-in & security')
    await press('Set up')
    await press('Continue')
    await page.getByAltText('QR code for the authenticator app').waitFor()
    const secret = (await page.getByRole('dialog').locator('code').textContent()) ?? ''
    await fill('Code from the app', totpCode(secret, stage.service.ctx.now()))
    await page.getByLabel('Code from the app').press('Enter')
    await page.getByRole('list', { name: 'Recovery codes' }).waitFor()
    await go('/instance')
    await reads('Everything runs as it should.')
    expect(besides(complaints, 403)).toEqual([])
  })

  test('leads whoever enters a tenant to setting one up', async () => {
    await join(stage.service, 'olivia@acme.test', 'globex')
    const { page, press, reads, isAccessible } = await stage.as('olivia@acme.test', '/t/acme/members')
    await page.getByRole('button', { name: /^Switch tenant/ }).waitFor()
    await stage.service.ctx.db
      .updateTable('tenants')
      .set({ mfa_policy: 'REQUIRED' })
      .where('slug', '=', 'globex')
      .execute()
    await page.getByRole('button', { name: /^Switch tenant/ }).click()
    await page.getByText('Globex', { exact: true }).click()
    await reads(/A second factor is required here/)
    await isAccessible()
    await press('Show or set up a second factor')
    await page.waitForURL(/\/mfa\/setup/)
    await reads(/Your organisation asks for more than a password/)
  })
})
