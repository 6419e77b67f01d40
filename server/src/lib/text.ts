/** NUL cannot be stored by PostgreSQL and a lone surrogate is no character: neither may enter. */
export const isCleanText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
