import { join } from 'node:path'
import { runInLanguage } from '../../src/languages/current-language.ts'
import type { Language } from '../../src/languages/languages.ts'
import { findFormat, type TextValues, t } from '../../src/languages/translate.ts'
import { readCatalogs } from './texts.ts'

const CONSOLE = join(import.meta.dirname, '../../../console/src/languages')

/** What the hosted pages and mails say for an English text. Fails if it has no translation. */
export const sayOnPages = (language: Language, text: string, values?: TextValues): string =>
  runInLanguage(language, () => {
    if (t(text) === text) throw new Error(`no ${language} for: ${text}`)
    return t(text, values)
  })

/** What the console says for an English text. */
export function sayInConsole(language: Language, text: string, values: TextValues = {}): string {
  const catalogs = [...readCatalogs(join(CONSOLE, language.toLowerCase())).values()]
  const translation = catalogs.find((catalog) => catalog[text] !== undefined)?.[text]
  if (translation === undefined) throw new Error(`no ${language} for: ${text}`)
  return String(findFormat(language, translation).format(values))
}
