import type { ComboboxItem } from '@mantine/core'
import { currentLocale } from '../../../languages/catalog.ts'

/** Common languages. The current value is added if it is another one. */
const LANGUAGES = (
  'ar bg bn ca cs da de de-AT de-CH de-DE el en en-AU en-CA en-GB en-IE en-IN en-US es es-AR es-ES es-MX et ' +
  'fa fi fr fr-BE fr-CA fr-CH fr-FR he hi hr hu id is it ja ko lt lv ms nb nl nl-BE nn pl pt-BR pt-PT ro ru ' +
  'sk sl sr sv sw ta th tr uk ur vi zh-Hans zh-Hant'
).split(' ')

const names = new Intl.DisplayNames(currentLocale(), { type: 'language' })
const order = new Intl.Collator(currentLocale())

const withCurrent = (choices: string[], current: string): string[] =>
  choices.includes(current) ? choices : [current, ...choices]

export const languageChoices = (current: string): ComboboxItem[] =>
  withCurrent(LANGUAGES, current)
    .map((value) => ({ value, label: nameOf(value) }))
    .sort((a, b) => order.compare(a.label, b.label))

function nameOf(tag: string): string {
  try {
    return names.of(tag) ?? tag
  } catch {
    return tag
  }
}

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
