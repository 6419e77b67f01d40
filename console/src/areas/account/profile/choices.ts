import type { ComboboxItem } from '@mantine/core'
import { currentLocale } from '../../../languages/catalog.ts'
import { LANGUAGE_CHOICES } from '../../../lib/languages.ts'

const withCurrent = (choices: string[], current: string): string[] =>
  choices.includes(current) ? choices : [current, ...choices]

/** The languages of the service by their own names, and the stored tag if it is another one. */
export const languageChoices = (current: string): ComboboxItem[] =>
  LANGUAGE_CHOICES.some(({ value }) => value === current)
    ? LANGUAGE_CHOICES
    : [{ value: current, label: current }, ...LANGUAGE_CHOICES]

export const zoneChoices = (current: string): string[] =>
  withCurrent(['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')], current)

/** The current time in a time zone; undefined if the browser does not support it. */
export function timeIn(timeZone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat(currentLocale(), { timeZone, timeStyle: 'short' }).format(new Date())
  } catch {
    return undefined
  }
}
