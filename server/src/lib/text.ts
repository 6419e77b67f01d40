import { translatable } from '../languages/translate.ts'

/** False for NUL, which PostgreSQL cannot store, and for lone surrogates. */
export const isCleanText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Control characters, line separators and bidirectional formatting characters. */
const NOT_PLAIN = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u

/** True if the text is a single line that does not change the direction of surrounding text. */
export const isPlainLine = (text: string): boolean => !NOT_PLAIN.test(text)

/** Characters of the categories letter and symbol that are invisible. */
const BLANK = /[\u115f\u1160\u2800\u3164\uffa0]/g

/** True if the text has a visible character. */
export const isVisible = (text: string): boolean => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text.replace(BLANK, ''))

/**
 * A scheme, `www.`, or a domain followed by a port, path, query or fragment. A domain alone does not match, because it
 * may be a company name (Booking.com).
 */
const WEB_ADDRESS =
  /:\/\/|(?<![\p{L}\p{N}])www\.[\p{L}\p{N}]|[\p{L}\p{N}]\.(?:\p{L}{2,}|xn--[\w-]+|\d+\.\d+\.\d+)\.?(?::\d{2,}|[/\\⁄∕]|[?#]\S)/iu

/** True if a reader or a mail program would recognize a web address in the text. */
export const containsWebAddress = (text: string): boolean =>
  WEB_ADDRESS.test(
    text
      .normalize('NFKC')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      .replaceAll('。', '.'),
  )

export const NO_WEB_ADDRESS = translatable(
  'must hold no web address: no scheme such as https://, no www., no domain with a path',
)
