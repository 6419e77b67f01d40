/** NUL cannot be stored by PostgreSQL and a lone surrogate is no character: neither may enter. */
export const isCleanText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Control characters, and those that turn the direction of the text around them. */
const UNFIT = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u

/** Whether a text is one line that rearranges nothing around it, as a name must be. */
export const isPlainLine = (text: string): boolean => !UNFIT.test(text)

/** Letters and signs of Unicode that show nothing. */
const BLANK = /[\u115f\u1160\u2800\u3164\uffa0]/g

/** Whether there is anything to be seen, as there must be of a name. */
export const isVisible = (text: string): boolean => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text.replace(BLANK, ''))

/**
 * A scheme, `www.`, or a domain with a port, a path, a query or a fragment behind it. A domain alone is none: that is
 * how some companies are called (Booking.com).
 */
const WEB_ADDRESS =
  /:\/\/|(?<![\p{L}\p{N}])www\.[\p{L}\p{N}]|[\p{L}\p{N}]\.(?:\p{L}{2,}|xn--[\w-]+|\d+\.\d+\.\d+)\.?(?::\d{2,}|[/\\⁄∕]|[?#]\S)/iu

/** Whether a text holds what a reader, or a mail program, would take for an address on the web. */
export const holdsWebAddress = (text: string): boolean =>
  WEB_ADDRESS.test(
    text
      .normalize('NFKC')
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      .replaceAll('。', '.'),
  )

export const NO_WEB_ADDRESS =
  'must hold no web address: no scheme such as https://, no www., no domain with a path'
