import { currentLanguage } from '../../../languages/catalog.ts'
import { applications } from '../../../text/applications.ts'

const { units } = applications.lifetimes
const list = new Intl.ListFormat(currentLanguage(), { type: 'unit', style: 'narrow' })
const SIZES = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** Formats seconds with the two largest units: 5400 is "1 hour 30 minutes". */
export function toDuration(seconds: number): string {
  let remaining = seconds
  const parts = SIZES.flatMap(([unit, size]) => {
    const count = Math.floor(remaining / size)
    remaining -= count * size
    return count > 0 ? [units[unit](count)] : []
  })
  return parts.length > 0 ? list.format(parts.slice(0, 2)) : units.second(0)
}
