import { currentLanguage } from './current-language.ts'
import { DEFAULT_LANGUAGE } from './languages.ts'

/** Values of which one must be chosen, as part of a sentence: "a, b or c". American English would have a comma before "or". */
export function toChoiceText(values: readonly unknown[]): string {
  const language = currentLanguage()
  const format = new Intl.ListFormat(language === DEFAULT_LANGUAGE ? 'en-GB' : language, { type: 'disjunction' })
  return format.format(values.map(String))
}
