/** The languages of hosted pages, mails and error messages, as language tags (RFC 5646). The first is the default. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt-BR', 'ja', 'ar'] as const

/** Every text with accents and in brackets, which shows texts that nobody can translate. For tests and translators. */
export const PSEUDO_LANGUAGE = 'en-XA'

export type Language = (typeof LANGUAGES)[number] | typeof PSEUDO_LANGUAGE

export const DEFAULT_LANGUAGE = 'en' satisfies Language

/** What each language calls itself. */
export const LANGUAGE_NAMES: Record<(typeof LANGUAGES)[number], string> = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  'pt-BR': 'Português (Brasil)',
  ja: '日本語',
  ar: 'العربية',
}

export const toDirection = (language: Language): 'ltr' | 'rtl' => (language === 'ar' ? 'rtl' : 'ltr')

/** Longer lists are not from a browser. */
const MAX_TAGS = 20

/** The language that was chosen by a person or a program. No link and no browser chooses the pseudo language. */
export const matchChosenLanguage = (tag: string): Language | undefined =>
  tag === PSEUDO_LANGUAGE ? PSEUDO_LANGUAGE : matchLanguage([tag])

/** The first of the tags that we have, or that we have in another region: German for `de-AT`, for example. */
export function matchLanguage(tags: readonly string[]): Language | undefined {
  for (const tag of tags.slice(0, MAX_TAGS)) {
    const wanted = tag.trim().toLowerCase()
    const found =
      LANGUAGES.find((language) => language.toLowerCase() === wanted) ??
      LANGUAGES.find((language) => primaryOf(language) === primaryOf(wanted))
    if (found !== undefined) return found
  }
  return undefined
}

const primaryOf = (tag: string): string => tag.toLowerCase().split('-', 1)[0] ?? ''

/** The tags of an Accept-Language header (RFC 9110 §12.5.4), the preferred one first, without those that are refused. */
export function parseAcceptLanguage(header = ''): string[] {
  const ranges = header.split(',', MAX_TAGS).map((range) => {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))
    return { tag, quality: quality === undefined ? 1 : Number(quality.slice(2)) }
  })
  return ranges
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
}
