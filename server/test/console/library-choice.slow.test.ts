import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../console/src/areas/instance/applications/clients/client-draft.ts'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { machineToken } from '../support/world.ts'
import { type ConsolePage, type ConsoleTest, openConsole } from './console-page.ts'
import { ADMIN, chooseLibrary, clickInDialog, errorsExcept, expectFitsPhone } from './page-actions.ts'

describe.runIf(FULL && browserPath)('the library of a client', () => {
  let consoleTest: ConsoleTest
  let session: ConsolePage
  beforeAll(async () => {
    consoleTest = await openConsole()
    session = await consoleTest.signIn(ADMIN, '/instance/applications/new')
  })
  afterAll(() => consoleTest?.close())

  const textbox = (name: string) => session.page.getByRole('textbox', { name, exact: true })
  const nonceSwitch = () => session.page.getByRole('switch', { name: 'Require a nonce' })
  const code = async (name: string) =>
    (await session.page.getByRole('region', { name, exact: true }).textContent()) ?? ''
  const clientNamed = async (name: string): Promise<Client | undefined> => {
    const { url } = consoleTest.service
    const headers = { authorization: `Bearer ${await machineToken(url, 'demo-ops')}` }
    const reply = await fetch(`${url}/api/admin/clients?limit=100`, { headers })
    const { clients } = (await reply.json()) as { clients: Client[] }
    return clients.find((client) => client.name === name)
  }

  test('the guide sets kind, redirect address and nonce for the library, and each can be changed', async () => {
    const { page, click, expectText, takeScreenshots } = session
    await session.expectHeading('Create an application')
    await textbox('Name of the application').fill('Library')
    await click('Continue')
    const list = page.getByRole('combobox', { name: 'Library or tool', exact: true })
    await list.fill('python django')
    await page.getByRole('option', { name: 'mozilla-django-oidc', exact: true }).waitFor()
    expect(await page.getByRole('option').count()).toBe(2)
    await takeScreenshots('library-search')
    await page.getByRole('option', { name: 'django-allauth', exact: true }).click()
    await expectText(/django-allauth sends no nonce\. .* so this client does not require one/)
    expect(await page.getByRole('radio', { name: 'Web app with a server' }).isChecked()).toBe(true)
    await session.expectAccessible()
    await expectFitsPhone(session)
    await takeScreenshots('library-chosen')
    await click('Continue')
    expect(await textbox('Redirect addresses').inputValue()).toBe(
      'http://localhost:8000/accounts/oidc/latchkey/login/callback/',
    )
    expect(await nonceSwitch().isChecked()).toBe(false)
    await session.expectAccessible()
    await takeScreenshots('library-addresses')
    await nonceSwitch().press('Space')
    await expectText(/Protects ID tokens from being replayed/)
    await nonceSwitch().press('Space')
    await click('Create application')
    await page.getByRole('heading', { name: 'Library is ready' }).waitFor()
    const client = await clientNamed('Library on its server')
    expect(client).toMatchObject({ kind: 'WEB', requireNonce: false })
    expect(await code('settings.py')).toContain(`"client_id": '${client?.clientId}'`)
    expect(await code('settings.py')).toContain(`"server_url": '${consoleTest.service.url}'`)
    expect(await code('settings.py')).not.toContain('lks_')
    expect(await code('In a terminal, in the same folder')).toMatch(/LATCHKEY_CLIENT_SECRET='lks_/)
    await session.expectAccessible()
    await expectFitsPhone(session)
    await takeScreenshots('library-done')
  })

  test('an existing client changes only by a click, and never shows its secret again', async () => {
    const { page, click, expectText, takeScreenshots } = session
    await page.getByRole('link', { name: 'Go to the application' }).click()
    await click('More for Library on its server')
    await page.getByRole('menuitem', { name: 'How to connect' }).click()
    await page.getByRole('dialog', { name: 'How to connect: Library on its server' }).waitFor()
    // The redirect path belongs to django-allauth only.
    expect(await code('In a terminal, in the same folder')).toContain("LATCHKEY_CLIENT_SECRET='your client secret'")
    expect(await page.getByRole('dialog').getByText('lks_').count()).toBe(0)
    await chooseLibrary(session, 'openid', 'openid-client')
    await expectText('This client does not require a nonce')
    expect(await clientNamed('Library on its server')).toMatchObject({ requireNonce: false })
    await takeScreenshots('library-advice')
    await session.expectAccessible()
    await clickInDialog(session, 'Require a nonce')
    await expectText('The client requires a nonce.')
    expect(await clientNamed('Library on its server')).toMatchObject({ requireNonce: true })
    await chooseLibrary(session, 'grafana', 'Grafana')
    await expectText(/Grafana returns to http:\/\/localhost:8000\/login\/generic_oauth/)
    await expectText('This client requires a nonce')
    expect(await clientNamed('Library on its server')).toMatchObject({ requireNonce: true })
    await takeScreenshots('library-advice-two')
    await expectFitsPhone(session)
    await clickInDialog(session, 'Add this address')
    await expectText('The redirect address was added.')
    await clickInDialog(session, 'Stop requiring a nonce')
    await expectText('The client no longer requires a nonce.')
    expect(await clientNamed('Library on its server')).toMatchObject({
      requireNonce: false,
      redirectUris: expect.arrayContaining(['http://localhost:8000/login/generic_oauth']),
    })
    expect(await page.getByRole('dialog').getByRole('alert').count()).toBe(0)
    await chooseLibrary(session, 'react', '@latchkey/react')
    await expectText('@latchkey/react needs another kind of client')
    expect(await page.getByRole('region', { name: 'main.jsx' }).count()).toBe(0)
    await session.expectAccessible()
    await clickInDialog(session, 'Close')
  })

  test('a client that is added for a library gets its settings', async () => {
    const { page, click, takeScreenshots } = session
    await click('Add client')
    await chooseLibrary(session, 'asp', 'ASP.NET Core')
    await textbox('Name').fill('Shop')
    expect(await textbox('Redirect addresses').inputValue()).toBe('http://localhost:5000/signin-oidc')
    expect(await nonceSwitch().isChecked()).toBe(true)
    await session.expectAccessible()
    await takeScreenshots('library-client-dialog')
    await clickInDialog(session, 'Add client')
    await page.getByRole('dialog', { name: 'How to connect: Shop' }).waitFor()
    expect(await code('Program.cs')).toContain(`options.Authority = "${consoleTest.service.url}";`)
    expect(await clientNamed('Shop')).toMatchObject({ kind: 'WEB', requireNonce: true })
    await takeScreenshots('library-client-created')
    await expectFitsPhone(session)
    expect(errorsExcept(session.errors)).toEqual([])
  })
})
