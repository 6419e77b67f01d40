import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BrandedApplication, createBrandedApplication } from '../branding/calls.ts'
import { asDataUrl, pngOf } from '../branding/images.ts'
import { browserPath, openBrowser } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import type { TestService } from '../support/service.ts'
import { authorizeUrl, startDemoService } from '../support/world.ts'

describe.runIf(FULL && browserPath)('branding in a browser', () => {
  let service: TestService
  let browser: Browser
  let application: BrandedApplication

  beforeAll(async () => {
    service = await startDemoService()
    application = await createBrandedApplication(service)
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })

  /** Opens the sign-in page of the application and checks that the browser logs nothing. */
  async function visit(work: (page: Page) => Promise<void>, { width = 1280, dark = false } = {}) {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme: dark ? 'dark' : 'light',
    })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('console', (message) => errors.push(message.text()))
    page.on('requestfailed', (request) => errors.push(request.url()))
    await page.goto(authorizeUrl(service.url, { client_id: application.clientId }))
    await work(page)
    await context.close()
    expect(errors).toEqual([])
  }

  const styleOf = (page: Page, selector: string, property: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).${property}`)

  /** The natural size of the loaded logo. */
  const sizeOf = (page: Page) =>
    page.evaluate(
      "(({ naturalWidth, naturalHeight }) => [naturalWidth, naturalHeight])(document.querySelector('img.logo'))",
    )

  test('the button has the brand color, adjusted for contrast', async () => {
    await application.brand({ displayName: 'Reports', color: '#8a5a00' })
    await visit(async (page) => {
      // The color itself is dark enough for white text.
      expect(await styleOf(page, 'button[type=submit]', 'color')).toBe('rgb(255, 255, 255)')
    })
    // On a dark page the color is lightened.
    const expectDarkColors = async (page: Page) => {
      expect(await styleOf(page, 'button[type=submit]', 'backgroundColor')).toBe('rgb(186, 122, 0)')
      expect(await styleOf(page, 'button[type=submit]', 'color')).toBe('rgb(0, 0, 0)')
    }
    await visit(expectDarkColors, { dark: true })
  })

  test.each([
    [1000, 1000, 48, 48],
    [1000, 100, 240, 24],
    [30, 20, 30, 20],
  ])('a logo of %i × %i is shown as %i × %i, also before it is loaded', async (...sizes) => {
    const [width, height, shownWidth, shownHeight] = sizes
    await application.brand({ displayName: 'Reports', logo: asDataUrl(pngOf(width, height)) })
    await visit(
      async (page) => {
        const logo = page.getByRole('img', { name: 'Reports' })
        expect(await logo.boundingBox()).toMatchObject({ width: shownWidth, height: shownHeight })
        expect(await sizeOf(page)).toEqual([width, height])
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
      },
      { width: 360 },
    )
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.route('**/branding/**', (route) => route.abort())
    await page.goto(authorizeUrl(service.url, { client_id: application.clientId }))
    const attributes = await page.evaluate(
      "['width', 'height'].map((side) => Number(document.querySelector('img.logo').getAttribute(side)))",
    )
    expect(attributes).toEqual([shownWidth, shownHeight])
    await context.close()
  })

  test.each(['image/png', 'image/jpeg', 'image/webp'])(
    'an image that a browser encodes as %s is accepted as logo',
    async (type) => {
      const page = await browser.newPage()
      const logo = (await page.evaluate(`(() => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 201, height: 99 })
      const pen = canvas.getContext('2d')
      pen.fillStyle = 'teal'
      pen.arc(60, 50, 40, 0, 7)
      pen.fill()
      return canvas.toDataURL('${type}')
    })()`)) as string
      await page.close()
      expect(logo).toContain(type)
      expect((await application.brand({ displayName: 'Reports', logo })).status).toBe(200)
      await visit(async (shown) => {
        expect(await sizeOf(shown)).toEqual([201, 99])
      })
    },
  )
})
