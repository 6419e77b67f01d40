import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { type ConsolePage, DESKTOP, PHONE } from './console-page.ts'

export const ADMIN = 'admin@latchkey.test'

/** A PNG of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A button in the open dialog. */
export const dialogButton = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true })

/** Clicks a button in the open dialog. */
export const clickInDialog = ({ page }: ConsolePage, name: string) => dialogButton(page, name).click()

export async function selectOption({ page }: ConsolePage, label: string, option: string) {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Searches the list of libraries and chooses an entry. */
export async function chooseLibrary({ page }: ConsolePage, search: string, option: string) {
  await page.getByRole('combobox', { name: 'Library or tool', exact: true }).fill(search)
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Fills a field by its accessible name, which excludes the asterisk of required fields. */
export const fillField = ({ page }: ConsolePage, name: string, text: string) =>
  page.getByRole('textbox', { name, exact: true }).fill(text)

/** Fails if the page is too wide for a phone or not accessible there. */
export async function expectFitsPhone(session: ConsolePage): Promise<void> {
  await session.page.setViewportSize(PHONE)
  // The switch from table to cards takes a render.
  await expect
    .poll(() => session.page.evaluate(() => document.documentElement.scrollWidth))
    .toBeLessThanOrEqual(PHONE.width)
  await session.expectAccessible()
  await session.page.setViewportSize(DESKTOP)
}

/** The browser errors except failed requests with the given statuses. */
export const errorsExcept = (errors: string[], ...statuses: number[]): string[] =>
  errors.filter((text) => !statuses.some((status) => text.includes(`the server responded with a status of ${status} `)))

/** Whether a browser error is a failed request with a 4xx status. */
export const isHttpError = (error: string): boolean => /the server responded with a status of 4\d\d/.test(error)
