import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { type ConsolePage, type ConsoleTest, openConsole } from './console-page.ts'
import { isHttpError, PIXEL } from './page-actions.ts'

/** A webhook receiver that records event types. */
async function openReceiver(): Promise<{ server: Server; url: string; types: string[] }> {
  const types: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      types.push(JSON.parse(body).type)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, types }
}

describe.runIf(FULL && browserPath)('webhooks, audit log and settings in the console', () => {
  let consoleTest: ConsoleTest
  let owner: ConsolePage
  let receiver: Awaited<ReturnType<typeof openReceiver>>
  beforeAll(async () => {
    receiver = await openReceiver()
    consoleTest = await openConsole({ config: { webhooks: { allowedNetworks: ['127.0.0.0/8'] } } })
    owner = await consoleTest.signIn('olivia@acme.test', '/t/acme/webhooks')
  })
  afterAll(async () => {
    await consoleTest?.close()
    receiver?.server.close()
  })

  test('a webhook can be created, and its secret is shown once', async () => {
    const { page, expectHeading, fill, expectText, click, expectAccessible, errors } = owner
    await expectHeading('Webhooks')
    await expectText('No webhooks yet')
    await expectAccessible()
    await click('New webhook')
    await fill('Address', 'ftp://example.com')
    await click('Create webhook')
    await expectText('must start with https://')
    await fill('Address', receiver.url)
    await fill('What it is for', 'The CRM')
    await page.getByLabel('Choose some').click()
    await expectText('Choose at least one event.')
    await page.getByRole('button', { name: 'Members' }).click()
    await page.getByLabel('Everything about members').click()
    await expectAccessible()
    await click('Create webhook')
    await expectText(/^whsec_/)
    await expectAccessible()
    await click('I have copied it')
    await expectText('member.*')
    expect(errors.splice(0).filter((error) => !isHttpError(error))).toEqual([])
  })

  test('deliveries are listed and can be replayed', async () => {
    const { page, go, expectText, click, expectAccessible } = owner
    await go('/t/acme/members')
    await page.getByRole('combobox', { name: 'Role of Max Member' }).click()
    await page.getByRole('option', { name: 'Admin' }).click()
    await expectText('Max Member is now an admin.')
    await expect.poll(() => receiver.types).toEqual(['member.role_changed'])
    await go('/t/acme/webhooks')
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByRole('cell', { name: 'Delivered' }).waitFor()
    await expectText('Answered 200')
    await expectAccessible()
    await click('Send again: member.role_changed')
    await expectText('It will be sent again.')
    await expect.poll(() => receiver.types.length).toBe(2)
    await click('Send again since …')
    await click('Send again')
    await expectText(/events? (is|are) sent again/)
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Given up' }).click()
    await expectText('There is no delivery with this status.')
    expect(owner.errors).toEqual([])
  })

  test('a webhook can be edited, disabled, given a new secret and deleted', async () => {
    const { page, fill, expectText, click } = owner
    await page.getByRole('link', { name: 'All webhooks' }).click()
    const choose = async (item: string) => {
      await click(`More for ${receiver.url}`)
      await page.getByRole('menuitem', { name: item }).click()
    }
    await choose('Edit')
    await fill('What it is for', 'Something else')
    await click('Save')
    await expectText('Something else')
    await choose('Disable')
    await page.getByRole('cell', { name: 'Disabled' }).waitFor()
    await click('Undo')
    await page.getByRole('cell', { name: 'Active' }).waitFor()
    await choose('New secret')
    await click('Create a new secret')
    await expectText(/^whsec_/)
    await expectText(/The previous secret also signs until/)
    await click('I have copied it')
    await choose('Delete')
    await click('Delete webhook')
    await expectText('No webhooks yet')
    expect(owner.errors).toEqual([])
  })

  test('the audit log shows sentences and can be filtered and exported', async () => {
    const { page, go, expectHeading, expectText, click, expectAccessible } = owner
    await go('/t/acme/audit')
    await expectHeading('Audit log')
    const entries = page.getByRole('list', { name: 'Entries' }).getByRole('listitem')
    const changed = entries.filter({ hasText: 'Olivia Owner changed the role of Max Member member → admin' })
    await changed.getByRole('button', { name: 'Details' }).click()
    await changed.getByRole('columnheader', { name: 'Before' }).waitFor()
    await expectAccessible()
    await changed.getByRole('button', { name: 'All that happened to them' }).click()
    await page.waitForURL(/userId=/)
    await expect.poll(() => entries.count()).toBe(2)
    await click('Clear filters')
    await page.getByRole('combobox', { name: 'What happened' }).click()
    await page.getByRole('option', { name: 'Webhooks: deleted' }).click()
    await expectText('That is the only entry.')
    await expectText('deleted a webhook')
    await click('Export')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'As a table (CSV)' }).click(),
    ])
    expect(file.suggestedFilename()).toMatch(/^latchkey-audit-.*\.csv$/)
    const lines = readFileSync(await file.path(), 'utf8')
      .trim()
      .split(/\r?\n/)
    expect(lines.length).toBe(2)
    expect(lines[1]).toContain('webhook.deleted')
    await page.getByLabel('To day').fill('2020-01-01')
    await expectText('No entry matches these filters.')
    expect(owner.errors).toEqual([])
  })

  test('name, branding and free-form settings can be changed', async () => {
    const { page, go, expectHeading, fill, expectText, expectAccessible, errors } = owner
    await go('/t/acme/settings')
    await expectHeading('Settings')
    const section = (title: string) =>
      page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: title }) })
    await expectAccessible()
    await fill('Name', 'Acme & Sons')
    await section('General').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Switch tenant: Acme & Sons' }).waitFor()
    await fill('Name on the pages', 'The Acme portal')
    await page.getByRole('img', { name: 'Preview: The Acme portal' }).waitFor()
    await page.getByRole('textbox', { name: 'Color' }).fill('#8a5a00')
    await page.keyboard.press('Tab')
    const logo = { name: 'logo.png', mimeType: 'image/png' }
    const field = section('Branding').locator('input[type=file]')
    await field.setInputFiles({ ...logo, buffer: Buffer.alloc(70_000) })
    await expectText(/more than 64 KiB/)
    await field.setInputFiles({ ...logo, buffer: PIXEL })
    await section('Branding').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Remove branding' }).waitFor()
    await expectAccessible()
    await page.getByRole('button', { name: 'Settings as JSON' }).click()
    const json = page.getByRole('textbox', { name: 'Settings' })
    await json.fill('{"theme": ')
    await expectText('This is not valid JSON.')
    await json.fill('{"theme": "dark"}')
    await section('Advanced').getByRole('button', { name: 'Save' }).click()
    const savedSettings = () =>
      consoleTest.service.ctx.db.selectFrom('tenants').select('settings').where('slug', '=', 'acme')
    await expect.poll(async () => (await savedSettings().executeTakeFirstOrThrow()).settings).toEqual({ theme: 'dark' })
    expect(errors).toEqual([])
  })

  test('requiring a second factor applies to the current user', async () => {
    const { page, click, expectText } = owner
    await page.getByLabel('Required', { exact: true }).click()
    await expectText(/is asked for one now, including you/)
    await click('Require it')
    await page.waitForURL((url) => !url.pathname.startsWith('/console'))
    expect(owner.errors.filter((error) => !isHttpError(error))).toEqual([])
  })

  test('deleting a tenant requires its slug', async () => {
    const { page, expectHeading, click, fill, expectText, expectAccessible, errors } = await consoleTest.signIn(
      'gus@globex.test',
      '/t/globex/settings',
    )
    await expectHeading('Settings')
    await click('Delete tenant')
    const action = page.getByRole('dialog').getByRole('button', { name: 'Delete tenant' })
    expect(await action.isDisabled()).toBe(true)
    await expectAccessible()
    await fill('Type “globex” to confirm', 'globex')
    await action.click()
    await page.waitForURL(/\/account/)
    await expectText('gus@globex.test')
    expect(errors.filter((error) => !isHttpError(error))).toEqual([])
  })
})
