import { expect } from 'vitest'
import type { Visit } from './stage.ts'

const PHONE = { width: 390, height: 780 }
const DESKTOP = { width: 1280, height: 860 }

/** Fails where a place is too wide for a phone, or shuts somebody out there. */
export async function fitsPhone(visit: Visit): Promise<void> {
  await visit.page.setViewportSize(PHONE)
  // A table becomes cards a moment after the page has become narrow.
  await expect
    .poll(() => visit.page.evaluate(() => document.documentElement.scrollWidth), { timeout: 5_000 })
    .toBeLessThanOrEqual(PHONE.width)
  await visit.isAccessible()
  await visit.page.setViewportSize(DESKTOP)
}

/** A browser complains of an answer that refuses; here, refusals are meant. */
export const unmeant = (complaints: string[]): string[] =>
  complaints.filter((text) => !/status of (409|422)/.test(text))
