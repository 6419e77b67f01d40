import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { walkConsole } from '../languages/console-walk.ts'
import { listLayoutProblems } from '../languages/page-texts.ts'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { type ConsoleTest, openConsole } from './console-page.ts'

describe.runIf(FULL && browserPath)('languages with long words, or without spaces', () => {
  let consoleTest: ConsoleTest
  beforeAll(async () => {
    consoleTest = await openConsole()
  })
  afterAll(() => consoleTest?.close())

  test.each(['de', 'ja'])('every area of the console in %s fits a small phone', async (language) => {
    expect(await walkConsole(consoleTest, language, ({ page }) => listLayoutProblems(page))).toEqual([])
  })
})
