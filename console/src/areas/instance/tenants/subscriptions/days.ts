/** The day of a moment, as a date field writes it. */
export function toField(moment: string | null): string {
  if (moment === null) return ''
  const date = new Date(moment)
  const pad = (part: number, width = 2) => String(part).padStart(width, '0')
  return `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
}

/** The end of the day that a date field says; null where it says none. */
export const toMoment = (day: string): string | null =>
  day === '' ? null : new Date(`${day}T23:59:59.999`).toISOString()
