import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { type ConsolePage, type ConsoleTest, openConsole } from './console-page.ts'
import { ADMIN, errorsExcept, expectFitsPhone } from './page-actions.ts'

describe.runIf(FULL && browserPath)('clients and license types in the console', () => {
  let consoleTest: ConsoleTest
  let session: ConsolePage
  beforeAll(async () => {
    consoleTest = await openConsole()
    session = await consoleTest.signIn(ADMIN, '/instance/applications')
    await session.page.getByRole('link', { name: 'Project Manager' }).click()
    await session.expectHeading('Project Manager')
  })
  afterAll(() => consoleTest?.close())

  const textbox = (name: string) => session.page.getByRole('textbox', { name, exact: true })
  const dialog = () => session.page.getByRole('dialog')
  const row = (name: string) => session.page.getByRole('row', { name: new RegExp(name) })
  const card = (name: string) => session.page.getByRole('article', { name, exact: true })
  const expectAccessible = () => session.expectAccessible()
  const onPhone = () => expectFitsPhone(session)

  test('a client can be created, edited, disabled, enabled and deleted', async () => {
    const { page, click, expectText, takeScreenshots } = session
    await takeScreenshots('application-clients')
    await click('Add client')
    await textbox('Name').fill('Reports')
    await textbox('Redirect addresses').fill('http://example.com/callback')
    await expectAccessible()
    await takeScreenshots('client-dialog')
    await dialog().getByRole('button', { name: 'Add client' }).click()
    await expectText(/Line 1 must start with https/)
    await textbox('Redirect addresses').fill('https://example.com/callback')
    await dialog().getByRole('button', { name: 'Add client' }).click()
    await page.getByRole('dialog', { name: 'How to connect: Reports' }).waitFor()
    await expectAccessible()
    await dialog().getByRole('button', { name: 'Close' }).click()
    await click('Edit Reports')
    await textbox('Post-logout addresses').fill('https://example.com/\nhttps://example.com/bye')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await card('Reports').getByText('https://example.com/bye').waitFor()
    await expectAccessible()
    const choose = async (item: string) => {
      await click('More for Reports')
      await page.getByRole('menuitem', { name: item }).click()
    }
    await choose('Disable')
    await card('Reports').getByText('Disabled').waitFor()
    await click('Undo')
    await expectText('Reports is enabled.')
    await card('Reports').getByText('Disabled').waitFor({ state: 'detached' })
    await choose('Delete')
    const id = await dialog()
      .getByText(/^Type “/)
      .innerText()
    await dialog()
      .getByRole('textbox')
      .fill(/“(.+)”/.exec(id)?.[1] ?? '')
    await dialog().getByRole('button', { name: 'Delete client' }).click()
    await expectText('Reports was deleted.')
    await card('Reports').waitFor({ state: 'detached' })
    await onPhone()
  })

  test('the logouts of a client are listed and can be sent again', async () => {
    const { page, click, expectText, expectHeading, takeScreenshots } = session
    const { db } = consoleTest.service.ctx
    const { id } = await db
      .selectFrom('clients')
      .innerJoin('applications', 'applications.id', 'clients.application_id')
      .select('clients.id')
      .where('applications.slug', '=', 'project-manager')
      .where('clients.client_id', '=', 'demo-spa')
      .executeTakeFirstOrThrow()
    const { name } = await db.selectFrom('clients').select('name').where('id', '=', id).executeTakeFirstOrThrow()
    const user = await db.selectFrom('users').select('id').where('email', '=', ADMIN).executeTakeFirstOrThrow()
    await click(`Edit ${name}`)
    await textbox('Back-channel logout address').fill('http://app.example.com/logout')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await expectText('must start with https://')
    await textbox('Back-channel logout address').fill('https://app.example.com/logout')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await card(name).getByText('https://app.example.com/logout').waitFor()
    const openLogouts = async () => {
      await click(`More for ${name}`)
      await page.getByRole('menuitem', { name: 'Logouts' }).click()
      await expectHeading('Logouts')
    }
    await openLogouts()
    await expectText('No session has ended yet')
    const now = new Date()
    const delivery = { client_id: id, user_id: user.id, created_at: now }
    const later = new Date(now.getTime() + 3_600_000)
    await db
      .insertInto('logout_deliveries')
      .values([
        {
          ...delivery,
          session_id: crypto.randomUUID(),
          status: 'FAILED',
          attempts: 30,
          finished_at: now,
          last_error: 'timeout',
        },
        {
          ...delivery,
          session_id: crypto.randomUUID(),
          attempts: 1,
          due_at: later,
          last_status: 500,
          last_error: 'status_500',
        },
      ])
      .execute()
    await expectText('No answer in time')
    await expectText('Answered 500')
    await expectAccessible()
    await onPhone()
    await takeScreenshots('client-logouts')
    await page
      .getByRole('row', { name: /Given up/ })
      .getByRole('button', { name: /^Send again/ })
      .click()
    await expectText('It will be sent again.')
    await row('Given up').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'All clients' }).click()
    await card(name).waitFor()
  })

  test('a resource can be added, edited and deleted', async () => {
    const { page, click, expectText, takeScreenshots } = session
    await page.getByRole('tab', { name: 'Resources' }).click()
    await expectText('No resources yet')
    await click('Add resource')
    await textbox('Name').fill('Reports API')
    await textbox('URI').fill('http://api.example.com/mcp')
    await dialog().getByRole('button', { name: 'Add resource' }).click()
    await expectText(/must start with https/)
    await textbox('URI').fill('https://api.example.com/mcp')
    const scopes = page.getByRole('combobox', { name: 'Scopes' })
    await scopes.fill('reports:read')
    await scopes.press('Enter')
    await expectAccessible()
    await takeScreenshots('resource-dialog')
    await dialog().getByRole('button', { name: 'Add resource' }).click()
    await card('Reports API').getByText('https://api.example.com/mcp').waitFor()
    await expectAccessible()
    await onPhone()
    await takeScreenshots('application-resources')
    await click('Edit Reports API')
    const allowed = page.getByRole('combobox', { name: 'Clients of other applications' })
    await allowed.fill('nobody')
    await allowed.press('Enter')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await expectText(/is not the id of a client/)
    await allowed.press('Backspace')
    await textbox('Name').fill('Reports')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await click('Delete Reports')
    await dialog().getByRole('textbox').fill('https://api.example.com/mcp')
    await dialog().getByRole('button', { name: 'Delete resource' }).click()
    await expectText('Reports was deleted.')
    await expectText('No resources yet')
    await page.getByRole('tab', { name: 'Clients' }).click()
  })

  const tenant = () => session.page.getByRole('combobox', { name: 'Acts for' })

  /** The whole instance and the scope `admin` each ask for a typed word, also when Enter sends the form. */
  async function choosesWithConfirmation() {
    const { page, expectText } = session
    await tenant().click()
    await page.getByRole('option', { name: 'The whole instance' }).click()
    await textbox('Name').press('Enter')
    await expectText('Type whole instance to go on.')
    const scopes = page.getByRole('combobox', { name: 'Scopes' })
    await scopes.fill('admin')
    await scopes.press('Enter')
    await textbox('Type “admin” to confirm').fill('whole instance')
    await textbox('Name').press('Enter')
    await expectText('Type admin to go on.')
    await session.expectAccessible()
    await scopes.press('Backspace')
    await page.getByLabel('Type “admin” to confirm').waitFor({ state: 'detached' })
  }

  test('a machine client belongs to a chosen tenant, wide access is confirmed, and its secrets are shown once and can be revoked', async () => {
    const { page, click, expectText, takeScreenshots } = session
    await click('Add client')
    await page.getByRole('combobox', { name: 'Kind' }).click()
    await page.getByRole('option', { name: 'Machine' }).click()
    await textbox('Name').fill('Nightly job')
    await textbox('Client id').fill('demo-machine')
    // Nothing is preselected, so that Enter creates nothing.
    expect(await tenant().inputValue()).toBe('')
    expect(await dialog().getByText('licenses:read').count()).toBe(0)
    await textbox('Name').press('Enter')
    expect(await tenant().evaluate((input: HTMLInputElement) => input.validity.valueMissing)).toBe(true)
    await choosesWithConfirmation()
    await tenant().click()
    await page.getByRole('option', { name: 'Globex' }).click()
    await page.getByLabel('Type “whole instance” to confirm').waitFor({ state: 'detached' })
    await takeScreenshots('machine-client')
    await dialog().getByRole('button', { name: 'Add client' }).click()
    await expectText(/client id is (already )?taken|taken/i)
    await textbox('Client id').fill('nightly-job')
    await dialog().getByRole('button', { name: 'Add client' }).click()
    await page.getByRole('dialog', { name: 'How to connect: Nightly job' }).waitFor()
    await expectText(/^lks_/)
    await dialog().getByRole('button', { name: 'Close' }).click()
    await card('Nightly job').getByText('Globex').waitFor()
    await click('Add secret to Nightly job')
    await page.getByRole('dialog', { name: 'The new secret' }).waitFor()
    await expectText(/^lks_/)
    await expectAccessible()
    await click('I have saved it')
    await card('Nightly job').getByText('A client can have two secrets. End one to add another.').waitFor()
    const ends = page.getByRole('button', { name: /^End the secret of Nightly job/ })
    await ends.first().click()
    await dialog().getByRole('button', { name: 'End secret' }).click()
    await expectText('The secret was ended.')
    await ends.nth(1).waitFor({ state: 'detached' })
    expect(await ends.count()).toBe(1)
  })

  test('license types can be created, edited, archived and reactivated', async () => {
    const { page, go, click, expectHeading, expectText, takeScreenshots } = session
    await go('/instance/license-types')
    await expectHeading('License types')
    await row('Pro').first().waitFor()
    await click('Add license type')
    await textbox('Name').fill('Team Plus')
    expect(await textbox('Slug').inputValue()).toBe('team-plus')
    await textbox('Slug').fill('pro')
    await click('Add feature')
    await textbox('Key of feature 1').fill('reports')
    await click('Add feature')
    await textbox('Key of feature 2').fill('reports')
    await expectText('Each feature can be named once.')
    await textbox('Key of feature 2').fill('export')
    await page.getByRole('switch', { name: 'export is included' }).press('Space')
    await expectAccessible()
    await takeScreenshots('license-type-dialog')
    await dialog().getByRole('button', { name: 'Add license type' }).click()
    await expectText(/slug is (already )?taken|taken/i)
    await textbox('Slug').fill('team-plus')
    await dialog().getByRole('button', { name: 'Add license type' }).click()
    await row('Team Plus').getByTitle('export (not included)').waitFor()
    await click('Edit Team Plus')
    await textbox('Description').fill('For teams that report.')
    await dialog().getByRole('button', { name: 'Save' }).click()
    await expectText('For teams that report.')
    await click('Archive Team Plus')
    await row('Team Plus').getByText('Archived').waitFor()
    await click('Undo')
    await row('Team Plus').getByText('Active').waitFor()
    await expectAccessible()
    await onPhone()
    await takeScreenshots('license-types')
    expect(errorsExcept(session.errors, 409, 422)).toEqual([])
  })
})
