import { afterEach, expect, test, vi } from 'vitest'
import { startClock } from '../../src/db/clock.ts'
import { startService } from '../support/service.ts'

afterEach(() => {
  vi.useRealTimers()
})

const HOUR = 60 * 60_000
const MINUTE = 60_000

test.each([2 * HOUR, -2 * HOUR])('a wall clock that jumps by %i ms has no effect', async (jump) => {
  const service = await startService()
  const clock = await startClock(service.ctx.db)
  const before = Date.now()
  expect(Math.abs(clock.now().getTime() - before)).toBeLessThan(MINUTE)
  vi.useFakeTimers({ toFake: ['Date'], now: before + jump })
  expect(Math.abs(Date.now() - before)).toBeGreaterThan(HOUR)
  expect(Math.abs(clock.now().getTime() - before)).toBeLessThan(MINUTE)
  vi.useRealTimers()
  clock.stop()
  await service.close()
})
