/** The origin of a URL. Path and query are omitted, because they often contain a secret. */
export const redactUrl = (url: string): string => new URL(url).origin

/** The URLs differ in their hidden part. */
export const hasHiddenChange = (one: string, other: string): boolean => hiddenPart(one) !== hiddenPart(other)

const hiddenPart = (url: string): string => url.slice(redactUrl(url).length)
