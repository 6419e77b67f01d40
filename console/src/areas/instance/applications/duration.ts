import { applications } from '../../../text/applications.ts'

const { units } = applications.lifetimes
const SIZES = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** Seconds as people say them: 5400 is an hour and 30 minutes. */
export function toDuration(seconds: number): string {
  let left = seconds
  const parts = SIZES.flatMap(([unit, size]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count > 0 ? [units[unit](count)] : []
  })
  return parts.length > 0 ? parts.slice(0, 2).join(' ') : units.second(0)
}
