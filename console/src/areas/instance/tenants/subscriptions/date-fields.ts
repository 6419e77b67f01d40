/** Formats a timestamp for a date field, in the browser's time zone. */
export function toDateField(timestamp: string | null): string {
  if (timestamp === null) return ''
  const date = new Date(timestamp)
  const pad = (part: number, width = 2) => String(part).padStart(width, '0')
  return `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
}

/** The end of the day of a date field; null if the field is empty. */
export const toEndOfDay = (day: string): string | null =>
  day === '' ? null : new Date(`${day}T23:59:59.999`).toISOString()
