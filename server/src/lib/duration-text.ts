const UNITS = [
  { name: 'day', length: 86_400 },
  { name: 'hour', length: 3_600 },
] as const
const MINUTE = { name: 'minute', length: 60 }

/** A duration in words: `one hour`, `36 hours`. Rounded down to minutes, so that it promises too little, not too much. */
export function toDurationText(seconds: number): string {
  const rounded = seconds - (seconds % MINUTE.length)
  const unit = UNITS.find(({ length }) => rounded % length === 0) ?? MINUTE
  const count = rounded / unit.length
  return count === 1 ? `one ${unit.name}` : `${count} ${unit.name}s`
}
