import { t } from '../../languages/translate.ts'

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400

/** A duration in words: `one hour`, `36 hours`. Rounded down to minutes, so that it promises too little, not too much. */
export function toDurationText(seconds: number): string {
  const rounded = seconds - (seconds % MINUTE)
  if (rounded % DAY === 0) return t('{count, plural, one {one day} other {# days}}', { count: rounded / DAY })
  if (rounded % HOUR === 0) return t('{count, plural, one {one hour} other {# hours}}', { count: rounded / HOUR })
  return t('{count, plural, one {one minute} other {# minutes}}', { count: rounded / MINUTE })
}
