/** An address as others may read it: its path, and what stands behind that, often let in whoever has them. */
export const shownUrl = (url: string): string => new URL(url).origin

/** Whether addresses differ in what others may not read of them. */
export const differsUnseen = (one: string, other: string): boolean => hiddenIn(one) !== hiddenIn(other)

const hiddenIn = (url: string): string => url.slice(shownUrl(url).length)
