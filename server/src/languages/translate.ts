import { IntlMessageFormat } from 'intl-messageformat'
import { findTranslation } from './catalogs.ts'
import { currentLanguage } from './current-language.ts'
import { isolateArguments } from './isolate-arguments.ts'
import { type Language, toDirection } from './languages.ts'

export type TextValues = Readonly<Record<string, string | number | Date>>

/**
 * The text in the current language. Texts are ICU messages, such as `{count, plural, one {# seat} other {# seats}}`. Each
 * is a whole sentence, so that its words can change places.
 */
export function t(text: string, values?: TextValues): string {
  const language = currentLanguage()
  const translation = findTranslation(language, text)
  return values === undefined ? translation : String(findFormat(language, translation).format(values))
}

/** Marks a text in a table, which `t` translates when it is used. */
export const translatable = (text: string): string => text

const formats = new Map<string, IntlMessageFormat>()

/** The texts are those of the sources and catalogs, so that the number of formats is bounded. */
export function findFormat(language: Language, text: string): IntlMessageFormat {
  const key = `${language} ${text}`
  const format = formats.get(key) ?? createFormat(language, text)
  formats.set(key, format)
  return format
}

function createFormat(language: Language, text: string): IntlMessageFormat {
  const format = new IntlMessageFormat(text, language)
  if (toDirection(language) === 'ltr') return format
  return new IntlMessageFormat(isolateArguments(format.getAst()), language)
}
