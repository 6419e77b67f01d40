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
