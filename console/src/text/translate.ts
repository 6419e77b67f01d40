import { IntlMessageFormat } from 'intl-messageformat'
import { currentDirection, currentLocale, findTranslation } from '../languages/catalog.ts'
import { isolateArguments } from './isolate-arguments.ts'

export type TextValues = Readonly<Record<string, string | number | Date>>

const formats = new Map<string, IntlMessageFormat>()

/** The texts are those of the sources and catalogs, so that the number of formats is bounded. */
export function findFormat(text: string): IntlMessageFormat {
  const format = formats.get(text) ?? createFormat(findTranslation(text))
  formats.set(text, format)
  return format
}

function createFormat(text: string): IntlMessageFormat {
  const format = new IntlMessageFormat(text, currentLocale())
  return currentDirection() === 'ltr'
    ? format
    : new IntlMessageFormat(isolateArguments(format.getAst()), currentLocale())
}

/**
 * The text in the language of the console. Texts are ICU messages, such as `{count, plural, one {# seat} other {# seats}}`.
 * Each is a whole sentence, so that its words can change places.
 */
export const t = (text: string, values?: TextValues): string =>
  values === undefined ? findTranslation(text) : String(findFormat(text).format(values))
