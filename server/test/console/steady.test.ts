import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { openStage, type Stage, type Visit } from './stage.ts'

/** What the browser counts as good: a tenth of the page, once, by a tenth of its height would be 0.01. */
const GOOD = 0.1

describe.skipIf(!browserPath)('nothing jumps while it loads', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage()
  })
  afterAll(() => stage?.close())

  /** How far things moved by themselves, by the measure of the Layout Instability API. */
  const shiftsOf = ({ page }: Visit): Promise<number> =>
    page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const observer = new PerformanceObserver((list) => {
            const shifts = list.getEntries() as (PerformanceEntry & { value: number })[]
            resolve(shifts.reduce((sum, { value }) => sum + value, 0))
          })
          observer.observe({ type: 'layout-shift', buffered: true })
          // Where nothing moved nothing is told.
          setTimeout(() => resolve(0), 300)
        }),
    )

  test.each([
    ['olivia@acme.test', ['/t/acme/members', '/t/acme/licenses', '/t/acme/audit', '/account/security']],
    ['admin@latchkey.test', ['/instance', '/instance/users', '/instance/applications']],
  ])('for %s, on a phone neither', async (email, paths) => {
    const visit = await stage.as(email, paths[0])
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
