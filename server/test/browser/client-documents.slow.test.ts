import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectPageAccessible } from '../console/console-page.ts'
import { documentConfig, type Publisher, startPublisher } from '../oauth/document-clients.ts'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { admin, authorizeUrl, claimsOf, exchange, PASSWORD, startDemoService } from '../support/world.ts'
import { takeScreenshots } from './screenshots.ts'

// A native app that nobody registered: sign-in, consent with the host of its document, and a code on a port of its own.

const SCOPE = 'openid offline_access reports:read'
const RESOURCE = 'https://api.example.com/mcp'

describe.skipIf(!browserPath)('an app that is described by a document, in a browser', () => {
  let service: TestService
  let publisher: Publisher
  let browser: Browser

  beforeAll(async () => {
    publisher = await startPublisher()
    service = await startDemoService({ config: documentConfig() })
    browser = await openBrowser()
    const { id: applicationId } = await admin<{ id: string }>(service.url, '/api/admin/applications', {
      name: 'Reports',
    })
    await admin(service.url, '/api/admin/resources', {
      applicationId,
      name: 'Reports API',
      uri: RESOURCE,
      scopes: ['reports:read'],
      allowDynamicClients: true,
    })
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
    publisher.close()
  })

  /** The app listens on a port that the system chooses. */
  async function listen() {
    const codes: (string | null)[] = []
    const server = createServer((request, response) => {
      codes.push(new URL(request.url ?? '', 'http://localhost').searchParams.get('code'))
      response.setHeader('Content-Type', 'text/html').end('<title>App</title><h1>Back in the app</h1>')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const close = () => {
      server.closeAllConnections()
      server.close()
    }
    return { redirect: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`, codes, close }
  }

  const screens: [string, number, number][] = [
    ['phone', 360, 780],
    ['desktop', 1280, 800],
  ]

  test.each(FULL ? screens : screens.slice(0, 1))('without a script, on a %s', async (name, width, height) => {
    const app = await listen()
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width, height } })
    try {
      const page = await context.newPage()
      const errors: string[] = []
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
      const clientId = publisher.publishDocument({ client_name: 'Example Editor' })
      const parameters = { client_id: clientId, redirect_uri: app.redirect, scope: SCOPE, resource: RESOURCE }
      await page.goto(authorizeUrl(service.url, parameters))
      await page.getByLabel('Email address').fill('mia@acme.test')
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      const { host } = new URL(clientId)
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(`Allow ${host}?`)
      const text = (await page.locator('main').textContent()) ?? ''
      for (const part of ['Example Editor', 'Reports API', RESOURCE, 'Any program here']) expect(text).toContain(part)
      await takeScreenshots(page, `client-document-${name}`)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
      await page.getByRole('button', { name: 'Allow', exact: true }).click()
      await page.getByRole('heading', { name: 'Back in the app' }).waitFor()
      const [code] = app.codes
      const form = { client_id: clientId, redirect_uri: app.redirect }
      const { status, body } = await exchange(service.url, code ?? undefined, form)
      expect(status).toBe(200)
      expect(claimsOf(body.access_token)).toMatchObject({ aud: RESOURCE, scope: 'reports:read', client_id: clientId })
      expect(errors).toEqual([])
    } finally {
      await context.close()
      app.close()
    }
  })

  test('the consent page is accessible', async () => {
    const context = await browser.newContext()
    try {
      const page = await context.newPage()
      const clientId = publisher.publishDocument()
      const parameters = { client_id: clientId, redirect_uri: 'http://127.0.0.1:49152/callback', scope: SCOPE }
      await page.goto(authorizeUrl(service.url, { ...parameters, resource: RESOURCE }))
      await page.getByLabel('Email address').fill('mia@acme.test')
      await page.getByLabel('Password').fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()
      await expectPageAccessible(page)
    } finally {
      await context.close()
    }
  })
})
