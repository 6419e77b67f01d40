import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LANGUAGE_NAMES } from '../../src/languages/languages.ts'
import { expectPageAccessible } from '../console/console-page.ts'
import { type HostedPages, openHostedPages } from '../languages/hosted-pages.ts'
import { listLayoutProblems, listUntranslated } from '../languages/page-texts.ts'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'

/** What stays the same in every language. */
const DATA = [
  // Addresses, and the form of a code.
  /\S+@[\w.]+|http:\S+|XXXX-XXXX/g,
  // Names, and slugs.
  /\b(Latchkey|Project Manager|Partner Reports|Acme|Globex|Harbour House|AcmeTV|acme|globex)\b/g,
  // What languages call themselves.
  ...Object.values(LANGUAGE_NAMES),
  // A time as the service formats it. It does not know the pseudo language.
  /\b[A-Z][a-z]+ \d+, \d{4} at \d+:\d+ UTC/g,
  /\b(Nora Newcomer|Gus Owner|Gus Globex|Hanna Host|Greta Guest|Nora|Newcomer|Greta|Guest)\b/g,
]

/** The pages of which axe sees the Arabic form. */
const EXAMINED = [
  'sign-in',
  'sign-up-weak',
  'account',
  'account-security',
  'mfa-challenge',
  'choose-tenant',
  'consent',
  'device-decision',
  'invitation',
]

describe.runIf(FULL && browserPath)('hosted pages in other languages', () => {
  let pages: HostedPages
  beforeAll(async () => {
    pages = await openHostedPages()
  })
  afterAll(() => pages?.close())

  test('every text of every page can be translated, and is shown as a whole on a small phone', async () => {
    const problems = await pages.walk('en-XA', async (page) => [
      ...(await listUntranslated(page, DATA)),
      ...(await listLayoutProblems(page)),
    ])
    expect(problems).toEqual([])
  })

  test('every page in Arabic fits a small phone, and is accessible from right to left', async () => {
    const problems = await pages.walk('ar', async (page, name) => {
      if (EXAMINED.includes(name)) await expectPageAccessible(page)
      return listLayoutProblems(page)
    })
    expect(problems).toEqual([])
  })
})
