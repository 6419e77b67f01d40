import { AppError } from '../errors.ts'

/** The state of the clock, as the database needs it for its own timestamps. */
export interface ClockState {
  /** How far the clock is ahead of the real time. */
  offsetMs: number
  /** The time at which the clock stands still; undefined while it runs. */
  frozenAt: Date | undefined
}

export interface ClockChange {
  now?: Date | undefined
  advanceSeconds?: number | undefined
  frozen?: boolean | undefined
}

/** The clock that a test can set. At first it shows the real time. */
export interface TestClock {
  now(): Date
  state(): ClockState
  change(change: ClockChange): void
  reset(): void
}

/** The demo data begins at EARLIEST. */
export const EARLIEST = new Date('2020-01-01T00:00:00Z')
const LATEST = new Date('2100-01-01T00:00:00Z')

export function createTestClock(): TestClock {
  let state: ClockState = { offsetMs: 0, frozenAt: undefined }
  const now = () => state.frozenAt ?? new Date(Date.now() + state.offsetMs)
  return {
    now,
    state: () => state,
    change({ now: wanted, advanceSeconds = 0, frozen = state.frozenAt !== undefined }) {
      const time = new Date((wanted ?? now()).getTime() + advanceSeconds * 1_000)
      requireInRange(time, wanted ? 'now' : 'advanceSeconds')
      state = { offsetMs: time.getTime() - Date.now(), frozenAt: frozen ? time : undefined }
    },
    reset() {
      state = { offsetMs: 0, frozenAt: undefined }
    },
  }
}

function requireInRange(time: Date, field: string): void {
  if (time >= EARLIEST && time < LATEST) return
  const message = `must lead to a time from ${EARLIEST.toISOString()} to before ${LATEST.toISOString()}`
  throw new AppError('VALIDATION_FAILED', { details: [{ field, message }] })
}
