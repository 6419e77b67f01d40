import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LANGUAGE_NAMES } from '../../src/languages/languages.ts'
import { walkConsole } from '../languages/console-walk.ts'
import { listLayoutProblems, listUntranslated } from '../languages/page-texts.ts'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { type ConsoleTest, DESKTOP, openConsole } from './console-page.ts'

/** What stays the same in every language. */
const DATA = [
  // Addresses.
  /\S+@[\w.]+/g,
  // Names, the features of license types, and slugs.
  /\b(Latchkey|Project Manager|Acme|Globex|Free|Pro|Enterprise|acme|globex)\b/g,
  /\b(Olivia Owner|Adam Admin|Mia Member|Max Member|Gus Owner|Ada Administrator)\b/g,
  /\b(export|projects|reports|audit|sso)\b/g,
  // What languages call themselves.
  ...Object.values(LANGUAGE_NAMES),
  // The browser formats times. It does not know the pseudo language.
  /\b[A-Z][a-z]{2} \d+(, \d{4}(, \d+:\d\d\s[AP]M)?)?/g,
  /\b(\d+ (second|minute)s? ago|now)\b/g,
  // Codes, the beginning of an address, and a browser that tells its name.
  /\bRS256\b|#[0-9a-f]{6}\b|https:\/\/|Mozilla\/5\.0 .*/g,
]

/** The pages of which axe sees the Arabic form. */
const EXAMINED = [
  '/account/security',
  '/t/acme/members',
  '/t/acme/licenses/project-manager',
  '/t/acme/settings',
  '/instance',
]

describe.runIf(FULL && browserPath)('the console in other languages', () => {
  let consoleTest: ConsoleTest
  beforeAll(async () => {
    consoleTest = await openConsole()
  })
  afterAll(() => consoleTest?.close())

  test('every text of every area can be translated, and is shown as a whole on a small phone', async () => {
    const problems = await walkConsole(consoleTest, 'en-XA', async ({ page }) => {
      const narrow = [...(await listUntranslated(page, DATA)), ...(await listLayoutProblems(page))]
      await page.setViewportSize(DESKTOP)
      return [...narrow, ...(await listUntranslated(page, DATA))]
    })
    expect(problems).toEqual([])
  })

  test('every area in Arabic fits a small phone, and is accessible from right to left', async () => {
    const problems = await walkConsole(consoleTest, 'ar', async ({ page, expectAccessible }, path) => {
      if (EXAMINED.includes(path)) await expectAccessible()
      return listLayoutProblems(page)
    })
    expect(problems).toEqual([])
  })
})
