import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { DESKTOP, PHONE, type Visit } from './stage.ts'

/** What the tests of the console do and look at again and again. */

export const ADMIN = 'admin@latchkey.test'

/** A picture of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A button in the dialog that is open. */
export const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true })

/** Presses a button in the dialog that is open. */
export const answer = ({ page }: Visit, name: string) => inDialog(page, name).click()

export async function choose({ page }: Visit, label: string, option: string) {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Writes into a field, which may be required: the star beside its name is not part of it. */
export const write = ({ page }: Visit, name: string, text: string) =>
  page.getByRole('textbox', { name, exact: true }).fill(text)

/** Fails where a place is too wide for a phone, or shuts somebody out there. */
export async function fitsPhone(visit: Visit): Promise<void> {
  await visit.page.setViewportSize(PHONE)
  // A table becomes cards a moment after the page has become narrow.
  await expect
    .poll(() => visit.page.evaluate(() => document.documentElement.scrollWidth))
    .toBeLessThanOrEqual(PHONE.width)
  await visit.isAccessible()
  await visit.page.setViewportSize(DESKTOP)
}

/** What the browser complained of beside requests that were refused, with just these answers. */
export const besides = (complaints: string[], ...statuses: number[]): string[] =>
  complaints.filter(
    (text) => !statuses.some((status) => text.includes(`the server responded with a status of ${status} `)),
  )

/** What the browser says of a refusal, whichever. */
export const isRefusal = (complaint: string): boolean =>
  /the server responded with a status of 4\d\d/.test(complaint)
