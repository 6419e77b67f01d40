import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queueRenderedMail } from '../../src/mail/outbox.ts'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { startService, type TestService } from '../support/service.ts'

describe.runIf(FULL && browserPath)('in a browser', () => {
  let service: TestService
  let browser: Browser

  beforeAll(async () => {
    service = await startService()
    browser = await openBrowser()
    await service.ctx.db.transaction().execute((tx) =>
      queueRenderedMail(service.ctx, tx, 'ann@example.test', {
        subject: 'Welcome',
        text: 'Hello Ann',
        html: '<p>Hello Ann</p>',
      }),
    )
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })

  /** Opens a page and collects browser errors and requests to other origins. */
  async function visit(path: string, options: { width: number; dark?: boolean }) {
    const context = await browser.newContext({
      viewport: { width: options.width, height: 800 },
      colorScheme: options.dark ? 'dark' : 'light',
    })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('console', (message) => errors.push(message.text()))
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      if (origin !== service.url && protocol !== 'data:') errors.push(request.url())
    })
    await page.goto(service.url + path)
    return { page, errors, close: () => context.close() }
  }

  test('the front page links to the API, the health check and the mailbox', async () => {
    const { page, errors, close } = await visit('/', { width: 1280 })
    await page.getByRole('link', { name: 'API' }).click()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('API')
    await page.goto(service.url)
    await page.getByRole('link', { name: 'Mailbox' }).click()
    await page.getByRole('heading', { name: 'Welcome' }).first().waitFor()
    expect(errors).toEqual([])
    await close()
  })

  test.each(['/', '/dev/mailbox'])('%s fits a phone screen in dark mode, without errors', async (path) => {
    const { page, errors, close } = await visit(path, { width: 360, dark: true })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor')
    expect(background).toBe('rgb(20, 22, 27)')
    expect(errors).toEqual([])
    await close()
  })
})
