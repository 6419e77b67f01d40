import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { openStage, type Stage, type Visit } from './stage.ts'
import { isRefusal, PIXEL } from './steps.ts'

/** An address of a tenant's own that takes what is sent. */
async function openReceiver(): Promise<{ server: Server; url: string; types: string[] }> {
  const types: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part) => {
      body += part
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
  let stage: Stage
  let owner: Visit
  let receiver: Awaited<ReturnType<typeof openReceiver>>
  beforeAll(async () => {
    receiver = await openReceiver()
    stage = await openStage({ config: { webhooks: { allowedNetworks: ['127.0.0.0/8'] } } })
    owner = await stage.as('olivia@acme.test', '/t/acme/webhooks')
  })
  afterAll(async () => {
    await stage?.close()
    receiver?.server.close()
  })

  test('a webhook is set up, and its secret shown once', async () => {
    const { page, arriveAt, fill, reads, press, isAccessible, complaints } = owner
    await arriveAt('Webhooks')
    await reads('No webhooks yet')
    await isAccessible()
    await press('New webhook')
    await fill('Address', 'ftp://example.com')
    await press('Create webhook')
    await reads('must start with https://')
    await fill('Address', receiver.url)
    await fill('What it is for', 'The CRM')
    await page.getByLabel('Choose some').click()
    await reads('Choose at least one event.')
    await page.getByRole('button', { name: 'Members' }).click()
    await page.getByLabel('Everything about members').click()
    await isAccessible()
    await press('Create webhook')
    await reads(/^whsec_/)
    await isAccessible()
    await press('I have copied it')
    await reads('member.*')
    expect(complaints.splice(0).filter((complaint) => !isRefusal(complaint))).toEqual([])
  })

  test('what it got is listed and sent again', async () => {
    const { page, go, reads, press, isAccessible } = owner
    await go('/t/acme/members')
    await page.getByRole('combobox', { name: 'Role of Max Member' }).click()
    await page.getByRole('option', { name: 'Admin' }).click()
    await reads('Max Member is now an admin.')
    await expect.poll(() => receiver.types).toEqual(['member.role_changed'])
    await go('/t/acme/webhooks')
    await page.getByRole('link', { name: 'Deliveries' }).click()
    await page.getByRole('cell', { name: 'Delivered' }).waitFor()
    await reads('Answered 200')
    await isAccessible()
    await press('Send again: member.role_changed')
    await reads('It will be sent once more.')
    await expect.poll(() => receiver.types.length).toBe(2)
    await press('Send again since …')
    await press('Send again')
    await reads(/events? (is|are) sent once more/)
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Given up' }).click()
    await reads('There is no delivery with this status.')
    expect(owner.complaints).toEqual([])
  })

  test('a webhook is changed, disabled, given a new secret and deleted', async () => {
    const { page, fill, reads, press } = owner
    await page.getByRole('link', { name: 'All webhooks' }).click()
    const choose = async (item: string) => {
      await press(`More for ${receiver.url}`)
      await page.getByRole('menuitem', { name: item }).click()
    }
    await choose('Edit')
    await fill('What it is for', 'Something else')
    await press('Save')
    await reads('Something else')
    await choose('Disable')
    await page.getByRole('cell', { name: 'Disabled' }).waitFor()
    await press('Undo')
    await page.getByRole('cell', { name: 'Active' }).waitFor()
    await choose('New secret')
    await press('Make a new secret')
    await reads(/^whsec_/)
    await reads(/The secret before signs as well until/)
    await press('I have copied it')
    await choose('Delete')
    await press('Delete webhook')
    await reads('No webhooks yet')
    expect(owner.complaints).toEqual([])
  })

  test('the audit log tells it in sentences, and is filtered and exported', async () => {
    const { page, go, arriveAt, reads, press, isAccessible } = owner
    await go('/t/acme/audit')
    await arriveAt('Audit log')
    const entries = page.getByRole('list', { name: 'Entries' }).getByRole('listitem')
    const changed = entries.filter({ hasText: 'Olivia Owner changed the role of Max Member member → admin' })
    await changed.getByRole('button', { name: 'Details' }).click()
    await changed.getByRole('columnheader', { name: 'Before' }).waitFor()
    await isAccessible()
    await changed.getByRole('button', { name: 'All that happened to them' }).click()
    await page.waitForURL(/userId=/)
    await expect.poll(() => entries.count()).toBe(2)
    await press('Clear filters')
    await page.getByRole('combobox', { name: 'What happened' }).click()
    await page.getByRole('option', { name: 'Webhooks: deleted' }).click()
    await reads('That is the only entry.')
    await reads('deleted a webhook')
    await press('Export')
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
    await reads('No entry fits these filters.')
    expect(owner.complaints).toEqual([])
  })

  test('name, branding and free settings are changed', async () => {
    const { page, go, arriveAt, fill, reads, isAccessible, complaints } = owner
    await go('/t/acme/settings')
    await arriveAt('Settings')
    const section = (title: string) =>
      page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: title }) })
    await isAccessible()
    await fill('Name', 'Acme & Sons')
    await section('General').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Switch tenant: Acme & Sons' }).waitFor()
    await fill('Name on the pages', 'The Acme portal')
    await page.getByRole('img', { name: 'Preview: The Acme portal' }).waitFor()
    await page.getByRole('textbox', { name: 'Color' }).fill('#ffd43b')
    await page.keyboard.press('Tab')
    const logo = { name: 'logo.png', mimeType: 'image/png' }
    const field = section('Branding').locator('input[type=file]')
    await field.setInputFiles({ ...logo, buffer: Buffer.alloc(70_000) })
    await reads(/more than 64 KiB/)
    await field.setInputFiles({ ...logo, buffer: PIXEL })
    await section('Branding').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Remove branding' }).waitFor()
    await isAccessible()
    await page.getByRole('button', { name: 'Settings as JSON' }).click()
    const json = page.getByRole('textbox', { name: 'Settings' })
    await json.fill('{"theme": ')
    await reads('This is not valid JSON.')
    await json.fill('{"theme": "dark"}')
    await section('Advanced').getByRole('button', { name: 'Save' }).click()
    const kept = () =>
      stage.service.ctx.db.selectFrom('tenants').select('settings').where('slug', '=', 'acme')
    await expect
      .poll(async () => (await kept().executeTakeFirstOrThrow()).settings)
      .toEqual({ theme: 'dark' })
    expect(complaints).toEqual([])
  })

  test('a second factor is required, and one is asked for it oneself', async () => {
    const { page, press, reads } = owner
    await page.getByLabel('Required', { exact: true }).click()
    await reads(/is asked for one now, you too/)
    await press('Require it')
    await page.waitForURL((url) => !url.pathname.startsWith('/console'))
    expect(owner.complaints.filter((complaint) => !isRefusal(complaint))).toEqual([])
  })

  test('an owner deletes the tenant by its name', async () => {
    const { page, arriveAt, press, fill, reads, isAccessible, complaints } = await stage.as(
      'gus@globex.test',
      '/t/globex/settings',
    )
    await arriveAt('Settings')
    await press('Delete tenant')
    const action = page.getByRole('dialog').getByRole('button', { name: 'Delete tenant' })
    expect(await action.isDisabled()).toBe(true)
    await isAccessible()
    await fill('Type “globex” to confirm', 'globex')
    await action.click()
    await page.waitForURL(/\/account/)
    await reads('gus@globex.test')
    expect(complaints.filter((complaint) => !isRefusal(complaint))).toEqual([])
  })
})
