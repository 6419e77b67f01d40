import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { freePort } from '../support/program.ts'
import { FULL } from '../support/rounds.ts'
import { admin, findIds, PASSWORD } from '../support/world.ts'
import { copySnippet, runOnce, serve } from './snippet-runs.ts'
import { openStage, type Stage, type Visit } from './stage.ts'
import { ADMIN, besides, fitsPhone } from './steps.ts'

describe.runIf(FULL && browserPath)('the guide to an application', () => {
  let stage: Stage
  let visit: Visit
  beforeAll(async () => {
    stage = await openStage()
    visit = await stage.as(ADMIN, '/instance/applications/new')
  })
  afterAll(() => stage?.close())

  const textbox = (name: string) => visit.page.getByRole('textbox', { name, exact: true })

  /** Answers the first two questions. */
  async function begin(name: string, kind: string) {
    await visit.go('/instance/applications/new')
    await visit.arriveAt('Create an application')
    await textbox('Name of the application').fill(name)
    await visit.page.keyboard.press('Enter')
    await visit.page.getByRole('radio', { name: kind }).click()
    await visit.press('Continue')
  }

  async function create(name: string) {
    await visit.press('Create application')
    await visit.page.getByRole('heading', { name: `${name} is ready` }).waitFor()
  }

  /** Signs in to an application that runs elsewhere, and out again, in a browser that knows nobody. */
  async function signInAt(home: string, role: 'button' | 'link') {
    const context = await visit.page.context().browser()?.newContext()
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

  test('each step can be done by everybody, and taken back', async () => {
    const { page, press, reads, picture } = visit
    await visit.arriveAt('Create an application')
    await visit.isAccessible()
    await textbox('Name of the application').fill('Notes')
    await press('Continue')
    await page.getByRole('heading', { name: 'What kind of software is it?' }).waitFor()
    await visit.isAccessible()
    await picture('guide-kind')
    await press('Continue')
    await textbox('Redirect addresses').fill('http://example.com/*')
    await press('Create application')
    await reads(/Line 1 must be a whole address, without a wildcard/)
    await visit.isAccessible()
    await press('Back')
    await press('Back')
    await textbox('Name of the application').fill('Better Notes')
    await press('Continue')
    await press('Continue')
    await textbox('Redirect addresses').fill('http://localhost:5173/callback')
    await create('Better Notes')
    await visit.isAccessible()
    await fitsPhone(visit)
    await picture('guide-done')
    await page.getByRole('link', { name: 'Go to the application' }).click()
    await visit.arriveAt('Better Notes')
    await visit.go('/instance/applications')
    await page.getByRole('link', { name: 'Better Notes' }).waitFor()
    expect(await page.getByRole('link', { name: 'Notes', exact: true }).count()).toBe(0)
  })

  test('the code for a single-page app signs people in', async () => {
    const home = `http://localhost:${await freePort()}/`
    await begin('Board', 'Single-page app')
    await textbox('Redirect addresses').fill(`${home}callback`)
    await textbox('Post-logout addresses').fill(home)
    await create('Board')
    expect(await visit.page.getByText(/^lks_/).count()).toBe(0)
    const app = await serve(await copySnippet(visit, 'index.html'), ['oauth4webapi'], home)
    try {
      await signInAt(home, 'button')
    } finally {
      await app.stop()
    }
  })

  test('the code for a web app signs people in', async () => {
    const home = `http://localhost:${await freePort()}/`
    await begin('Ledger', 'Web app with a server')
    await textbox('Redirect addresses').fill(`${home}callback`)
    await textbox('Post-logout addresses').fill(home)
    await create('Ledger')
    const packages = ['openid-client', 'oauth4webapi', 'jose']
    const app = await serve(await copySnippet(visit, 'server.mjs'), packages, home)
    try {
      await signInAt(home, 'link')
      expect(app.complaints()).toBe('')
    } finally {
      await app.stop()
    }
  })

  test('the code for a machine checks a license', async () => {
    const { page, picture } = visit
    await begin('Robot', 'Machine')
    await page.getByRole('combobox', { name: 'Acts for' }).click()
    await page.getByRole('option', { name: 'Acme' }).click()
    await page.getByRole('checkbox', { name: 'licenses:write' }).waitFor()
    await visit.isAccessible()
    await picture('guide-access')
    await create('Robot')
    const copied = await copySnippet(visit, 'check-license.mjs')
    const { userId } = await findIds(stage.service, 'mia@acme.test', 'acme')
    expect(await runOnce(copied, userId)).toMatchObject({ hasLicense: false })
    // Where everybody may use it, she may too.
    const [, applicationId = ''] = /applicationId: '([^']+)'/.exec(copied.code) ?? []
    const { url } = stage.service
    await admin(url, `/api/admin/applications/${applicationId}`, { licensingMode: 'FREE' }, 'PATCH')
    await admin(url, '/api/licensing/license-types', { applicationId, name: 'Basic', slug: 'basic' })
    expect(await runOnce(copied, userId)).toMatchObject({ hasLicense: true, licenseType: 'basic' })
    await page.getByRole('tab', { name: 'curl' }).click()
    const inCurl = await copySnippet(visit, 'check-license.sh')
    expect(await runOnce(inCurl, userId)).toMatchObject({ hasLicense: true, licenseType: 'basic' })
    await visit.isAccessible()
  })

  test('the code for a machine of the whole instance lists its tenants', async () => {
    await begin('Overseer', 'Machine')
    await create('Overseer')
    const tenants = { tenants: expect.arrayContaining([expect.objectContaining({ slug: 'acme' })]) }
    expect(await runOnce(await copySnippet(visit, 'list-tenants.mjs'))).toMatchObject(tenants)
    await visit.page.getByRole('tab', { name: 'curl' }).click()
    expect(await runOnce(await copySnippet(visit, 'list-tenants.sh'))).toMatchObject(tenants)
    expect(besides(visit.complaints, 409, 422)).toEqual([])
  })
})
