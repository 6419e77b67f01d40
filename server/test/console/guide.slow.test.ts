import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { freePort } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'
import { admin, findIds, PASSWORD } from '../support/world.ts'
import { type ConsolePage, type ConsoleTest, openConsole } from './console-page.ts'
import { ADMIN, chooseLibrary, errorsExcept, expectFitsPhone } from './page-actions.ts'
import { copySnippet, runOnce, serve } from './run-snippets.ts'

describe.runIf(FULL && browserPath)('the guide to an application', () => {
  let consoleTest: ConsoleTest
  let session: ConsolePage
  beforeAll(async () => {
    consoleTest = await openConsole()
    session = await consoleTest.signIn(ADMIN, '/instance/applications/new')
  })
  afterAll(() => consoleTest?.close())

  const textbox = (name: string) => session.page.getByRole('textbox', { name, exact: true })

  /** Completes the first two steps. */
  async function startGuide(name: string, kind: string) {
    await session.go('/instance/applications/new')
    await session.expectHeading('Create an application')
    await textbox('Name of the application').fill(name)
    await session.page.keyboard.press('Enter')
    await session.page.getByRole('radio', { name: kind }).click()
    await session.click('Continue')
  }

  async function finishGuide(name: string) {
    await session.click('Create application')
    await session.page.getByRole('heading', { name: `${name} is ready` }).waitFor()
  }

  /** Signs in to the sample application and out again, in a new browser context. */
  async function signInAt(home: string, role: 'button' | 'link') {
    const context = await session.page.context().browser()?.newContext()
    if (!context) throw new Error('there is no browser')
    const page = await context.newPage()
    page.setDefaultTimeout(45_000)
    await page.goto(home)
    await page.getByRole(role, { name: 'Sign in' }).click()
    await page.locator('input[name=email]').fill('mia@acme.test')
    await page.locator('input[name=password]').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Hello Mia Member (mia@acme.test)').waitFor()
    await page.getByRole(role, { name: 'Sign out' }).click()
    await page.getByText('You are not signed in.').waitFor()
    expect(page.url()).toBe(home)
    await context.close()
  }

  test('each step of the guide is accessible and can be undone', async () => {
    const { page, click, expectText, takeScreenshots } = session
    await session.expectHeading('Create an application')
    await session.expectAccessible()
    await textbox('Name of the application').fill('Notes')
    await click('Continue')
    await page.getByRole('heading', { name: 'Which library will you use?' }).waitFor()
    await session.expectAccessible()
    await takeScreenshots('guide-library')
    await click('Continue')
    await textbox('Redirect addresses').fill('http://example.com/*')
    await click('Create application')
    await expectText(/Line 1 must be a whole address, without a wildcard/)
    await session.expectAccessible()
    await click('Back')
    await click('Back')
    await textbox('Name of the application').fill('Better Notes')
    await click('Continue')
    await click('Continue')
    await textbox('Redirect addresses').fill('http://localhost:5173/callback')
    await finishGuide('Better Notes')
    await session.expectAccessible()
    await expectFitsPhone(session)
    await takeScreenshots('guide-done')
    await page.getByRole('link', { name: 'Go to the application' }).click()
    await session.expectHeading('Better Notes')
    await session.go('/instance/applications')
    await page.getByRole('link', { name: 'Better Notes' }).waitFor()
    expect(await page.getByRole('link', { name: 'Notes', exact: true }).count()).toBe(0)
  })

  test('the code sample for a single-page app signs users in', async () => {
    const home = `http://localhost:${await freePort()}/`
    await startGuide('Board', 'Single-page app')
    await textbox('Redirect addresses').fill(`${home}callback`)
    await textbox('Post-logout addresses').fill(home)
    await finishGuide('Board')
    expect(await session.page.getByText(/^lks_/).count()).toBe(0)
    const app = await serve(await copySnippet(session, 'index.html'), ['oauth4webapi'], home)
    try {
      await signInAt(home, 'button')
    } finally {
      await app.stop()
    }
  })

  test('the code sample for a web app signs users in', async () => {
    const home = `http://localhost:${await freePort()}/`
    await startGuide('Ledger', 'Web app with a server')
    await textbox('Redirect addresses').fill(`${home}callback`)
    await textbox('Post-logout addresses').fill(home)
    await finishGuide('Ledger')
    const packages = ['openid-client', 'oauth4webapi', 'jose']
    const app = await serve(await copySnippet(session, 'server.mjs'), packages, home)
    try {
      await signInAt(home, 'link')
      expect(app.errors()).toBe('')
    } finally {
      await app.stop()
    }
  })

  test('the code sample for a machine client checks a license', async () => {
    const { page, takeScreenshots } = session
    await startGuide('Robot', 'Machine')
    await page.getByRole('combobox', { name: 'Acts for' }).click()
    await page.getByRole('option', { name: 'Acme' }).click()
    expect(await page.getByRole('checkbox', { checked: true }).count()).toBe(0)
    await page.getByRole('checkbox', { name: 'licenses:read' }).check()
    await session.expectAccessible()
    await takeScreenshots('guide-access')
    await finishGuide('Robot')
    const copied = await copySnippet(session, 'check-license.mjs')
    const { userId } = await findIds(consoleTest.service, 'mia@acme.test', 'acme')
    expect(await runOnce(copied, userId)).toMatchObject({ hasLicense: false })
    // A free application licenses every user.
    const [, applicationId = ''] = /applicationId: '([^']+)'/.exec(copied.code) ?? []
    const { url } = consoleTest.service
    await admin(url, `/api/admin/applications/${applicationId}`, { licensingMode: 'FREE' }, 'PATCH')
    await admin(url, '/api/licensing/license-types', { applicationId, name: 'Basic', slug: 'basic' })
    expect(await runOnce(copied, userId)).toMatchObject({ hasLicense: true, licenseType: 'basic' })
    await chooseLibrary(session, 'curl', 'curl')
    const inCurl = await copySnippet(session, 'check-license.sh')
    expect(await runOnce(inCurl, userId)).toMatchObject({ hasLicense: true, licenseType: 'basic' })
    await session.expectAccessible()
  })

  test('the code sample for a machine client of the instance lists the tenants', async () => {
    const { page, click, expectText } = session
    await startGuide('Overseer', 'Machine')
    await page.getByRole('combobox', { name: 'Acts for' }).click()
    await page.getByRole('option', { name: 'The whole instance' }).click()
    await page.getByRole('checkbox', { name: 'admin' }).check()
    await click('Create application')
    await expectText('Type admin to go on.')
    await textbox('Type “admin” to confirm').fill('admin')
    await finishGuide('Overseer')
    const tenants = { tenants: expect.arrayContaining([expect.objectContaining({ slug: 'acme' })]) }
    expect(await runOnce(await copySnippet(session, 'list-tenants.mjs'))).toMatchObject(tenants)
    await chooseLibrary(session, 'curl', 'curl')
    expect(await runOnce(await copySnippet(session, 'list-tenants.sh'))).toMatchObject(tenants)
    expect(errorsExcept(session.errors, 409, 422)).toEqual([])
  })
})
