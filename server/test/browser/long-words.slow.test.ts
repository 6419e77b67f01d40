import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HostedPages, openHostedPages } from '../languages/hosted-pages.ts'
import { listLayoutProblems } from '../languages/page-texts.ts'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'

describe.runIf(FULL && browserPath)('languages with long words, or without spaces', () => {
  let pages: HostedPages
  beforeAll(async () => {
    pages = await openHostedPages()
  })
  afterAll(() => pages?.close())

  test.each(['de', 'ja'])('every hosted page in %s fits a small phone', async (language) => {
    expect(await pages.walk(language, listLayoutProblems)).toEqual([])
  })
})
