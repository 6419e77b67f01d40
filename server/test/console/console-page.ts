import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startDemoService } from '../support/world.ts'

/** The console in a real browser with the demo data. */
export interface ConsoleTest {
  service: TestService
  /** Signs a user in with a new browser context and opens a page of the console. */
  signIn(email: string, path?: string, options?: BrowserContextOptions): Promise<ConsolePage>
  close(): Promise<void>
}

export interface ConsolePage {
  page: Page
  /** Navigates to a path of the console with a full page load. */
  go(path: string): Promise<void>
  /** Waits for the level-1 heading of a page. */
  expectHeading(heading: string): Promise<void>
  click(name: string): Promise<void>
  fill(label: string, text: string): Promise<void>
  /** Waits until the page contains the text. */
  expectText(text: string | RegExp): Promise<void>
  /** Errors in the browser console, including failed requests. */
  errors: string[]
  /** Fails on serious axe findings in either color scheme. */
  expectAccessible(): Promise<void>
  /** Takes screenshots at both widths if SCREENSHOTS names a folder. */
  takeScreenshots(name: string): Promise<void>
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** If set, screenshots are written to this folder. */
const SCREENSHOTS = process.env.SCREENSHOTS
export const PHONE = { width: 390, height: 780 }
export const DESKTOP = { width: 1280, height: 860 }

export async function openConsole(options: Parameters<typeof startDemoService>[0] = {}): Promise<ConsoleTest> {
  // Passkeys require a host name (WebAuthn RP ID), not an IP address.
  const service = await startDemoService({ host: 'localhost', worker: true, ...options })
  const browser = await openBrowser()
  return {
    service,
    signIn: (email, path = '/', contextOptions = {}) => openPage(service, browser, { email, path, contextOptions }),
    async close() {
      await browser.close()
      await service.close()
    },
  }
}

interface SignInRequest {
  email: string
  path: string
  contextOptions: BrowserContextOptions
}

async function openPage(service: TestService, browser: Browser, request: SignInRequest): Promise<ConsolePage> {
  const context = await browser.newContext({
    viewport: DESKTOP,
    reducedMotion: 'reduce',
    ...request.contextOptions,
  })
  if (!SCREENSHOTS) await context.addInitScript(removeBlur)
  const page = await context.newPage()
  page.setDefaultTimeout(45_000)
  const errors: string[] = []
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('pageerror', (error) => errors.push(String(error)))
  const go = async (path: string) => {
    await page.goto(`${service.url}/console${path}`)
  }
  await go(request.path)
  await page.locator('input[name=email]').fill(request.email)
  await page.locator('input[name=password]').fill(PASSWORD)
  // The button has another name in each language.
  await page.locator('input[name=password]').press('Enter')
  await page.locator('#content').waitFor()
  return {
    page,
    go,
    errors,
    expectHeading: (name) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor(),
    click: (name) => page.getByRole('button', { name, exact: true }).click(),
    fill: (label, text) => page.getByLabel(label, { exact: true }).fill(text),
    expectText: (text) => page.getByText(text).first().waitFor(),
    expectAccessible: () => expectPageAccessible(page),
    takeScreenshots: (name) => takePageScreenshots(page, name),
  }
}

/** Without a graphics card a blurred background takes 50 ms in each frame, also when only the caret blinks. */
function removeBlur(): void {
  const styles = new CSSStyleSheet()
  styles.replaceSync('* { backdrop-filter: none !important }')
  document.adoptedStyleSheets.push(styles)
}

interface Finding {
  id: string
  impact: string
  nodes: { html: string; failureSummary: string }[]
}

/** The rules whose result depends on colors. All others see the same document in both schemes. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']
const LEVELS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const RULES = {
  light: { type: 'tag', values: LEVELS },
  dark: { type: 'rule', values: COLOR_RULES },
} as const

export async function expectPageAccessible(page: Page): Promise<void> {
  // evaluate() is not subject to the Content-Security-Policy of the page, unlike a script element.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const findings = await page.evaluate(async (runOnly) => {
      const { axe } = window as unknown as {
        axe: { run(options: unknown): Promise<{ violations: Finding[] }> }
      }
      // Without the type, axe also describes every element that passes.
      const { violations } = await axe.run({ runOnly, resultTypes: ['violations'] })
      return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    }, RULES[colorScheme])
    const summaries = findings.map(({ id, nodes }) => ({
      id,
      where: nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`),
    }))
    expect(summaries, `${page.url()} in ${colorScheme}`).toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

async function takePageScreenshots(page: Page, name: string): Promise<void> {
  if (!SCREENSHOTS) return
  for (const [width, size] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
    await page.setViewportSize(size)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}-${colorScheme}.png`), fullPage: true })
    }
  }
  await page.setViewportSize(DESKTOP)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}
