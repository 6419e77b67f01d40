import { currentLanguage } from './current-language.ts'

/** Several names as part of a sentence in the current language: `A, B, and C`. */
export const toListText = (names: string[]): string => new Intl.ListFormat(currentLanguage()).format(names)
