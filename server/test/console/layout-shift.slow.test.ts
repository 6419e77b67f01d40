import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserPath } from '../support/browser.ts'
import { FULL } from '../support/rounds.ts'
import { type ConsolePage, type ConsoleTest, openConsole } from './console-page.ts'

/** The limit for a good Cumulative Layout Shift. */
const MAX_LAYOUT_SHIFT = 0.1

describe.runIf(FULL && browserPath)('layout shifts while pages load', () => {
  let consoleTest: ConsoleTest
  beforeAll(async () => {
    consoleTest = await openConsole()
  })
  afterAll(() => consoleTest?.close())

  type WatchedWindow = typeof globalThis & { layoutShift: number }

  /** Sums the layout shifts of every page load (Layout Instability API). */
  const watchShifts = ({ page }: ConsolePage): Promise<unknown> =>
    page.addInitScript(() => {
      const watched = globalThis as WatchedWindow
      watched.layoutShift = 0
      new PerformanceObserver((list) => {
        for (const shift of list.getEntries() as (PerformanceEntry & { value: number })[])
          watched.layoutShift += shift.value
      }).observe({ type: 'layout-shift', buffered: true })
    })

  /** The sum after the next two frames. */
  const readShifts = ({ page }: ConsolePage): Promise<number> =>
    page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          requestAnimationFrame(() => requestAnimationFrame(() => resolve((globalThis as WatchedWindow).layoutShift)))
        }),
    )

  test.each([
    ['olivia@acme.test', ['/t/acme/members', '/t/acme/licenses', '/t/acme/audit', '/account/security']],
    ['admin@latchkey.test', ['/instance', '/instance/users', '/instance/applications']],
  ])('stay small for %s, also on a phone', async (email, paths) => {
    const session = await consoleTest.signIn(email, paths[0])
    await watchShifts(session)
    for (const width of [1280, 390]) {
      await session.page.setViewportSize({ width, height: 800 })
      for (const path of paths) {
        await session.go(path)
        await session.page.getByRole('heading', { level: 1 }).waitFor()
        await session.page.waitForLoadState('networkidle')
        expect(await readShifts(session), `${path} at ${width}`).toBeLessThan(MAX_LAYOUT_SHIFT)
      }
    }
    expect(session.errors).toEqual([])
  })
})
