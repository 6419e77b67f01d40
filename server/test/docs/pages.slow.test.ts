import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'

describe.runIf(FULL && browserPath)('the documentation in a browser', () => {
  let service: TestService
  let browser: Browser
  beforeAll(async () => {
    service = await startDemoService({ host: 'localhost' })
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })

  /** Opens a page in a new context. */
  async function visit(path: string): Promise<Page> {
    const page = await (await browser.newContext()).newPage()
    await page.goto(service.url + path)
    return page
  }
  const results = (page: Page) => page.locator('#search-results')

  /** Opens "Try it" of an operation. */
  async function tryOperation(page: Page, id: string) {
    const section = page.locator(`#${id}`)
    await section.getByRole('button', { name: 'Try it' }).click()
    return section.locator('form')
  }

  /** The paths of the changing requests that the page sends. */
  function recordChanges(page: Page): string[] {
    const sent: string[] = []
    page.on('request', (request) => request.method() !== 'GET' && sent.push(new URL(request.url()).pathname))
    return sent
  }

  test('a double click and a held Enter send no request that changes something', async () => {
    const page = await visit('/docs/licenses')
    await page.clock.install()
    const sent = recordChanges(page)
    const form = await tryOperation(page, 'grantLicense')
    await form.getByRole('button', { name: 'Send' }).dblclick()
    const question = form.getByText('Press the button again to send it.')
    await question.waitFor()
    await form.getByLabel('Body').fill('{}')
    await form.getByRole('button', { name: 'Send' }).focus()
    // The first press asks, and each further one without a release is a repetition, however long the key is held.
    for (let repeat = 0; repeat < 3; repeat++) {
      await page.keyboard.down('Enter')
      await page.clock.fastForward(2_000)
    }
    await page.keyboard.up('Enter')
    await question.waitFor()
    expect(sent).toEqual([])
    await form.getByRole('button', { name: 'Send, and change data' }).click()
    await form
      .locator('.reply')
      .getByText(/^4\d\d/)
      .waitFor()
    expect(sent).toEqual(['/api/integration/licenses/grant'])
  })

  test('after a sign-in, the form has its tenant again and gets the token', async () => {
    const page = await visit('/docs/licenses')
    const form = await tryOperation(page, 'grantLicense')
    await form.getByLabel('Or use your session, for the tenant (optional)').fill('acme')
    await form.getByRole('button', { name: 'Use my session' }).click()
    await page.locator('input[name=email]').fill('olivia@acme.test')
    await page.locator('input[name=password]').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(/\/docs\/licenses#grantLicense$/)
    await form.getByText('Token: of your session, for acme').waitFor()
  })

  test('whoever gives up the sign-in is not sent there again', async () => {
    const page = await visit('/docs/licenses')
    const form = await tryOperation(page, 'grantLicense')
    await form.getByRole('button', { name: 'Use my session' }).click()
    await page.locator('input[name=email]').waitFor()
    await page.goto(`${service.url}/docs/licenses`)
    await page.getByRole('button', { name: 'Try it' }).first().waitFor()
    expect(await page.locator('form.try-it').count()).toBe(0)
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0)
  })

  test('a search whose entries could not be loaded loads them at the next use', async () => {
    const page = await visit('/docs')
    await page.route(/search\.json/, (route) => route.fulfill({ status: 503, body: '' }))
    const field = page.getByRole('searchbox')
    await field.fill('grant')
    await results(page).getByText('Nothing is found').waitFor()
    await page.unrouteAll()
    await field.fill('grant license')
    await results(page).getByRole('link').first().waitFor()
  })

  test('Escape in the results returns to the field, and a slash with Ctrl is not taken', async () => {
    const page = await visit('/docs')
    const isInField = () => page.evaluate(() => document.activeElement?.matches('[type=search]'))
    await page.keyboard.press('Control+/')
    expect(await isInField()).toBe(false)
    await page.keyboard.press('/')
    expect(await isInField()).toBe(true)
    await page.keyboard.type('grant')
    await results(page).getByRole('link').first().waitFor()
    await page.keyboard.press('ArrowDown')
    expect(await isInField()).toBe(false)
    await page.keyboard.press('Escape')
    expect(await isInField()).toBe(true)
    expect(await results(page).isHidden()).toBe(true)
  })
})
