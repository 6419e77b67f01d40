import { currentLanguage, currentLocale } from '../languages/catalog.ts'

const numbers = new Intl.NumberFormat(currentLocale())
const COMMAS: Readonly<Record<string, string>> = { ar: '، ', ja: '、' }

export const formatNumber = (value: number): string => numbers.format(value)

/** Names with commas. An `Intl.ListFormat` would put "and" before the last, also where another "and" follows. */
export const formatList = (names: readonly string[]): string => names.join(COMMAS[currentLanguage()] ?? ', ')
