import { join } from 'node:path'
import type { Page } from 'playwright-core'

/** If set, screenshots are written to this directory. */
const directory = process.env.SCREENSHOTS

/** Takes a screenshot of the page in light and in dark mode. */
export async function takeScreenshots(page: Page, name: string): Promise<void> {
  if (!directory) return
  await page.screenshot({ path: join(directory, `${name}.png`), fullPage: true })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.screenshot({ path: join(directory, `${name}-dark.png`), fullPage: true })
  await page.emulateMedia({ colorScheme: 'light' })
}
