import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { openStage, type Stage, type Visit } from './stage.ts'

/** What the browser counts as good: a tenth of the page, once, by a tenth of its height would be 0.01. */
const GOOD = 0.1

describe.runIf(FULL && browserPath)('nothing jumps while it loads', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  type Watched = typeof globalThis & { shifted: number }

  /** Counts from the start of every page how far things move by themselves (Layout Instability API). */
  const watchShifts = ({ page }: Visit): Promise<unknown> =>
    page.addInitScript(() => {
      const watched = globalThis as Watched
      watched.shifted = 0
      new PerformanceObserver((list) => {
        for (const shift of list.getEntries() as (PerformanceEntry & { value: number })[])
          watched.shifted += shift.value
      }).observe({ type: 'layout-shift', buffered: true })
    })

  /** What was seen of it once the page has been drawn. */
  const shiftsOf = ({ page }: Visit): Promise<number> =>
    page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          requestAnimationFrame(() => requestAnimationFrame(() => resolve((globalThis as Watched).shifted)))
        }),
    )

  test.each([
    ['olivia@acme.test', ['/t/acme/members', '/t/acme/licenses', '/t/acme/audit', '/account/security']],
    ['admin@latchkey.test', ['/instance', '/instance/users', '/instance/applications']],
  ])('for %s, on a phone neither', async (email, paths) => {
    const visit = await stage.as(email, paths[0])
    await watchShifts(visit)
    for (const width of [1280, 390]) {
      await visit.page.setViewportSize({ width, height: 800 })
      for (const path of paths) {
        await visit.go(path)
        await visit.page.getByRole('heading', { level: 1 }).waitFor()
        await visit.page.waitForLoadState('networkidle')
        expect(await shiftsOf(visit), `${path} at ${width}`).toBeLessThan(GOOD)
      }
    }
    expect(visit.complaints).toEqual([])
  })
})
