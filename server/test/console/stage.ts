import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import type { TestService } from '../support/service.ts'
import { PASSWORD, startWorld } from '../support/world.ts'

/** The console in a real browser, on the demo's world. */
export interface Stage {
  service: TestService
  /** A browser of its own in which somebody is signed in, at a place in the console. */
  as(email: string, path?: string, options?: BrowserContextOptions): Promise<Visit>
  close(): Promise<void>
}

export interface Visit {
  page: Page
  /** Goes to a place, as by a link that somebody sent. */
  go(path: string): Promise<void>
  /** Waits for the heading of a place. */
  arriveAt(heading: string): Promise<void>
  press(name: string): Promise<void>
  fill(label: string, text: string): Promise<void>
  /** Waits until this is said somewhere on the page. */
  reads(text: string | RegExp): Promise<void>
  /** What the browser complained of. Refusals that a test means to bring about are its own to take out. */
  complaints: string[]
  /** Fails where somebody would be shut out: serious findings of axe, in light and in dark. */
  isAccessible(): Promise<void>
  /** Keeps pictures at both widths, for those who look: SCREENSHOTS names the folder. */
  picture(name: string): Promise<void>
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
export const PHONE = { width: 390, height: 780 }
export const DESKTOP = { width: 1280, height: 860 }

export async function openStage(options: Parameters<typeof startWorld>[0] = {}): Promise<Stage> {
  // Passkeys belong to a name; an address in numbers has none.
  const service = await startWorld({ host: 'localhost', worker: true, ...options })
  const browser = await openBrowser()
  return {
    service,
    as: (email, path = '/', contextOptions = {}) => visit(service, browser, { email, path, contextOptions }),
    async close() {
      await browser.close()
      await service.close()
    },
  }
}

interface Wish {
  email: string
  path: string
  contextOptions: BrowserContextOptions
}

async function visit(service: TestService, browser: Browser, wish: Wish): Promise<Visit> {
  const context = await browser.newContext({
    viewport: DESKTOP,
    reducedMotion: 'reduce',
    ...wish.contextOptions,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(45_000)
  const complaints: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  const go = async (path: string) => {
    await page.goto(`${service.url}/console${path}`)
  }
  await go(wish.path)
  await page.locator('input[name=email]').fill(wish.email)
  await page.locator('input[name=password]').fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('#content').waitFor()
  return {
    page,
    go,
    complaints,
    arriveAt: (name) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor(),
    press: (name) => page.getByRole('button', { name, exact: true }).click(),
    fill: (label, text) => page.getByLabel(label, { exact: true }).fill(text),
    reads: (text) => page.getByText(text).first().waitFor(),
    isAccessible: () => expectAccessible(page),
    picture: (name) => takePictures(page, name),
  }
}

interface Finding {
  id: string
  impact: string
  nodes: { html: string; failureSummary: string }[]
}

async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // By the protocol and not by an element: the page's own policy would not let it in.
    await page.evaluate(AXE)
    const findings = await page.evaluate(async () => {
      const { axe } = window as unknown as {
        axe: { run(options: unknown): Promise<{ violations: Finding[] }> }
      }
      const { violations } = await axe.run({
        runOnly: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] },
      })
      return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    })
    const told = findings.map(({ id, nodes }) => ({
      id,
      where: nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`),
    }))
    expect(told, `${page.url()} in ${colorScheme}`).toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}

async function takePictures(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (!folder) return
  for (const [width, size] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
    await page.setViewportSize(size)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage: true })
    }
  }
  await page.setViewportSize(DESKTOP)
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}
